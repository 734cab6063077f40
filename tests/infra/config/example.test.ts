import { describe, expect, it } from "vitest";
import { load, openClients, problems } from "./scene.ts";

/** Every key of every section, as one would write them. */
const example = `
listen: 127.0.0.1:8787
operations: 127.0.0.1:8788
home: ./.postern
env_file: .env
proxy: { trusted: [127.0.0.1/32, '::1/128'], header: cf-connecting-ip }
operators: [me@example.com]
limits: { body: 1MiB, batch: 50, depth: 64, streams: 64 }
issuers:
  access: { kind: cloudflare-access, team: https://team.cloudflareaccess.com }
  sso:    { kind: oidc, issuer: https://sso.example/realms/home, scopes: [mcp] }
  local:  { kind: embedded }
clients:
  claude:
    vendor: claude
    host: mcp-claude.example.com
    issuer: access
    audience: \${CLAUDE_AUD}
    identities: [me@example.com]
    egress: anthropic
    tools: '@daily'
    read_only: false
    permissions: { files.write: ask }
    confirm: voice
    vaults: [notes]
    project: null
vaults:
  notes: { repository: ~/vault, branch: main, root: '', unreadable: fail, propose: branch, inbox: inbox/ }
roots:
  blog: { path: ~/blog, describe: Blog sources, write: [_posts, notes], extensions: [.md, .yml], hidden: [.git, node_modules], hooks: [.claude/settings.json], on_hook_error: skip, lock: true }
hooks: { global: ~/.claude/settings.json }
captures: { retention: { flows: 100000, days: 90 }, record_mcp: false, ingest: off }
console: { host: null }
storage: { database: sqlite, bus: memory }
`;
const usable = example.replace("egress: anthropic", "egress: [160.79.104.0/21]").replace("files.write: ask", "files.write: on");

describe("the full example", () => {
  it("is refused only for what is not built yet and would be weaker without", () => {
    expect(problems(load(example)).map((line) => line.replace(/^\d+ /, ""))).toEqual([
      "clients.claude.permissions.files.write cannot be ask: approvals are not built yet; choose on or off",
      "clients.claude.egress names a published list, which is not built yet; write the CIDR ranges, or any",
    ]);
  });

  it("serves without these two, and says what does nothing yet", () => {
    const loaded = load(usable);
    expect(problems(loaded)).toEqual([]);
    expect(openClients(loaded)).toEqual(["claude"]);
    const parts = loaded.ok ? loaded.config.notBuilt.map((notice) => notice.split(" ")[0]) : [];
    expect(parts).toEqual([
      "roots",
      "hooks",
      "captures",
      "console",
      "vaults.notes.propose",
      "vaults.notes.inbox",
      "clients.claude.tools",
      "clients.claude.permissions.files.write",
      "clients.claude.confirm",
    ]);
  });

  it("means the same with nothing but what is required", () => {
    const short = load(`
operators: [me@example.com]
issuers: { access: { kind: cloudflare-access, team: https://team.cloudflareaccess.com } }
clients: { claude: { host: mcp-claude.example.com, issuer: access, audience: tag, egress: any } }
`);
    expect(short).toMatchObject({
      ok: true,
      config: {
        listen: { host: "127.0.0.1", port: 8787 },
        operations: { host: "127.0.0.1", port: 8788 },
        home: "/srv/postern/.postern",
        proxy: null,
        limits: { bodyBytes: 1024 ** 2, batch: 50, depth: 64, streams: 64, responseBytes: 65_536 },
        notBuilt: [],
        vaults: [{ name: "sample" }],
        clients: [
          {
            tools: "@read",
            readOnly: false,
            vaults: ["sample"],
            client: {
              vendor: "generic",
              identities: ["me@example.com"],
              resources: { "mcp-claude.example.com": "https://mcp-claude.example.com/mcp" },
            },
            permissions: {
              "vault.capture": "on",
              "files.write": "on",
              "captures.write": "on",
              "vault.propose": "off",
              "captures.projects": "off",
              "captures.scope": "off",
              "captures.send": "off",
            },
          },
        ],
      },
    });
  });
});
