import { describe, expect, it } from "vitest";
import { describeConfig, renderDescription } from "../../../infra/config/describe.ts";
import { load, openClients, problems, whole } from "./scene.ts";

describe("a configuration", () => {
  it("is read as a whole, with relative and home paths, sizes and variables", () => {
    const loaded = load(whole);
    expect(problems(loaded)).toEqual([]);
    if (!loaded.ok) return;
    const { config } = loaded;
    expect(config).toMatchObject({
      listen: { host: "127.0.0.1", port: 8787 },
      home: "/srv/postern/.postern",
      operators: ["me@example.com"],
      limits: { bodyBytes: 2 * 1024 ** 2, responseBytes: 65_536, batch: 50, depth: 64 },
      notBuilt: [],
    });
    expect(config.vaults).toMatchObject([
      { name: "notes", repository: "/home/me/노트", unreadable: "report", branch: null },
      { name: "other", repository: "/srv/other", branch: "main", root: "docs", unreadable: "fail" },
    ]);
    const [claude, chatgpt, local] = config.clients;
    expect(claude).toMatchObject({
      vaults: ["notes", "other"],
      client: { audience: { value: "tag-of-claude" }, resources: { "mcp-claude.example.com": "https://mcp-claude.example.com/mcp" } },
    });
    expect(chatgpt).toMatchObject({ vaults: ["notes"], client: { identities: ["me@example.com"], egress: { kind: "any" } } });
    expect(local).toMatchObject({ client: { loopback: true, resources: { localhost: "http://localhost:8787/mcp" } } });
  });

  it("is not needed: without a file there is one client on this machine, with the sample vault", () => {
    const loaded = load(null);
    expect(openClients(loaded)).toEqual(["local"]);
    expect(loaded).toMatchObject({
      config: { vaults: [{ name: "sample", repository: null }], clients: [{ client: { egress: { kind: "ranges" } } }] },
    });
  });

  it.each(["", "\n", "# nothing but a comment\n", "---\n"])("that is empty (%j) is refused: it is what a broken write leaves", (text) =>
    expect(problems(load(text))).toEqual(["1  is empty; delete the file to run with the built-in default"]),
  );

  it.each([
    ["a second document", `${whole}---\nclients: {}\n`, /^\d+  begins a second document/],
    ["one key twice", `${whole}clients: {}\n`, /^\d+  holds clients twice in one place/],
    ["one key twice, deeper", whole.replace("    vendor: claude\n", "    vendor: claude\n    vendor: claude\n"), /holds vendor twice/],
  ])("with %s is refused by its line", (_what, text, message) => expect(problems(load(text))).toEqual([expect.stringMatching(message)]));

  it.each([
    ["missing", "    audience: ${CLAUDE_AUD}\n", ""],
    ["null", "${CLAUDE_AUD}", "null"],
    ["blank", "${CLAUDE_AUD}", "'  '"],
    ["a variable that does not exist", "${CLAUDE_AUD}", "${NO_SUCH}"],
  ])("revokes a client whose audience is %s, and no other", (_what, from, to) => {
    expect(openClients(load(whole.replace(from, to)))).toEqual(["chatgpt", "local"]);
  });

  it("never reads a missing variable as the word undefined", () => {
    expect(JSON.stringify(load(whole, {}))).not.toContain("undefined");
  });

  it("shows what it means without a secret", () => {
    const loaded = load(whole);
    if (!loaded.ok) throw new Error("not valid");
    const text = [...renderDescription(describeConfig(loaded.config)), JSON.stringify(describeConfig(loaded.config))].join("\n");
    expect(text).toContain("client      claude: open");
    expect(text).not.toContain("tag-of-claude");
  });
});

describe("a configuration that does not fit together", () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ["an unknown key, with the nearest name", "operators:", "operatos:", '6  has an unknown key "operatos"; did you mean "operators"?'],
    [
      "an unknown key deep inside",
      "identities:",
      "identites:",
      '25 clients.chatgpt has an unknown key "identites"; did you mean "identities"?',
    ],
    ["two clients of one host", "chat.example.com", "mcp-claude.example.com", "clients.chatgpt.host is also the host of client claude"],
    [
      "an issuer that is not there",
      "issuer: sso\n",
      "issuer: ssso\n",
      "clients.chatgpt.issuer names no entry of `issuers`; there are access, sso, local",
    ],
    [
      "a vault that is not there",
      "vaults: [notes]",
      "vaults: [nots]",
      "clients.chatgpt.vaults names vaults that are not configured; there are notes, other",
    ],
    [
      "the built-in login for a public host",
      "host: [127.0.0.1, localhost]",
      "host: [me.example.com]",
      "clients.local.issuer is the built-in server, which serves this machine only",
    ],
    [
      "this machine and a public host in one client",
      "host: [127.0.0.1, localhost]",
      "host: [127.0.0.1, me.example.com]",
      "mixes this machine with public hosts",
    ],
    [
      "the built-in login made public",
      "{ kind: embedded }",
      "{ kind: embedded, public: true }",
      "issuers.local.public cannot be true until passkey sign-in exists",
    ],
    [
      "operations on the public address",
      "operations: 127.0.0.1:8788",
      "operations: 127.0.0.1:8787",
      "operations is the address of `listen`",
    ],
    ["http beyond this machine", "https://sso.example", "http://sso.example", "issuers.sso.issuer must be an https URL"],
    ["a host with a port", "mcp-claude.example.com", "mcp-claude.example.com:443", "clients.claude.host must be a host name"],
    ["a host in capitals", "mcp-claude.example.com", "MCP-claude.example.com", "clients.claude.host must be a host name"],
    ["no operator", "[Me@Example.com]", "[]", "operators must name at least one operator"],
    ["an operator without a name", "[Me@Example.com]", "['  ']", "operators holds an empty name"],
    ["a range that is none", "160.79.104.0/21", "160.79.104.1/21", "clients.claude.egress.0 "],
    [
      "a named list, which is not built yet",
      "[160.79.104.0/21]",
      "anthropic",
      "clients.claude.egress names a published list, which is not built yet",
    ],
    ["no egress at all", "    egress: any\n", "", "clients.chatgpt.egress "],
    [
      "a remote repository, which is not built yet",
      "/srv/other",
      "github:owner/name",
      "vaults.other.repository names a remote repository, which is not built yet",
    ],
    [
      "approvals, which are not built yet",
      "    tools: '@read'",
      "    permissions: { files.write: ask }",
      "cannot be ask: approvals are not built yet",
    ],
    [
      "another database, which is not built yet",
      "listen:",
      "storage: { database: postgres://x/y }\nlisten:",
      "storage.database must be sqlite",
    ],
    ["a shared bus, which is not built yet", "listen:", "storage: { bus: redis://x }\nlisten:", "storage.bus must be memory"],
    ["`vault` beside `vaults`", "vaults:\n", "vault: { repository: /x }\nvaults:\n", "vault and `vaults` are both there"],
    ["a size out of bounds", "2MiB", "2GiB", "limits.body must be a size such as 64KiB or 1MiB"],
    ["a key twice", "operators: [Me@Example.com]\n", "operators: [a@b.example]\noperators: [c@d.example]\n", "7  "],
    ["a profile that is not there", "'@read'", "'@reed'", "clients.claude.tools holds a word (number 1) that is no profile"],
    [
      "a profile that is not built yet",
      "'@read'",
      "ping,'@minimal'".replaceAll("'", ""),
      "(number 2) that is a profile which is not built yet",
    ],
    [
      "a misspelt tool that is to be taken away",
      "'@read'",
      "'@read,-vault_reed'",
      "(number 2) that matches no tool; did you mean vault_read?",
    ],
    ["a pattern that matches nothing", "'@read'", "'vualt_*'", "clients.claude.tools holds a word (number 1) that matches no tool"],
    [
      "the built-in login on a listener beyond this machine",
      "listen: 127.0.0.1:8787",
      "listen: 0.0.0.0:8787",
      "issuers.local is the built-in server, which serves this machine only",
    ],
    ["an anchor that holds itself", "'@read'", "&a [*a]", "uses an anchor that is not there, that holds itself, or too often"],
    ["a tag", "'@read'", "!!binary cGluZw==", "carries a tag that is not understood here"],
    ["a client name in capitals", "  claude:\n", "  Claude:\n", "clients.Claude is not a good name"],
  ];
  it.each(cases)("says so and names the place: %s", (_what, from, to, expected) => {
    expect(whole).toContain(from);
    const found = problems(load(whole.replace(from, to)));
    expect(found.join("\n")).toContain(expected);
    for (const problem of found) expect(problem).not.toMatch(/^0 /);
  });

  it("reports every problem at once", () => {
    expect(problems(load(whole.replace("operators:", "operatos:").replace("2MiB", "9000GiB")))).toHaveLength(2);
  });

  it("never repeats a value, which may be a secret", () => {
    const secret = "hunter2-secret";
    for (const key of ["listen", "home", "operators", "limits", "issuers", "clients", "vaults", "storage", "proxy"]) {
      const broken = `${whole.replace(new RegExp(`^${key}:`, "m"), `x${key}:`)}\n${key}: { some: ${secret} }\n`;
      for (const problem of problems(load(broken))) expect(problem).not.toContain(secret);
    }
  });
});
