/** Input that is broken, deep, huge, endless or ambiguous, over real sockets; the process serves on afterwards. */
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, post, statelessCall, statelessHeaders } from "../support/rpc.ts";

const mebibyte = 1024 * 1024;

let postern: Postern;
let token: string;
beforeAll(async () => {
  postern = await startPostern();
  token = await postern.token();
});
afterAll(() => postern.stop());
afterEach(async () => {
  const { result } = (await post(postern.url, token, call(1, "ping"))).json();
  expect(result.structuredContent.client).toBe("local");
});

const json = (): Record<string, string> => ({ "content-type": "application/json", authorization: `Bearer ${token}` });

describe("a body that is no message", () => {
  const cases: [string, string, number, number][] = [
    ["empty", "", 400, -32700],
    ["cut off", '{"jsonrpc":', 400, -32700],
    ["null", "null", 400, -32600],
    ["a number", "1", 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["100,000 levels deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(1e5)}1${"}".repeat(1e5)}}`, 400, -32600],
    [
      "65 levels deep in an array",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(65)}${"]".repeat(65)}}}`,
      400,
      -32600,
    ],
    ["with a method named twice", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', 400, -32600],
    ["with a method in other letters", '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"ping"}}', 400, -32600],
    ["with params that are a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
    ["with a numeric method", '{"jsonrpc":"2.0","id":1,"method":1}', 400, -32600],
  ];
  it.each(cases)("%s is refused", async (_what, body, status, code) => {
    const reply = await post(postern.url, token, body);
    expect([reply.status, reply.json().error.code]).toEqual([status, code]);
  });

  it("with bytes that are not UTF-8 is refused, not repaired", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault_search","arguments":{"query":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}}}'),
    ]);
    const reply = await post(postern.url, token, bytes);
    expect([reply.status, reply.json().error.code]).toEqual([400, -32700]);
  });

  it("cannot reach a prototype through its arguments", async () => {
    const body = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ping","arguments":{"__proto__":{"x":1}}}}';
    expect((await post(postern.url, token, body)).json().result.structuredContent).toMatchObject({ error_code: "INVALID_ARGUMENT" });
    expect(
      (await post(postern.url, token, '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"__proto__"}}')).json().error.code,
    ).toBe(-32602);
  });
});

describe("a body over the limit", () => {
  const padded = (bytes: number): string => {
    const text = JSON.stringify({ ...statelessCall(1, "ping"), pad: "" });
    return text.replace('"pad":""', `"pad":"${"x".repeat(bytes - text.length)}"`);
  };

  it("is taken at the limit and refused one byte over it, naming the limit", async () => {
    expect((await post(postern.url, token, padded(mebibyte), statelessHeaders("tools/call", "ping"))).status).toBe(200);
    const over = await post(postern.url, token, padded(mebibyte + 1), statelessHeaders("tools/call", "ping"));
    expect([over.status, over.headers["content-type"]]).toEqual([413, "application/json"]);
    expect(over.json().error.message).toContain(String(mebibyte));
  });

  it("can be read as 413 by a client that sends twelve megabytes, whose next request succeeds", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const exchange = (body: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const outgoing = httpRequest(
          postern.url,
          { method: "POST", agent, headers: { ...json(), "content-length": String(Buffer.byteLength(body)) } },
          (incoming) => {
            incoming.resume();
            incoming.on("end", () => resolve(incoming.statusCode ?? 0));
            incoming.on("error", () => resolve(incoming.statusCode ?? 0));
          },
        );
        outgoing.on("error", (error) => (outgoing.reusedSocket ? resolve(-1) : reject(error)));
        outgoing.end(body);
      });
    expect(await exchange(padded(12 * mebibyte))).toBe(413);
    let next = await exchange(JSON.stringify(call(1, "ping")));
    if (next === -1) next = await exchange(JSON.stringify(call(1, "ping")));
    expect(next).toBe(200);
    agent.destroy();
  });

  it("without a length is cut off while it is still being sent", async () => {
    const { status, sent } = await new Promise<{ status: string; sent: number }>((resolve, reject) => {
      const { hostname, port } = new URL(postern.url);
      const socket = connect(Number(port), hostname);
      let bytes = 0;
      let head = "";
      const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
      const pump = (): void => {
        while (!socket.destroyed && bytes < 64 * mebibyte && socket.write(chunk)) bytes += 0x10000;
      };
      socket.on("drain", pump);
      socket.on("data", (data) => {
        head += data.toString("latin1");
        if (!head.includes("\r\n\r\n")) return;
        socket.destroy();
        resolve({ status: head.split("\r\n")[0] ?? "", sent: bytes });
      });
      socket.on("error", reject);
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      pump();
    });
    expect(status).toContain("413");
    expect(sent).toBeLessThan(64 * mebibyte);
  });

  it("in chunks under the limit is served like any other", async () => {
    const reply = await new Promise<string>((resolve, reject) => {
      const outgoing = httpRequest(postern.url, { method: "POST", headers: { ...json(), "transfer-encoding": "chunked" } }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
        incoming.on("end", () => resolve(text));
      });
      outgoing.on("error", reject);
      const body = JSON.stringify(call(1, "ping"));
      outgoing.write(body.slice(0, 20));
      setTimeout(() => outgoing.end(body.slice(20)), 20);
    });
    expect(JSON.parse(reply).result.structuredContent.client).toBe("local");
  });
});

/** Sends bytes as they are; answers the first line of what comes back. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(postern.url);
    const socket = connect(Number(port), hostname);
    let text = "";
    const settle = (): void => {
      socket.destroy();
      resolve(text.split("\r\n")[0] ?? "");
    };
    socket.on("error", settle);
    socket.on("close", settle);
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (text.includes("\r\n")) settle();
    });
    socket.write(bytes);
  });
}

describe("bytes that are no HTTP request", () => {
  const host = "Host: 127.0.0.1\r\n";
  it.each([
    ["a length and chunks at once", `POST /mcp HTTP/1.1\r\n${host}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, "400"],
    ["two lengths", `POST /mcp HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`, "400"],
    ["lines without carriage return", "POST /mcp HTTP/1.1\nHost: 127.0.0.1\n\n", "400"],
    ["a NUL in the target", `GET /\0mcp HTTP/1.1\r\n${host}\r\n`, "400"],
    ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"],
    ["headers without end", `GET /mcp HTTP/1.1\r\n${host}X-A: ${"a".repeat(100_000)}\r\n\r\n`, "431"],
    ["no host", "GET /mcp HTTP/1.1\r\n\r\n", "400"],
    ["no path", `OPTIONS * HTTP/1.1\r\n${host}\r\n`, "400"],
  ])("%s are refused, and the log says so", async (_what, bytes, status) => {
    expect(await raw(bytes)).toContain(` ${status} `);
    const reasons = (await postern.logs()).filter(({ event }) => event === "refused").map(({ reason }) => reason);
    expect(reasons.some((reason) => reason === "malformed_http" || reason === "malformed_request" || reason === "unknown_host")).toBe(true);
  });
});

describe("before the gate has admitted", () => {
  it("not one body byte is read: an unauthenticated endless body is answered at once", async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(postern.url);
      const socket = connect(Number(port), hostname);
      socket.on("error", reject);
      socket.on("data", (data) => {
        socket.destroy();
        resolve(data.toString("latin1").split("\r\n")[0] ?? "");
      });
      socket.write(`POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`);
    });
    expect(status).toContain("401");
  });
});
