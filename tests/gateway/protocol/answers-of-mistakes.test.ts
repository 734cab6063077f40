import { describe, expect, it } from "vitest";
import { ping } from "../../../gateway/tools/ping.ts";
import { decodeHeaderValue, disagreement } from "../../../gateway/protocol/headers.ts";
import { verifies } from "../../requirements.ts";
import { codes } from "../../../gateway/protocol/messages.ts";
import { classify } from "../../../gateway/protocol/envelope.ts";
import { envelope, stateless } from "../../support/rpc.ts";

const headers = (values: Readonly<Record<string, string>>) => (name: string) => values[name] ?? null;
const context = {
  client: "a",
  subject: "b",
  era: "handshake",
  revision: "2025-11-25",
  signal: () => new AbortController().signal,
  progress: () => undefined,
} as const;

describe("unknown arguments", () => {
  it("are named, at most eight of them and at most 64 characters each, however many were sent", async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name_${index}`, 1]));
    for (const args of [many, { ["x".repeat(500_000)]: 1 }, { a: 1 }]) {
      const outcome = await ping.call(args, context);
      expect(outcome.ok).toBe(false);
      expect(JSON.stringify(outcome).length).toBeLessThan(1000);
    }
    expect(await ping.call(many, context)).toMatchObject({
      fault: { message: expect.stringMatching(/"name_7" and 19992 more\. This tool takes no arguments\.$/) },
    });
  });
});

describe("a name in a header", () => {
  it("is compared byte for byte: a byte order mark in base64 is part of it", () => {
    const marked = `=?base64?${Buffer.from("\ufeffping").toString("base64")}?=`;
    expect(decodeHeaderValue(marked)).toBe("\ufeffping");
    const header = headers({ "mcp-method": "tools/call", "mcp-name": marked });
    expect(disagreement("tools/call", { name: "ping" }, header)).toMatchObject({ code: -32020 });
  });

  it("is not accepted where the body names nothing", () => {
    expect(disagreement("tools/call", {}, headers({ "mcp-method": "tools/call", "mcp-name": "ping" }))).toMatchObject({ code: -32020 });
    expect(disagreement("tools/call", {}, headers({ "mcp-method": "tools/call" }))).toBeNull();
  });

  it.each(["constructor", "__proto__", "toString"])("is not asked for by a method named %s", (method) =>
    expect(disagreement(method, { name: "x" }, headers({ "mcp-method": method }))).toBeNull(),
  );
});

describe("a version header that nobody serves", () => {
  it("refuses a batch like anything else", () => {
    const batch = [{ jsonrpc: "2.0", id: 1, method: "ping" }];
    expect(classify(batch, headers({ "mcp-protocol-version": "1999-01-01" }), 50)).toMatchObject({
      kind: "rejected",
      status: 400,
      error: { code: -32000 },
    });
  });
});

describe("a stateless notification", () => {
  it("may come without headers and may not come with false ones", () => {
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: envelope() } };
    expect(classify(note, headers({}), 50)).toMatchObject({ kind: "notification", era: "stateless" });
    expect(classify(note, headers({ "mcp-protocol-version": stateless, "mcp-method": "tools/call" }), 50)).toMatchObject({
      kind: "rejected",
      error: { code: -32020 },
    });
  });
});

it(`${verifies("mcp.2026-07-28.removed-codes")}: no error is sent under a code that the newest revision took back`, () => {
  for (const code of [-32002, -32042]) expect(Object.values<number>(codes)).not.toContain(code);
});
