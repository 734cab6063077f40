import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, type Effect, type Group } from "../../gateway/tool.ts";
import { buildSurface, chooseNames, profiles } from "../../gateway/toolset.ts";

const tool = (name: string, effect: Effect, group?: Group) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect,
    ...(group === undefined ? {} : { group }),
    input: z.strictObject({}),
    run: () => ({ ok: true, value: { kind: "content", content: [] } }),
  });
const catalogue = [
  tool("ping", "read"),
  tool("vault_read", "read"),
  tool("write_file", "write", "files.write"),
  tool("send_request", "send", "captures.send"),
];
const presentation = { serverInfo: { name: "postern", title: "Postern", version: "0" }, instructions: "", responseBytes: 65_536 };
const surface = (tools: string, more: object = {}) =>
  buildSurface(
    catalogue,
    { client: "claude", tools, readOnly: false, permissions: { "files.write": "on", "captures.send": "off" }, ...more },
    presentation,
  );

describe("a toolset spec", () => {
  const available = ["ping", "vault_list", "vault_read", "write_file", "edit_file"];
  it.each([
    ["@daily,-write_file", ["ping", "vault_list", "vault_read", "edit_file"]],
    ["vault_*", ["vault_list", "vault_read"]],
    ["*,-*_file", ["ping", "vault_list", "vault_read"]],
    ["ping, write_file", ["ping", "write_file"]],
    ["-ping,ping", ["ping"]],
    ["@nothing,vault_", []],
    ["", []],
    ["vault.read,p.ng", []],
  ])("%s chooses what it says, from left to right", (spec, expected) => {
    expect([...chooseNames(spec, available)].sort()).toEqual([...expected].sort());
  });

  it("has profiles of fixed size, @daily holding all of @read", () => {
    expect([profiles.read.length, profiles.daily.length, profiles.voice.length]).toEqual([11, 21, 9]);
    for (const name of profiles.read) expect(profiles.daily).toContain(name);
  });
});

describe("a surface", () => {
  it("lists in the order of the catalogue and names the setting that withholds the rest", () => {
    const built = surface("*");
    expect(built.listings.map(({ name }) => name)).toEqual(["ping", "vault_read", "write_file"]);
    expect(Object.fromEntries(built.withheld)).toEqual({ send_request: "clients.claude.permissions.captures.send" });
    expect(Object.fromEntries(surface("@read").withheld)).toMatchObject({ write_file: "clients.claude.tools" });
  });

  it("holds only reading tools when read_only is set, whatever else is on", () => {
    const built = surface("*", { readOnly: true });
    expect([...built.tools.keys()]).toEqual(["ping", "vault_read"]);
    expect(built.withheld.get("write_file")).toBe("clients.claude.read_only");
  });

  it("keeps a group that nobody named switched off", () => {
    expect(surface("*", { permissions: {} }).withheld.get("write_file")).toBe("clients.claude.permissions.files.write");
  });

  it("marks reading tools as such for the client", () => {
    expect(surface("*").listings.map(({ name, annotations }) => [name, annotations])).toEqual([
      ["ping", { readOnlyHint: true, openWorldHint: false }],
      ["vault_read", { readOnlyHint: true, openWorldHint: false }],
      ["write_file", { readOnlyHint: false, openWorldHint: false }],
    ]);
  });
});
