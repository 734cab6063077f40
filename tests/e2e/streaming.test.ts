/** Progress, event streams, cancellation and faults of a call, over real sockets with tools made for it. */
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tool, ToolContext } from "../../gateway/tool.ts";
import type { Outcome } from "../../storage/ports.ts";
import type { ToolOutput } from "../../gateway/tool.ts";
import { verifies } from "../requirements.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, envelope, post, statelessHeaders } from "../support/rpc.ts";

let postern: Postern;
let token: string;
let seen: string[] = [];
let release: () => void = () => undefined;

const done: Outcome<ToolOutput> = { ok: true, value: { kind: "json", value: { fine: true }, origin: { kind: "postern" } } };
const tool = (name: string, run: (context: ToolContext) => Outcome<ToolOutput> | Promise<Outcome<ToolOutput>>): Tool => ({
  name,
  title: name,
  description: name,
  effect: "read",
  group: null,
  inputSchema: { type: "object" },
  outputSchema: null,
  call: (_args, context) => run(context),
});
const waiting = async (context: ToolContext): Promise<Outcome<ToolOutput>> => {
  const signal = context.signal();
  signal.addEventListener("abort", () => seen.push("aborted"));
  seen.push("running");
  await new Promise<void>((resolve) => (release = resolve));
  seen.push(signal.aborted ? "ended aborted" : "ended");
  return done;
};
const tools = [
  tool("counts", async (context) => {
    for (const progress of [1, 2, 2, 1, 3]) context.progress({ progress, total: 3 });
    await Promise.resolve();
    return done;
  }),
  tool("counts_late", async (context) => {
    setTimeout(() => context.progress({ progress: 9 }), 1);
    return done;
  }),
  tool("waits", waiting),
  tool("throws", () => {
    throw new Error("marker\n    at marker.ts:1:1");
  }),
  tool("rejects", async () => Promise.reject("marker")),
  tool("is_huge", () => ({ ok: true, value: { kind: "json", value: { text: "가".repeat(40_000) }, origin: { kind: "postern" } } })),
];

beforeAll(async () => {
  postern = await startPostern({ extraTools: tools });
  token = await postern.token();
});
afterAll(() => postern.stop());
beforeEach(() => {
  seen = [];
});

const modern = (name: string, meta: Readonly<Record<string, unknown>> = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: {}, _meta: envelope(undefined, meta) },
});
const old = (name: string, meta: Readonly<Record<string, unknown>> = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: {}, _meta: meta },
});
const eras = [
  ["stateless", modern, statelessHeaders],
  ["handshake", old, () => ({ "mcp-protocol-version": "2025-11-25" })],
] as const;
const eventsOf = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Record<string, unknown>);

describe.each(eras)("progress in the %s era", (_era, message, headersOf) => {
  it(`${verifies("mcp.2026-07-28.progress-with-token", "mcp.2026-07-28.progress-increases")}: comes before the answer, growing, under the caller's token`, async () => {
    const reply = await post(postern.url, token, message("counts", { progressToken: "토큰" }), headersOf("tools/call", "counts"));
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    const events = eventsOf(reply.text);
    expect(events.slice(0, -1)).toEqual(
      [1, 2, 3].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "토큰", progress, total: 3 },
      })),
    );
    expect(events.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { fine: true } } });
  });

  it("is not sent to a caller that gave no token, nor to one that takes no stream", async () => {
    const without = await post(postern.url, token, message("counts"), headersOf("tools/call", "counts"));
    const jsonOnly = await post(postern.url, token, message("counts", { progressToken: 1 }), {
      ...headersOf("tools/call", "counts"),
      accept: "application/json",
    });
    for (const reply of [without, jsonOnly])
      expect([reply.headers["content-type"], reply.json().result.structuredContent]).toMatchObject(["application/json", { fine: true }]);
  });

  it("after the answer is dropped", async () => {
    const reply = await post(postern.url, token, message("counts_late", { progressToken: 1 }), headersOf("tools/call", "counts_late"));
    expect(reply.text).not.toContain("notifications/progress");
  });
});

it(`${verifies("mcp.2026-07-28.unknown-method")}: a refusal with a status of its own is no stream, even for a caller that takes nothing else`, async () => {
  const unknown = { jsonrpc: "2.0", id: 7, method: "tools/nosuch", params: { _meta: envelope() } };
  const reply = await post(postern.url, token, unknown, { ...statelessHeaders("tools/nosuch"), accept: "text/event-stream" });
  expect([reply.status, reply.headers["content-type"], reply.json().error.code]).toEqual([404, "application/json", -32_601]);
});

/** Leaves as soon as the tool runs. */
async function leave(body: unknown, headers: Readonly<Record<string, string>>): Promise<void> {
  const outgoing = httpRequest(postern.url, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
  });
  outgoing.on("error", () => undefined);
  outgoing.end(JSON.stringify(body));
  await vi.waitFor(() => expect(seen).toEqual(["running"]), { timeout: 5000 });
  outgoing.destroy();
}

describe("a caller that leaves", () => {
  it.each(["application/json", "text/event-stream", "application/json, text/event-stream"])(
    `${verifies("mcp.2026-07-28.disconnect-cancels")}: cancels its call in the stateless era, with Accept %s`,
    async (accept) => {
      await leave(modern("waits"), { ...statelessHeaders("tools/call", "waits"), accept });
      await vi.waitFor(() => expect(seen).toEqual(["running", "aborted"]), { timeout: 5000 });
      release();
    },
  );

  it(`${verifies("mcp.handshake.disconnect-is-no-cancel")}: does not cancel it in the handshake era`, async () => {
    await leave(old("waits"), { accept: "application/json, text/event-stream" });
    // The next call comes after the loss of the connection was noticed.
    expect((await post(postern.url, token, call(1, "ping"))).status).toBe(200);
    release();
    await vi.waitFor(() => expect(seen).toEqual(["running", "ended"]), { timeout: 5000 });
  });
});

describe("a tool that breaks", () => {
  it.each(["throws", "rejects"])(
    "by a fault that %s is INTERNAL with the request id; message and stack stay out of answer and log",
    async (name) => {
      for (const [, message, headersOf] of eras) {
        const reply = await post(postern.url, token, message(name), headersOf("tools/call", name));
        expect([reply.status, reply.json().result]).toMatchObject([200, { isError: true, structuredContent: { error_code: "INTERNAL" } }]);
        const line = (await postern.logs()).findLast(({ event }) => event === "tool_failed");
        expect(line).toMatchObject({ tool: name, client: "local", error: name === "throws" ? "Error" : "string" });
        expect(reply.text).toContain(String(line?.["request_id"]));
        expect(`${reply.text}${JSON.stringify(line)}`).not.toContain("marker");
      }
    },
  );

  it("by an answer over the limit says how large it would be, and sends none of it", async () => {
    const reply = await post(postern.url, token, modern("is_huge"), statelessHeaders("tools/call", "is_huge"));
    expect(reply.json().result.structuredContent).toMatchObject({ error_code: "RESPONSE_TOO_LARGE", details: { limit_bytes: 65_536 } });
    expect(reply.text.length).toBeLessThan(2000);
  });
});
