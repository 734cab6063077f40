import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../requirements.ts";
import { classify } from "../../../gateway/protocol/envelope.ts";
import { decodeHeaderValue } from "../../../gateway/protocol/headers.ts";
import { handshakeRevisions } from "../../../gateway/protocol/revisions.ts";

type Headers = Readonly<Record<string, string>>;
const run = (body: unknown, headers: Headers = {}, maxBatch = 50) => classify(body, (name) => headers[name] ?? null, maxBatch);

const prefix = "io.modelcontextprotocol/";
const meta = (version: unknown = "2026-07-28", more: object = {}) => ({
  [`${prefix}protocolVersion`]: version,
  [`${prefix}clientCapabilities`]: {},
  ...more,
});
const request = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const stateless = (method: string, name?: string, version = "2026-07-28"): Headers => ({
  "mcp-protocol-version": version,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});
const callBody = request("tools/call", { name: "ping", arguments: {}, _meta: meta() });

const rejection = (classified: ReturnType<typeof classify>) =>
  classified.kind === "rejected" ? [classified.status, classified.error.code, classified.id] : classified.kind;

describe("era of a message", () => {
  it("is stateless when the body says so, whatever the method", () => {
    const classified = run(callBody, stateless("tools/call", "ping"));
    expect(classified).toMatchObject({ kind: "call", call: { era: "stateless", revision: "2026-07-28", id: 1, method: "tools/call" } });
    expect(run(request("initialize", { _meta: meta() }), stateless("initialize"))).toMatchObject({
      kind: "call",
      call: { era: "stateless" },
    });
  });

  it("is handshake without a claim, with the revision of the header or 2025-03-26", () => {
    expect(run(request("tools/list"))).toMatchObject({ kind: "call", call: { era: "handshake", revision: "2025-03-26" } });
    for (const revision of handshakeRevisions) {
      expect(run(request("tools/list"), { "mcp-protocol-version": revision })).toMatchObject({
        kind: "call",
        call: { era: "handshake", revision },
      });
    }
  });

  it("echoes every handshake revision that initialize asks for and answers others with the newest", () => {
    const asked = (protocolVersion: unknown) => run(request("initialize", { protocolVersion, capabilities: {}, clientInfo: {} }));
    for (const revision of handshakeRevisions) expect(asked(revision)).toMatchObject({ call: { revision } });
    for (const other of ["2026-07-28", "1999-01-01", "", 7, undefined])
      expect(asked(other)).toMatchObject({ call: { revision: "2025-11-25" } });
  });

  it(`${verifies("mcp.era.by-body")}: is never promoted by a header alone`, () => {
    expect(rejection(run(request("tools/list"), stateless("tools/list")))).toEqual([400, -32602, 1]);
    expect(rejection(run(request("tools/list"), stateless("tools/list", undefined, "2099-01-01")))).toEqual([400, -32602, 1]);
  });

  it("takes server/discover without a claim for a handshake call, which then does not exist", () => {
    expect(run(request("server/discover"))).toMatchObject({ kind: "call", call: { era: "handshake" } });
  });
});

describe("a stateless request", () => {
  const cases: [string, object, Headers, unknown[]][] = [
    [
      "names a revision that does not exist",
      request("tools/list", { _meta: meta("2099-01-01") }),
      stateless("tools/list", undefined, "2099-01-01"),
      [400, -32022, 1],
    ],
    [
      "names a handshake revision",
      request("tools/list", { _meta: meta("2025-11-25") }),
      stateless("tools/list", undefined, "2025-11-25"),
      [400, -32022, 1],
    ],
    ["has no version header", callBody, { "mcp-method": "tools/call", "mcp-name": "ping" }, [400, -32020, 1]],
    [
      `${verifies("mcp.2026-07-28.header-mismatch")}: has another version in the header`,
      callBody,
      stateless("tools/call", "ping", "2025-11-25"),
      [400, -32020, 1],
    ],
    ["has no Mcp-Method", callBody, { "mcp-protocol-version": "2026-07-28", "mcp-name": "ping" }, [400, -32020, 1]],
    ["has another Mcp-Method", callBody, stateless("tools/list", "ping"), [400, -32020, 1]],
    ["has an Mcp-Method in other letters", callBody, stateless("Tools/Call", "ping"), [400, -32020, 1]],
    ["has no Mcp-Name", callBody, stateless("tools/call"), [400, -32020, 1]],
    ["has another Mcp-Name", callBody, stateless("tools/call", "vault_read"), [400, -32020, 1]],
    ["has an Mcp-Name that is no base64", callBody, stateless("tools/call", "=?base64?p*ng?="), [400, -32020, 1]],
    ["has an Mcp-Name beyond ASCII", callBody, stateless("tools/call", "píng"), [400, -32020, 1]],
    [
      "lacks clientCapabilities",
      request("tools/list", { _meta: { [`${prefix}protocolVersion`]: "2026-07-28" } }),
      stateless("tools/list"),
      [400, -32602, 1],
    ],
    [
      "has clientCapabilities that are no object",
      request("tools/list", { _meta: meta("2026-07-28", { [`${prefix}clientCapabilities`]: [] }) }),
      stateless("tools/list"),
      [400, -32602, 1],
    ],
    ["has a version that is no text", request("tools/list", { _meta: meta(20260728) }), stateless("tools/list"), [400, -32602, 1]],
    ["has id null", { ...callBody, id: null }, stateless("tools/call", "ping"), [400, -32600, null]],
    ["has a fractional id", { ...callBody, id: 1.5 }, stateless("tools/call", "ping"), [400, -32600, null]],
    ["has an id too large to echo", { ...callBody, id: 2 ** 53 }, stateless("tools/call", "ping"), [400, -32600, null]],
  ];
  it.each(cases)("is refused when it %s", (_what, body, headers, expected) => {
    expect(rejection(run(body, headers))).toEqual(expected);
  });

  it("may spell Mcp-Name in base64", () => {
    expect(run(callBody, stateless("tools/call", "=?base64?cGluZw==?="))).toMatchObject({ kind: "call" });
  });

  it("names in the error what is missing and what would be served", () => {
    expect(run(request("x", {}), stateless("x"))).toMatchObject({
      error: { data: { missing: [`${prefix}protocolVersion`, `${prefix}clientCapabilities`] } },
    });
    expect(run(request("x", { _meta: meta("2099-01-01") }), stateless("x", undefined, "2099-01-01"))).toMatchObject({
      error: { data: { supported: ["2026-07-28"], requested: "2099-01-01" } },
    });
  });

  it("needs no clientInfo and takes any", () => {
    for (const info of [undefined, {}, { name: "x", version: "1" }]) {
      expect(
        run(request("tools/list", { _meta: meta("2026-07-28", { [`${prefix}clientInfo`]: info }) }), stateless("tools/list")),
      ).toMatchObject({ kind: "call" });
    }
  });

  it("ignores session and resume headers", () => {
    expect(run(callBody, { ...stateless("tools/call", "ping"), "mcp-session-id": "x", "last-event-id": "4" })).toMatchObject({
      kind: "call",
    });
  });
});

describe("a handshake message", () => {
  it("is refused with 400 under a revision nobody serves", () => {
    expect(rejection(run(request("tools/list"), { "mcp-protocol-version": "1999-01-01" }))).toEqual([400, -32000, 1]);
    expect(rejection(run({ jsonrpc: "2.0", method: "notifications/initialized" }, { "mcp-protocol-version": "1999-01-01" }))).toEqual([
      400,
      -32000,
      null,
    ]);
  });

  it("may be initialize under any handshake-looking version header", () => {
    expect(run(request("initialize", { protocolVersion: "2025-06-18" }), { "mcp-protocol-version": "1999-01-01" })).toMatchObject({
      call: { revision: "2025-06-18" },
    });
  });

  it("may be a response, which only this era has", () => {
    expect(run({ jsonrpc: "2.0", id: 3, result: {} }).kind).toBe("response");
    expect(run({ jsonrpc: "2.0", id: 3, error: { code: 1, message: "" } }).kind).toBe("response");
    expect(rejection(run({ jsonrpc: "2.0", id: 3, result: {} }, { "mcp-protocol-version": "2026-07-28" }))).toEqual([400, -32600, null]);
    expect(rejection(run({ jsonrpc: "2.0", id: 3, result: {}, error: {} }))).toEqual([400, -32600, 3]);
  });

  it.each([
    null,
    1,
    "x",
    [],
    [1],
    {},
    { jsonrpc: "1.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: 1, method: 1 },
    { jsonrpc: "2.0", id: 1, method: "ping", params: [] },
    { jsonrpc: "2.0", id: 1, Method: "ping" },
  ])("is refused when it is no JSON-RPC message: %j", (body) => {
    expect(rejection(run(body))).toEqual(
      [400, -32600, expect.anything() as unknown]
        .slice(0, 2)
        .concat([
          (body as { id?: number } | null)?.id !== undefined && !Array.isArray(body) && (body as { jsonrpc?: string }).jsonrpc === "2.0"
            ? 1
            : null,
        ]),
    );
  });
});

describe("a batch", () => {
  const two = [request("tools/list", undefined, 1), request("ping", undefined, 2)];

  it(`${verifies("mcp.2025-06-18.no-batch")}: is taken up to 2025-03-26 and refused from 2025-06-18 on`, () => {
    expect(run(two)).toMatchObject({ kind: "batch", items: [{ kind: "call" }, { kind: "call" }] });
    expect(run(two, { "mcp-protocol-version": "2024-11-05" }).kind).toBe("batch");
    for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
      expect(rejection(run(two, { "mcp-protocol-version": version }))).toEqual([400, -32600, null]);
  });

  it(`${verifies("mcp.2025-03-26.no-initialize-in-batch")}: is bounded, never empty, and never holds initialize or a stateless request`, () => {
    expect(run(two, {}, 2).kind).toBe("batch");
    expect(rejection(run(two, {}, 1))).toEqual([400, -32600, null]);
    expect(rejection(run([]))).toEqual([400, -32600, null]);
    expect(rejection(run([callBody]))).toEqual([400, -32600, null]);
    expect(run([request("initialize", { protocolVersion: "2025-03-26" }, 9)])).toMatchObject({
      kind: "batch",
      items: [{ kind: "rejected", id: 9 }],
    });
  });
});

describe("properties of the classifier", () => {
  const anyHeaders = fc.dictionary(
    fc.constantFrom("mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"),
    fc.oneof(fc.string(), fc.constantFrom("2026-07-28", "2025-11-25", "tools/call")),
  );
  const anyMessage = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        jsonrpc: fc.constantFrom("2.0", "1.0"),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
        method: fc.constantFrom("tools/call", "ping", "initialize"),
        params: fc.oneof(fc.constant({ _meta: meta() }), fc.object()),
      },
      { requiredKeys: [] },
    ),
  );

  it("never throws, and refuses with a 4xx and a JSON-RPC error", () => {
    fc.assert(
      fc.property(anyMessage, anyHeaders, (body, headers) => {
        const classified = run(body, headers);
        if (classified.kind === "rejected") {
          expect(classified.status).toBe(400);
          expect(classified.error.code).toBeLessThan(0);
        }
      }),
    );
  });

  it("lets a stateless call through only when headers and body agree", () => {
    fc.assert(
      fc.property(fc.constantFrom("tools/call", "tools/list"), fc.string(), anyHeaders, (method, name, headers) => {
        const classified = run(request(method, { name, _meta: meta() }), headers);
        if (classified.kind !== "call") return;
        expect(headers["mcp-protocol-version"]).toBe("2026-07-28");
        expect(headers["mcp-method"]).toBe(method);
        if (method === "tools/call") expect(decodeHeaderValue(headers["mcp-name"] ?? "")).toBe(name);
      }),
    );
  });

  it("reads back any text put into a base64 header value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeHeaderValue(`=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`)).toBe(text);
      }),
    );
  });
});
