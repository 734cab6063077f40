import { describe, expect, it } from "vitest";
import { settings } from "../../../infra/config/reference.ts";
import { builtTools } from "../../../infra/config/tool-words.ts";
import { catalogue } from "../../../gateway/tools/catalogue.ts";
import type { Vault } from "../../../storage/ports.ts";
import { load, problems, whole } from "./scene.ts";

/** Keys that do what they say; those below them count with them only if they are named. */
const built: readonly string[] = [
  ..."listen operations home env_file proxy proxy.trusted proxy.header operators".split(" "),
  ..."limits limits.body limits.batch limits.depth limits.response issuers clients vault vaults storage".split(" "),
  ...["kind", "team", "issuer", "scopes", "identity_claim", "jwks"].map((key) => `issuers.<name>.${key}`),
  ...["vendor", "host", "issuer", "audience", "identities", "egress", "tools", "read_only", "permissions", "vaults", "resource"].map(
    (key) => `clients.<name>.${key}`,
  ),
  ...["repository", "branch", "root", "unreadable", "index_limit"].flatMap((key) => [`vault.${key}`, `vaults.<name>.${key}`]),
];

/** Appended, or put in place of a piece of the whole configuration. */
type Edit = string | readonly [from: string, to: string];
const inClaude = (line: string): Edit => ["    tools: '@read'", `    ${line}`];

const oneVault = (setting: string): Edit => [
  whole,
  whole.replace("    vaults: [notes]\n", "").replace(/^vaults:\n[^]*/m, `vault: { repository: ~/노트, ${setting} }\n`),
];

/** Keys of later parts, how each is configured, and what is said about it. */
const noticed: Readonly<Record<string, readonly [Edit, string]>> = {
  roots: ["roots: { blog: { path: ~/blog } }\n", "roots"],
  hooks: ["hooks: { global: ~/.claude/settings.json }\n", "hooks"],
  captures: ["captures: { record_mcp: true }\n", "captures"],
  console: ["console: { host: console.example.com }\n", "console"],
  "limits.streams": [["batch: 50", "streams: 5"], "limits.streams"],
  "clients.<name>.confirm": [inClaude("confirm: voice"), "clients.claude.confirm"],
  "clients.<name>.project": [inClaude("project: audit"), "clients.claude.project"],
  "vaults.<name>.propose": [["root: docs", "propose: branch"], "vaults.other.propose"],
  "vaults.<name>.inbox": [["root: docs", "inbox: inbox/"], "vaults.other.inbox"],
  "vault.propose": [oneVault("propose: branch"), "vault.propose"],
  "vault.inbox": [oneVault("inbox: inbox/"), "vault.inbox"],
  ...Object.fromEntries(
    settings()
      .map(({ path }) => path)
      .filter((path) => path.startsWith("clients.<name>.permissions."))
      .map((path) => {
        const group = path.slice("clients.<name>.permissions.".length);
        return [path, [inClaude(`permissions: { ${group}: on }`), `clients.claude.permissions.${group}`]] as const;
      }),
  ),
};

/** Where leaving a part out would make Postern weaker than it was told to be, the start is refused. */
const refused: Readonly<Record<string, readonly [Edit, string]>> = {
  "issuers.<name>.public": [["{ kind: embedded }", "{ kind: embedded, public: true }"], "issuers.local.public cannot be true"],
  "clients.<name>.egress.url": [
    ["egress: any", "egress: { url: https://ranges.example }"],
    "clients.chatgpt.egress names a published list",
  ],
  "clients.<name>.egress.every": [
    ["egress: any", "egress: { url: https://ranges.example, every: 1h }"],
    "clients.chatgpt.egress names a published list",
  ],
  "storage.database": ["storage: { database: postgres://x/y }\n", "storage.database must be sqlite"],
  "storage.bus": ["storage: { bus: redis://x }\n", "storage.bus must be memory"],
};

const edited = (edit: Edit): string => (typeof edit === "string" ? whole + edit : whole.replace(edit[0], edit[1]));
const notices = (text: string): readonly string[] => {
  const loaded = load(text);
  expect(problems(loaded)).toEqual([]);
  return loaded.ok ? loaded.config.notBuilt : [];
};

describe("a part that is not built yet", () => {
  it("is noticed or refused, for every key of the schema that is not built", () => {
    const covered = [...Object.keys(noticed), ...Object.keys(refused)];
    const isCovered = (path: string): boolean =>
      built.includes(path) || covered.includes(path) || Object.keys(noticed).some((part) => path.startsWith(`${part}.`));
    const all = settings().map(({ path }) => path);
    expect(all.filter((path) => !isCovered(path))).toEqual([]);
    // A key that went out of the schema goes out of these lists.
    expect([...built, ...covered].filter((path) => !all.includes(path))).toEqual([]);
    expect(built.filter((path) => covered.includes(path))).toEqual([]);
  });

  it.each(Object.entries(noticed))("is named at the start and breaks nothing: %s", (_path, [edit, part]) => {
    expect(edited(edit)).not.toBe(whole);
    expect(notices(edited(edit))).toEqual([expect.stringContaining(`${part} is configured but not built yet: `)]);
  });

  it.each(Object.entries(refused))("is refused where Postern would be weaker without it: %s", (_path, [edit, expected]) => {
    expect(problems(load(edited(edit))).join("\n")).toContain(expected);
  });

  it("is not named where nobody asked for it", () => expect(notices(whole)).toEqual([]));

  it("is named where a client asks for its tools", () => {
    const [notice = ""] = notices(edited(inClaude("tools: '@daily,-undo_change'")));
    expect(notice).toContain("clients.claude.tools is configured but not built yet: it sees the rest, without ");
    expect(notice).toContain("write_file");
    expect(notice).not.toMatch(/undo_change|vault_read/);
    expect(notices(edited(inClaude("tools: 'ping,vault_*'")))).toEqual([]);
  });

  it("is no tool of the catalogue", () => {
    const refuse = (): never => {
      throw new Error("is not called");
    };
    const vault: Vault = new Proxy({} as Vault, { get: (_target, key) => (key === "name" ? "notes" : refuse) });
    expect(catalogue({ vaults: [vault], responseBytes: 65_536 }).map(({ name }) => name)).toEqual(builtTools);
  });
});
