/** The commands for scripts, against the running product. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../infra/version.ts";
import { type Postern, startPostern } from "../support/postern.ts";

let postern: Postern;
beforeAll(async () => {
  postern = await startPostern();
});
afterAll(() => postern.stop());

describe("postern call", () => {
  it("runs a tool and prints its result as JSON, Korean as it is", async () => {
    const { code, out } = await postern.cli("call", "vault_search", "--json", JSON.stringify({ query: "표지" }));
    expect(code).toBe(0);
    expect(out).toContain("표지");
    expect(JSON.parse(out)).toMatchObject({ origin: { kind: "vault" }, items: expect.any(Array) });
  });

  it("ends with 1 when the tool refuses, and prints why", async () => {
    const { code, out } = await postern.cli("call", "vault_read", "--json", '{"paths":["없는.md"]}');
    expect([code, JSON.parse(out)]).toMatchObject([1, { error_code: "NOT_FOUND" }]);
    const unknown = await postern.cli("call", "없는_도구");
    expect([unknown.code, unknown.out, unknown.err]).toEqual([1, "", expect.stringMatching(/^postern: Unknown tool; /)]);
  });

  it.each([
    ["call"],
    ["call", "ping", "--json", "[]"],
    ["call", "ping", "--json", "null"],
    ["call", "ping", "--json", "{"],
    ["call", "ping", "pong"],
    ["call", "ping", "--nonsense"],
  ])("with words it does not understand says how it is used: %j %j %j %j", async (...args) => {
    const { code, out, err } = await postern.cli(...args);
    expect([code, out]).toEqual([64, ""]);
    expect(err).toMatch(/^postern: usage: postern call TOOL --json/);
  });
});

describe("postern token", () => {
  it("prints the bearer alone, so that it can stand in a header", async () => {
    expect((await postern.cli("token")).out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it("names the clients it can open when asked for another", async () => {
    const { code, err } = await postern.cli("token", "--client", "claude");
    expect([code, err]).toEqual([78, "postern: no client named claude uses the built-in authorization server"]);
  });
});

describe("without a running Postern", () => {
  it("a call says that nothing answers and how to start", async () => {
    const other = await startPostern();
    await other.stop();
    const { code, err } = await other.cli("call", "ping");
    expect([code, err]).toEqual([69, expect.stringMatching(/nothing answers at http:\/\/127\.0\.0\.1:\d+\/mcp; start Postern first/)]);
  });
});

describe("help", () => {
  it.each([[], ["help"], ["--help"], ["serve", "--help"], ["call", "-h"]])("is printed and ends with 0: %j %j", async (...args) => {
    const { code, out } = await postern.cli(...args.filter((word) => word !== undefined));
    expect(code).toBe(0);
    for (const command of ["serve", "token", "call", "config"]) expect(out).toContain(`  ${command}`);
  });

  it("names the version", async () => expect((await postern.cli("--version")).out).toBe(version));
});
