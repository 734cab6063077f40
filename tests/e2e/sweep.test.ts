/** One sweep over all tools in both eras: what every tool owes its caller. A new tool needs a row here. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errors } from "../../gateway/errors.ts";
import { verifies } from "../requirements.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, envelope, type JsonRpcReply, post, statelessCall, statelessHeaders } from "../support/rpc.ts";

/** A call that succeeds on the sample vault, and what its origin is. */
const good: Readonly<Record<string, readonly [args: Readonly<Record<string, unknown>>, origin: "postern" | "vault"]>> = {
  ping: [{}, "postern"],
  vault_list: [{}, "vault"],
  vault_search: [{ query: "표지" }, "vault"],
  vault_read: [{ paths: [] }, "vault"],
};

let postern: Postern;
let token: string;
beforeAll(async () => {
  postern = await startPostern();
  token = await postern.token();
});
afterAll(() => postern.stop());

type Ask = (name: string, args: Readonly<Record<string, unknown>>) => Promise<JsonRpcReply>;
const askOld: Ask = async (name, args) =>
  (await post(postern.url, token, call(1, name, args), { "mcp-protocol-version": "2025-11-25" })).json();
const askNew: Ask = async (name, args) =>
  (await post(postern.url, token, statelessCall(1, name, args), statelessHeaders("tools/call", name))).json();
const eras = [
  ["handshake", askOld],
  ["stateless", askNew],
] as const;

async function listed(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await post(postern.url, token, { jsonrpc: "2.0", id: 1, method: "tools/list" })).json().result.tools;
}
/** Arguments that succeed; a note to read is taken from the list. */
async function argumentsOf(name: string): Promise<Readonly<Record<string, unknown>>> {
  if (name !== "vault_read") return good[name]?.[0] ?? {};
  const { items } = (await askOld("vault_list", { limit: 1 })).result.structuredContent;
  const [first] = Array.isArray(items) ? items : [];
  return { paths: [first.path] };
}

describe("every tool", () => {
  it(`${verifies("mcp.2026-07-28.tools-order")}: has a row here, and the list is the same in both eras and in one order`, async () => {
    const names = (await listed()).map(({ name }) => String(name));
    expect(names).toEqual(Object.keys(good));
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope() } };
    expect((await post(postern.url, token, list, statelessHeaders("tools/list"))).json().result.tools).toEqual(await listed());
  });

  it("says what it does, what it takes and that it only reads", async () => {
    for (const tool of await listed()) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.stringMatching(/\.$/),
        annotations: { readOnlyHint: true, openWorldHint: false },
        inputSchema: { type: "object", additionalProperties: false },
        outputSchema: { type: "object" },
      });
      const { properties = {} } = tool["inputSchema"] as { properties?: Record<string, { description?: string }> };
      for (const [name, { description = "" }] of Object.entries(properties)) expect([tool["name"], name, description]).not.toContain("");
    }
  });

  it.each(eras)(
    `${verifies("mcp.2025-06-18.structured-content")}: in the %s era answers with its origin, as structure and equal as text`,
    async (_era, ask) => {
      for (const [name, [, origin]] of Object.entries(good)) {
        const { result } = await ask(name, await argumentsOf(name));
        expect([name, result["isError"], result.structuredContent["origin"]]).toMatchObject([name, undefined, { kind: origin }]);
        expect(result.content).toHaveLength(1);
        expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
        if (origin === "vault")
          expect(result.structuredContent["origin"]).toEqual({ kind: "vault", commit: result.structuredContent["commit"] });
      }
    },
  );

  it.each(eras)(
    `${verifies("mcp.2026-07-28.input-errors-as-result")}: in the %s era refuses unknown arguments by name, with those it accepts`,
    async (_era, ask) => {
      for (const tool of await listed()) {
        const name = String(tool["name"]);
        const { properties = {} } = tool["inputSchema"] as { properties?: object };
        const { result } = await ask(name, { ...(await argumentsOf(name)), 없는_것: 1 });
        expect(result).toMatchObject({
          isError: true,
          structuredContent: { error_code: "INVALID_ARGUMENT", field: "없는_것", retryable: false },
        });
        for (const accepted of Object.keys(properties)) expect(result.content[0]?.text).toContain(accepted);
      }
    },
  );

  it.each(eras)("in the %s era refuses arguments of the wrong type with a code of the table", async (_era, ask) => {
    for (const name of Object.keys(good)) {
      for (const args of [[], "text", 7, { query: 1, paths: 1, limit: "x", cursor: 1, prefix: 1 }]) {
        const reply = await ask(name, args as Readonly<Record<string, unknown>>);
        const { error_code: code } = reply.result.structuredContent;
        expect([name, args, Object.hasOwn(errors, String(code))]).toEqual([name, args, true]);
      }
    }
  });

  it(`${verifies("mcp.2026-07-28.unknown-tool")}: that does not exist is a protocol error in both eras`, async () => {
    for (const [, ask] of eras)
      for (const name of ["nope", "Ping", "__proto__", "constructor"]) expect((await ask(name, {})).error.code).toBe(-32602);
  });
});
