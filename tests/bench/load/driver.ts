/**
 * The load driver's process: apart from the servers, so that its CPU does not count as theirs, and over bare sockets, so
 * that it is never the slower side. Every answer is checked; the first wrong one ends the run.
 */
import { connect, type Socket } from "node:net";
import { readAnswer } from "./http-answer.ts";
import { type Order, orderSchema, type Report } from "./order.ts";
import { checkPing, pingRequests } from "./ping-call.ts";

process.on("message", (message) => {
  carryOut(orderSchema.parse(message)).then(
    () => report({ ok: true }),
    (error: unknown) => report({ ok: false, problem: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));

function report(outcome: Report): void {
  process.send?.(outcome);
}

async function carryOut(order: Order): Promise<void> {
  const { hostname, port } = new URL(order.url);
  const request = pingRequests(order, order.era);
  let sent = 0;
  const next = (): number | null => (sent < order.calls ? sent++ : null);
  const sockets = Array.from({ length: order.connections }, () => connect({ host: hostname, port: Number(port), noDelay: true }));
  try {
    await Promise.all(sockets.map((socket) => converse(socket, order, request, next)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** One connection: a call, its answer, the next call, until `next` says that all are sent. */
function converse(socket: Socket, { era }: Order, request: (count: number) => string, next: () => number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting: Buffer = Buffer.alloc(0);
    let count: number | null = null;
    const call = (): void => {
      count = next();
      if (count === null) resolve();
      else socket.write(request(count));
    };
    socket.on("connect", call);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: Buffer) => {
      try {
        waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
        const answer = readAnswer(waiting);
        if (answer === null || count === null) return;
        waiting = Buffer.alloc(0);
        checkPing(answer, era, count);
        call();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
