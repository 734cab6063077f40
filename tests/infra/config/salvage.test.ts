import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientsToClose } from "../../../infra/config/salvage.ts";
import { env, load, openClients, whole } from "./scene.ts";

const open = ["claude", "chatgpt", "local"];
const closedBy = (text: string | null, variables: Readonly<Record<string, string>> = env): readonly string[] =>
  clientsToClose(text, { open, areNamed: true }, (name) => variables[name] ?? "");
const broken = `${whole}nonsense: [\n`;

describe("a configuration that is broken elsewhere", () => {
  it("closes nobody whose block is whole", () => {
    expect(load(broken).ok).toBe(false);
    expect(closedBy(broken)).toEqual([]);
  });

  it.each([
    ["empty", "''"],
    ["blank", "' \t '"],
    ["null", "null"],
    ["nothing", ""],
    ["a variable that is empty", "${EMPTY}"],
    ["a variable that is missing", "${NO_SUCH}"],
    ["two empty variables", "${EMPTY}${NO_SUCH}"],
    ["a list", "[a]"],
    ["a number", "7"],
    ["an anchor that is not there", "*nowhere"],
  ])("closes a client whose audience is %s, and no other", (_what, audience) => {
    expect(closedBy(broken.replace("${CLAUDE_AUD}", audience), { ...env, EMPTY: "" })).toEqual(["claude"]);
  });

  it.each([
    ["its audience left out", "    audience: ${CLAUDE_AUD}\n", ""],
    ["an unknown key", "    vendor: claude\n", "    vender: claude\n"],
    ["a key twice", "    vendor: claude\n", "    vendor: claude\n    vendor: claude\n"],
    ["a host that is none", "mcp-claude.example.com", "MCP/claude"],
    ["its name misspelt", "  claude:\n", "  cluade:\n"],
    ["its block replaced by a text", /  claude:\n(?: {4}.*\n)+/, "  claude: off\n"],
  ])("closes a client with %s, and no other", (_what, from, to) => {
    expect(closedBy(broken.replace(from, to))).toEqual(["claude"]);
  });

  it("closes a client that stands there twice", () => {
    const [block = ""] = / {2}claude:\n(?: {4}.*\n)+/.exec(whole) ?? [];
    expect(closedBy(broken.replace(block, block + block))).toEqual(["claude"]);
  });

  it("understands an audience that is written once and named by an anchor", () => {
    const text = broken.replace("${CLAUDE_AUD}", "&tag shared").replace("https://mcp-chatgpt.example.com/mcp", "*tag");
    expect(closedBy(text)).toEqual([]);
    expect(closedBy(text.replace("&tag shared", "&tag ''"))).toEqual(["claude", "chatgpt"]);
  });

  it.each([null, "", "clients", "clients: []", "- clients", "clients: *x", `${whole}clients: {}\n`])("closes everybody by %j", (text) =>
    expect(closedBy(text)).toEqual(open),
  );
});

describe("a configuration that never named clients", () => {
  const closed = (text: string | null): readonly string[] => clientsToClose(text, { open: ["local"], areNamed: false }, () => "");

  it.each(["operatos: [me]\n", "vaults: { notes: { repository: 7 } }\n", "listen: nowhere # 오타\n"])(
    "keeps the built-in client through a slip: %j",
    (text) => {
      expect(load(text).ok).toBe(false);
      expect(closed(text)).toEqual([]);
    },
  );

  it.each([
    ["is gone", null],
    ["is empty", ""],
    ["cannot be read to its end", "operators: [me\nlisten: 127.0.0.1:8787\n"],
    ["is no block of settings", "- operators"],
    ["names clients now", "operatos: [me]\nclients:\n"],
    ["nearly names clients now", "client: { claude: {} }\n"],
    ["names issuers now", "issuers: {}\n"],
    ["may name them in a second document", "operators: [me]\n---\nclients: {}\n"],
    ["has a key that is no name", "operatos: [me]\n? [clients]\n: {}\n"],
  ])("loses it when it %s", (_what, text) => {
    expect(load(text).ok && text !== null).toBe(false);
    expect(closed(text)).toEqual(["local"]);
  });
});

describe("any text", () => {
  const pieces = whole.split(/(?<=\n)/);
  const damaged = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.shuffledSubarray(pieces).map((lines) => lines.join("")),
    fc
      .tuple(fc.nat(whole.length), fc.nat(12), fc.constantFrom("", "'", "[", "}", ":", "\t", "&a ", "*a", "!x ", "\n", "${", "가"))
      .map(([at, cut, put]) => whole.slice(0, at) + put + whole.slice(at + cut)),
  );

  it("is read or refused, never thrown, and what is refused only ever closes", () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const loaded = load(text);
        const closed = closedBy(text);
        expect(closed.every((name) => open.includes(name))).toBe(true);
        for (const { line, column } of loaded.ok ? [] : loaded.problems) expect(Math.min(line, column)).toBeGreaterThan(0);
        // Both ways of reading agree on who is revoked.
        if (loaded.ok && loaded.config.namesClients)
          expect(open.filter((name) => !closed.includes(name))).toEqual(open.filter((name) => openClients(loaded).includes(name)));
      }),
      { numRuns: 1000 },
    );
  }, 60_000);

  it.each([
    ["lists in lists", "[".repeat(100_000)],
    ["blocks in blocks", "{a: ".repeat(50_000)],
    ["an anchor that holds itself", "clients: &a { claude: *a }"],
    [
      "anchors of anchors",
      `a: &a [x, x]\n${["b", "c", "d", "e", "f", "g", "h"].map((key, at) => `${key}: &${key} [${`*${"abcdefg"[at]}, `.repeat(9)}]`).join("\n")}\n`,
    ],
  ])("that is meant to hurt is refused: %s", (_what, text) => {
    expect(load(text).ok).toBe(false);
    expect(closedBy(text)).toEqual(open);
  });
});
