/** The real app with the fixture tools, behind a loopback proxy that adds a valid bearer: the suite cannot send one. */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { startPostern } from "../support/postern.ts";
import { conformanceTools } from "./fixtures.ts";

export type ConformanceTarget = { readonly url: string; stop(): Promise<void> };

/** Half of a bearer's life. */
const renewMs = 5 * 60_000;

export async function startConformanceTarget(): Promise<ConformanceTarget> {
  const postern = await startPostern({ extraTools: conformanceTools });
  let token = await postern.token();
  const renewal = setInterval(() => void postern.token().then((fresh) => (token = fresh)), renewMs);
  // Host and Origin pass through untouched: refusing foreign ones is what one of the scenarios is about.
  const proxy = createServer((incoming, outgoing) => {
    const forward = httpRequest(
      {
        host: "127.0.0.1",
        port: postern.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, authorization: `Bearer ${token}` },
        agent: false,
      },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    forward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forward.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      clearInterval(renewal);
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await postern.stop();
    },
  };
}
