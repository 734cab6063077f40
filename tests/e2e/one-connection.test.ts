/** What stays true over the life of a connection and of a process. */
import { Agent, request as httpRequest } from "node:http";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startDriver } from "../bench/load/start-driver.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { startProcess, type PosternProcess } from "../support/process.ts";
import { envelope, post, statelessHeaders } from "../support/rpc.ts";

let postern: Postern | null = null;
let child: PosternProcess | null = null;
afterEach(async () => {
  await postern?.stop();
  await child?.clean();
  [postern, child] = [null, null];
});

/** A POST over the agent's one connection; answers status, body and the connection's local port. */
function over(agent: Agent, url: string, token: string, body: unknown): Promise<readonly [status: number, answer: unknown, port: number]> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      { method: "POST", agent, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } },
      (incoming) => {
        const port = incoming.socket.localPort ?? 0;
        let text = "";
        incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
        incoming.on("end", () => resolve([incoming.statusCode ?? 0, JSON.parse(text), port]));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

describe("one connection", () => {
  it("serves initialize right after a server/discover that it refused for its headers", async () => {
    postern = await startPostern();
    const token = await postern.token();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const discover = { jsonrpc: "2.0", id: "탐색", method: "server/discover", params: { _meta: envelope() } };
    const initialize = {
      jsonrpc: "2.0",
      id: 2,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } },
    };
    const [refused, answered] = [await over(agent, postern.url, token, discover), await over(agent, postern.url, token, initialize)];
    agent.destroy();
    expect(refused.slice(0, 2)).toMatchObject([400, { id: "탐색", error: { code: -32020 } }]);
    expect(answered.slice(0, 2)).toMatchObject([200, { id: 2, result: { protocolVersion: "2025-11-25" } }]);
    expect(answered[2]).toBe(refused[2]);
  });
});

describe("keys of a message", () => {
  it.each([
    '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"ping"}}',
    '{"jsonrpc":"2.0","id":1,"METHOD":"ping"}',
    '{"JSONRPC":"2.0","id":1,"method":"ping"}',
  ])("are read letter for letter: %s is no message", async (body) => {
    postern = await startPostern();
    const reply = await post(postern.url, await postern.token(), body);
    expect([reply.status, reply.json().error.code]).toEqual([400, -32600]);
  });

  it("that only look like others when folded are other keys", async () => {
    postern = await startPostern();
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\\u017f":{"name":"ping"},"params":{"\\u212aey":1}}';
    expect((await post(postern.url, await postern.token(), body)).json().error.code).toBe(-32602);
  });
});

describe("without a token", () => {
  it.each<Readonly<Record<string, string>>>([
    {},
    { CONTAINER: "docker" },
    { DOCKER: "1", NODE_ENV: "development" },
    { POSTERN_AUTH: "off", MCP_AUTH_DISABLED: "1" },
  ])("nothing is served, whatever the environment: %j", async (env) => {
    postern = await startPostern({ env });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope() } };
    expect((await post(postern.url, null, list, statelessHeaders("tools/list"))).status).toBe(401);
    expect((await post(postern.url, "", list, statelessHeaders("tools/list"))).status).toBe(401);
  });
});

/** Linux: resident memory of a process in megabytes, the least of a few readings. */
async function restingMb(pid: number): Promise<number> {
  const readings: number[] = [];
  for (let reading = 0; reading < 3; reading += 1) {
    await sleep(300);
    readings.push(Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000);
  }
  return Math.min(...readings);
}

describe("thirty thousand calls", () => {
  it("in one process leave its memory where ten thousand had it", async () => {
    child = await startProcess();
    await child.ready;
    const token = await child.token();
    const url = `http://127.0.0.1:${child.port}/mcp`;
    const driver = startDriver();
    const pid = child.child.pid ?? 0;
    try {
      const drive = async (calls: number): Promise<void> => {
        for (const era of ["handshake", "stateless"] as const)
          await driver.drive({ url, bearer: token, era, connections: 32, calls: calls / 2 });
      };
      await drive(10_000);
      const early = await restingMb(pid);
      await drive(20_000);
      // A leak of one kilobyte a call would be twenty megabytes.
      expect((await restingMb(pid)) - early).toBeLessThan(16);
    } finally {
      await driver.stop();
    }
  });
});
