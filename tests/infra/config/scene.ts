/** A configuration to change one thing in, and how tests read it. */
import type { Loaded } from "../../../infra/config/config.ts";
import { loadConfig } from "../../../infra/config/load.ts";

/** Every section of the schema that is built, three clients of three issuer kinds. */
export const whole = `# 문지기
listen: 127.0.0.1:8787
operations: 127.0.0.1:8788
home: ./.postern
proxy: { trusted: [127.0.0.1/32, '::1/128'], header: cf-connecting-ip }
operators: [Me@Example.com]
limits: { body: 2MiB, batch: 50, depth: 64, response: 65536 }
issuers:
  access: { kind: cloudflare-access, team: https://team.cloudflareaccess.com }
  sso: { kind: oidc, issuer: https://sso.example/realms/home, scopes: [mcp] }
  local: { kind: embedded }
clients:
  claude:
    vendor: claude
    host: mcp-claude.example.com
    issuer: access
    audience: \${CLAUDE_AUD}
    egress: [160.79.104.0/21]
    tools: '@read'
  chatgpt:
    vendor: chatgpt
    host: [mcp-chatgpt.example.com, chat.example.com]
    issuer: sso
    audience: https://mcp-chatgpt.example.com/mcp
    identities: [me@example.com]
    egress: any
    vaults: [notes]
  local:
    host: [127.0.0.1, localhost]
    issuer: local
    audience: http://127.0.0.1:8787/mcp
    egress: [127.0.0.0/8]
vaults:
  notes: { repository: ~/노트, unreadable: report }
  other: { repository: /srv/other, branch: main, root: docs }
`;

export const env: Readonly<Record<string, string>> = { CLAUDE_AUD: "tag-of-claude" };

export function load(text: string | null, more: Readonly<Record<string, string>> = env): Loaded {
  return loadConfig(text, { lookUp: (name) => more[name] ?? "", folder: "/srv/postern", userHome: "/home/me" });
}

/** One line a problem, as `postern.yaml:LINE path message`. */
export function problems(loaded: Loaded): readonly string[] {
  return loaded.ok ? [] : loaded.problems.map(({ line, path, message }) => `${line} ${path} ${message}`);
}

/** Names of the clients that a configuration lets in. */
export function openClients(loaded: Loaded): readonly string[] {
  if (!loaded.ok) return [];
  return loaded.config.clients.filter(({ client }) => client.audience.kind === "aud").map(({ client }) => client.name);
}
