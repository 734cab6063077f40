/** The acceptance list of the wire, against the running product over real sockets. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, envelope, post, stateless, statelessCall, statelessHeaders } from "../support/rpc.ts";

let postern: Postern;
let token: string;
beforeAll(async () => {
  postern = await startPostern();
  token = await postern.token();
});
afterAll(() => postern.stop());

const request = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const initialize = (protocolVersion: string) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "probe", version: "1" } });
const modern = (method: string, params: object = {}, id: unknown = 1) => request(method, { ...params, _meta: envelope() }, id);

describe("handshake era", () => {
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    `${verifies("mcp.handshake.version-echo")}: initialize echoes %s`,
    async (version) => {
      const reply = await post(postern.url, token, initialize(version));
      expect(reply.status).toBe(200);
      expect(reply.json().result).toMatchObject({ protocolVersion: version, serverInfo: { name: "postern" }, capabilities: { tools: {} } });
    },
  );

  it(`${verifies("mcp.handshake.version-fallback")}: initialize for 2026-07-28 is answered with the newest handshake revision`, async () => {
    expect((await post(postern.url, token, initialize("2026-07-28"))).json().result.protocolVersion).toBe("2025-11-25");
  });

  const cases: [string, unknown, Record<string, string>, number, object | null][] = [
    [
      `${verifies("mcp.handshake.initialized-accepted")}: notifications/initialized`,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { "mcp-protocol-version": "2025-11-25" },
      202,
      null,
    ],
    ["tools/list", request("tools/list"), { "mcp-protocol-version": "2025-11-25" }, 200, { result: { tools: expect.any(Array) } }],
    [
      `${verifies("mcp.handshake.version-header-absent")}: tools/list without a version header`,
      request("tools/list"),
      {},
      200,
      { result: { tools: expect.any(Array) } },
    ],
    [
      "tools/call",
      call(2, "ping"),
      { "mcp-protocol-version": "2025-11-25" },
      200,
      { id: 2, result: { structuredContent: { client: "local", era: "handshake", revision: "2025-11-25" } } },
    ],
    [`${verifies("mcp.handshake.ping")}: ping`, request("ping"), {}, 200, { result: {} }],
    [
      `${verifies("mcp.handshake.version-header-unsupported")}: a revision nobody serves`,
      request("tools/list"),
      { "mcp-protocol-version": "1999-01-01" },
      400,
      { error: { code: -32000 } },
    ],
    ["server/discover without an envelope", request("server/discover"), {}, 200, { error: { code: -32601 } }],
    ["an unknown method", request("foo/bar"), {}, 200, { error: { code: -32601 } }],
    ["an unknown tool", call(1, "nope"), {}, 200, { error: { code: -32602 } }],
    [
      "arguments the tool does not have",
      call(1, "ping", { text: 5 }),
      {},
      200,
      { result: { isError: true, structuredContent: { error_code: "INVALID_ARGUMENT", field: "text" } } },
    ],
    [
      "arguments that are no object",
      request("tools/call", { name: "ping", arguments: [1] }),
      {},
      200,
      { result: { isError: true, structuredContent: { error_code: "INVALID_ARGUMENT" } } },
    ],
    ["tools/call without a name", request("tools/call", {}), {}, 200, { error: { code: -32602 } }],
    ["a posted response", { jsonrpc: "2.0", id: 3, result: {} }, {}, 202, null],
    ["an unknown session", request("tools/list"), { "mcp-session-id": "dead" }, 404, { error: { code: -32001 } }],
    [
      "initialize with a stale session",
      initialize("2025-11-25"),
      { "mcp-session-id": "dead" },
      200,
      { result: { protocolVersion: "2025-11-25" } },
    ],
    ["a cursor nobody gave out", request("tools/list", { cursor: "bogus" }), {}, 200, { error: { code: -32602 } }],
  ];
  it.each(cases)("%s", async (_name, body, headers, status, expected) => {
    const reply = await post(postern.url, token, body, headers);
    expect(reply.status).toBe(status);
    if (expected === null) expect(reply.text).toBe("");
    else expect(reply.json()).toMatchObject(expected);
  });

  it(`${verifies("mcp.2025-03-26.batch")}: answers a batch in its order, up to 50 messages`, async () => {
    const reply = await post(postern.url, token, [
      request("tools/list", undefined, 2),
      request("ping", undefined, 4),
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
    expect(reply.batch().map(({ id }) => id)).toEqual([2, 4]);
    const many = Array.from({ length: 51 }, (_, id) => request("ping", undefined, id));
    expect((await post(postern.url, token, many)).status).toBe(400);
    expect((await post(postern.url, token, many.slice(1))).json()).toHaveLength(50);
    expect((await post(postern.url, token, [{ jsonrpc: "2.0", method: "notifications/initialized" }])).status).toBe(202);
  });
});

describe("stateless era", () => {
  const ping = statelessCall(3, "ping");
  const pingHeaders = statelessHeaders("tools/call", "ping");

  it(`${verifies("mcp.2026-07-28.discover", "mcp.2026-07-28.server-info")}: server/discover names all five revisions, newest first, and may not be shared`, async () => {
    const { result } = (await post(postern.url, token, modern("server/discover"), statelessHeaders("server/discover"))).json();
    expect(result).toMatchObject({
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      resultType: "complete",
      ttlMs: 5000,
      cacheScope: "private",
    });
    expect(result).toHaveProperty(["_meta", "io.modelcontextprotocol/serverInfo", "name"], "postern");
  });

  it(`${verifies("mcp.2026-07-28.cache-hints", "mcp.2026-07-28.no-cache-hints-on-calls", "mcp.2026-07-28.result-type")}: tools/list carries cache hints, tools/call never does`, async () => {
    const list = (await post(postern.url, token, modern("tools/list"), statelessHeaders("tools/list"))).json().result;
    expect(list).toMatchObject({ resultType: "complete", ttlMs: 5000, cacheScope: "private" });
    const called = (await post(postern.url, token, ping, pingHeaders)).json().result;
    expect(called).toMatchObject({
      resultType: "complete",
      structuredContent: { client: "local", era: "stateless", revision: "2026-07-28" },
    });
    expect(called).not.toHaveProperty("ttlMs");
  });

  it.each(["application/json", "*/*", "text/html", "application/json, text/event-stream", "APPLICATION/JSON"])(
    "takes Accept %s",
    async (accept) => {
      expect((await post(postern.url, token, ping, { ...pingHeaders, accept })).json().result.structuredContent.client).toBe("local");
    },
  );

  it("answers on an event stream when nothing else is accepted", async () => {
    const reply = await post(postern.url, token, ping, { ...pingHeaders, accept: "text/event-stream" });
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      "cache-control": "no-cache, no-transform",
    });
    expect(reply.text).toMatch(/^: [^\n]*\n\nevent: message\ndata: \{"jsonrpc":"2.0","id":3,"result":.*\}\n\n$/);
  });

  const cases: [string, unknown, Record<string, string>, number, number][] = [
    [
      `${verifies("mcp.2026-07-28.version-header-required")}: no version header`,
      ping,
      { "mcp-method": "tools/call", "mcp-name": "ping" },
      400,
      -32020,
    ],
    [
      `${verifies("mcp.2026-07-28.method-header")}: no Mcp-Method`,
      ping,
      { "mcp-protocol-version": stateless, "mcp-name": "ping" },
      400,
      -32020,
    ],
    [`${verifies("mcp.2026-07-28.name-header")}: no Mcp-Name`, ping, statelessHeaders("tools/call"), 400, -32020],
    ["another Mcp-Name", ping, statelessHeaders("tools/call", "vault_read"), 400, -32020],
    [
      `${verifies("mcp.2026-07-28.header-without-envelope")}: a version header without an envelope`,
      request("tools/list", undefined, 9),
      statelessHeaders("tools/list"),
      400,
      -32602,
    ],
    [
      `${verifies("mcp.2026-07-28.unsupported-version")}: a future revision`,
      request("tools/call", { name: "ping", _meta: envelope("2099-01-01") }),
      statelessHeaders("tools/call", "ping", "2099-01-01"),
      400,
      -32022,
    ],
    [
      "a handshake revision in the envelope",
      request("tools/call", { name: "ping", _meta: envelope("2025-11-25") }),
      statelessHeaders("tools/call", "ping", "2025-11-25"),
      400,
      -32022,
    ],
    [
      `${verifies("mcp.2026-07-28.envelope-required-keys")}: no clientCapabilities`,
      request("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": stateless } }),
      statelessHeaders("tools/list"),
      400,
      -32602,
    ],
    [`${verifies("mcp.2026-07-28.unknown-method")}: an unknown method`, modern("foo/bar"), statelessHeaders("foo/bar"), 404, -32601],
    [`${verifies("mcp.2026-07-28.removed-methods")}: the removed ping`, modern("ping"), statelessHeaders("ping"), 404, -32601],
    ["initialize under an envelope", modern("initialize", { protocolVersion: "2025-11-25" }), statelessHeaders("initialize"), 404, -32601],
    ["a method named like a property of every object", modern("constructor"), statelessHeaders("constructor"), 404, -32601],
    ["an unknown tool", statelessCall(1, "zzz"), statelessHeaders("tools/call", "zzz"), 200, -32602],
    [`${verifies("mcp.parse-error")}: broken JSON`, "{oops", pingHeaders, 400, -32700],
    [`${verifies("mcp.2026-07-28.no-batch")}: a batch`, [ping], pingHeaders, 400, -32600],
    [`${verifies("mcp.2026-07-28.id-not-null")}: id null`, { ...ping, id: null }, pingHeaders, 400, -32600],
    [
      `${verifies("mcp.invalid-request")}: a posted response`,
      { jsonrpc: "2.0", id: 3, result: {} },
      { "mcp-protocol-version": stateless },
      400,
      -32600,
    ],
  ];
  it.each(cases)("%s is refused with its own code", async (_name, body, headers, status, code) => {
    const reply = await post(postern.url, token, body, headers);
    expect([reply.status, reply.json().error.code]).toEqual([status, code]);
    expect(reply.headers["content-type"]).toBe("application/json");
  });

  it("names in -32022 only what works per request", async () => {
    const reply = await post(
      postern.url,
      token,
      request("tools/list", { _meta: envelope("2099-01-01") }),
      statelessHeaders("tools/list", undefined, "2099-01-01"),
    );
    expect(reply.json().error.data).toEqual({ supported: ["2026-07-28"], requested: "2099-01-01" });
  });

  it(`${verifies("mcp.2026-07-28.name-header-base64", "mcp.2026-07-28.no-sessions")}: takes Mcp-Name in base64, and ignores session and resume headers`, async () => {
    expect((await post(postern.url, token, ping, statelessHeaders("tools/call", "=?base64?cGluZw==?="))).status).toBe(200);
    const reply = await post(postern.url, token, ping, { ...pingHeaders, "mcp-session-id": "x", "last-event-id": "4" });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("mcp-session-id");
  });

  it(`${verifies("mcp.2026-07-28.notification-accepted")}: accepts a notification with 202`, async () => {
    const reply = await post(
      postern.url,
      token,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3, _meta: envelope() } },
      statelessHeaders("notifications/cancelled"),
    );
    expect([reply.status, reply.text]).toEqual([202, ""]);
  });

  it("keeps serving initialize on the connection that was just refused", async () => {
    expect((await post(postern.url, token, modern("server/discover"))).json().error.code).toBe(-32020);
    expect((await post(postern.url, token, initialize("2025-11-25"))).status).toBe(200);
  });
});
