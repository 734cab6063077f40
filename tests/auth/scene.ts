/** Three clients, one of each issuer kind, behind one gate with a clock that stands still; tokens are really signed. */
import { hash } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import type { Client, Issuer } from "../../auth/client.ts";
import { parseRanges, type Ranges } from "../../auth/egress.ts";
import {
  createGate,
  type Admission,
  type Door,
  type GateRequest,
  type Preflight,
  prepareGateState,
  type Refusal,
} from "../../auth/gate.ts";
import { createKeys, type Keys, type LoadedKeys } from "../../auth/keys.ts";

export const startMs = Date.UTC(2026, 10, 30, 12, 0, 0);
export const startSeconds = startMs / 1000;

export function ranges(...texts: readonly string[]): Ranges {
  const parsed = parseRanges(texts);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

/** Cloudflare's audience tags look like this. */
export const accessTag = "4f".repeat(32);
const team = "https://team.cloudflareaccess.com";

export const claude: Client = {
  name: "claude",
  vendor: "claude",
  hosts: ["mcp-claude.example.com"],
  issuer: { kind: "cloudflare-access", name: "access", issuer: team },
  audience: { kind: "aud", value: accessTag },
  identities: ["me@example.com"],
  egress: { kind: "ranges", ranges: ranges("160.79.104.0/21") },
  resources: { "mcp-claude.example.com": "https://mcp-claude.example.com/mcp" },
  loopback: false,
};
export const chatgpt: Client = {
  name: "chatgpt",
  vendor: "chatgpt",
  hosts: ["mcp-chatgpt.example.com"],
  issuer: { kind: "oidc", name: "sso", issuer: "https://sso.example/realms/home", scopes: ["mcp", "notes"], identityClaim: "email" },
  audience: { kind: "aud", value: "https://mcp-chatgpt.example.com/mcp" },
  identities: ["me@example.com", "you@example.com"],
  egress: { kind: "ranges", ranges: ranges("203.0.113.0/25", "2001:db8:aa::/48") },
  resources: { "mcp-chatgpt.example.com": "https://mcp-chatgpt.example.com/mcp" },
  loopback: false,
};
export const local: Client = {
  name: "local",
  vendor: "generic",
  hosts: ["127.0.0.1", "localhost", "[::1]"],
  issuer: { kind: "embedded", name: "local", issuer: "http://127.0.0.1:8787" },
  audience: { kind: "aud", value: "http://127.0.0.1:8787/mcp" },
  identities: ["me@example.com"],
  egress: { kind: "ranges", ranges: ranges("127.0.0.0/8", "::1/128") },
  resources: {
    "127.0.0.1": "http://127.0.0.1:8787/mcp",
    localhost: "http://localhost:8787/mcp",
    "[::1]": "http://[::1]:8787/mcp",
  },
  loopback: true,
};
export const clients: readonly Client[] = [claude, chatgpt, local];

/** An address of each client's cloud. */
export const insideOf: Readonly<Record<string, string>> = { claude: "160.79.104.10", chatgpt: "203.0.113.7", local: "127.0.0.1" };

export type Signer = { readonly alg: string; readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK };

export async function newSigner(
  alg: string,
  kid: string,
  options: { readonly crv?: string; readonly modulusLength?: number } = {},
): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

const signers = {
  "cloudflare-access": await newSigner("RS256", "team-1"),
  oidc: await newSigner("ES256", "sso-1"),
  embedded: await newSigner("ES256", "own-1"),
} as const;

export function signerOf(issuer: Issuer): Signer {
  return signers[issuer.kind];
}

/** What a good token of the client says. */
export function goodClaims({ issuer, audience }: Client): JWTPayload {
  const aud = audience.kind === "aud" ? audience.value : "";
  const times = { iss: issuer.issuer, iat: startSeconds - 60, exp: startSeconds + 600 };
  switch (issuer.kind) {
    case "cloudflare-access":
      return {
        ...times,
        nbf: startSeconds - 60,
        aud: [aud],
        email: "me@example.com",
        type: "app",
        sub: "a1b2",
        identity_nonce: "n",
        country: "KR",
      };
    case "oidc":
      return { ...times, aud, email: "me@example.com", sub: "c3d4", scope: "openid mcp notes", typ: "Bearer" };
    case "embedded":
      return { ...times, aud, sub: "me@example.com", scope: "mcp", client_id: "postern" };
  }
}

export type TokenChanges = {
  /** `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly signer?: Signer;
};

const typOf: Readonly<Record<Issuer["kind"], string>> = { "cloudflare-access": "JWT", oidc: "JWT", embedded: "at+jwt" };

/** A good token for the client, but for the changes. */
export async function tokenFor(
  client: Client,
  { claims = {}, header = {}, signer = signerOf(client.issuer) }: TokenChanges = {},
): Promise<string> {
  const payload = withoutUndefined({ ...goodClaims(client), ...claims });
  const protectedHeader = withoutUndefined({ alg: signer.alg, kid: signer.kid, typ: typOf[client.issuer.kind], ...header });
  return new SignJWT(payload).setProtectedHeader({ alg: signer.alg, ...protectedHeader }).sign(signer.privateKey);
}

/** A header and claims without any signature worth the name. */
export function unsigned(header: unknown, claims: unknown, signature = ""): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part(header)}.${part(claims)}.${signature}`;
}

function withoutUndefined(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

export type RequestChanges = {
  readonly method?: string;
  readonly target?: string;
  /** `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly peerAddress?: string;
};

/** A request to the client's first host as its cloud sends it through the tunnel, with this token. */
export function requestTo(
  client: Client,
  token: string | null,
  { method = "POST", target = "/mcp", headers = {}, peerAddress = "127.0.0.1" }: RequestChanges = {},
): GateRequest {
  const credential: Record<string, string> =
    token === null
      ? {}
      : client.issuer.kind === "cloudflare-access"
        ? { "cf-access-jwt-assertion": token }
        : { authorization: `Bearer ${token}` };
  const all: Record<string, string | null> = {
    host: client.hosts[0] ?? "",
    "cf-connecting-ip": insideOf[client.name] ?? null,
    ...credential,
    ...headers,
  };
  return { method, target, peerAddress, header: (name) => all[name] ?? null };
}

export type Scene = {
  readonly admit: (request: GateRequest) => Promise<Admission | Preflight | Refusal>;
  readonly door: (request: GateRequest) => Door | Preflight | Refusal;
  /** Moves the clock. */
  readonly pass: (ms: number) => void;
  /** Applies another configuration. */
  readonly apply: (clients: readonly Client[], proxy?: SceneProxy) => void;
  /** Key documents fetched so far, by issuer name. */
  readonly fetches: (issuer: string) => number;
  /** What the issuer's key document holds from now on. */
  readonly publish: (issuer: string, loaded: LoadedKeys) => void;
  /** Digests computed so far. */
  readonly hashed: () => number;
};
type SceneProxy = { readonly trusted: Ranges; readonly header: string } | null;

const tunnel: SceneProxy = { trusted: ranges("127.0.0.1/32", "::1/128"), header: "cf-connecting-ip" };

export function openScene(initial: readonly Client[] = clients, initialProxy: SceneProxy = tunnel): Scene {
  let nowMs = startMs;
  let generation = 1;
  let state = prepareGateState({ generation, clients: initial, proxy: initialProxy });
  let hashed = 0;
  const now = (): number => nowMs;
  const published = new Map<string, LoadedKeys>();
  const fetches = new Map<string, number>();
  const keys = new Map<string, Keys>();
  const keysFor = ({ issuer }: Client): Keys => {
    const known = keys.get(issuer.name);
    if (known !== undefined) return known;
    const load = async (): Promise<LoadedKeys> => {
      fetches.set(issuer.name, (fetches.get(issuer.name) ?? 0) + 1);
      return published.get(issuer.name) ?? { ok: true, keys: [signerOf(issuer).jwk] };
    };
    const made = createKeys({ load, now, random: () => 0 });
    keys.set(issuer.name, made);
    return made;
  };
  const gate = createGate({
    current: () => state,
    now,
    hash: (text) => {
      hashed += 1;
      return hash("sha256", text);
    },
    keysFor,
  });
  return {
    admit: gate.admit,
    door: gate.door,
    pass: (ms) => void (nowMs += ms),
    apply: (next, proxy = tunnel) => {
      generation += 1;
      state = prepareGateState({ generation, clients: next, proxy });
    },
    fetches: (issuer) => fetches.get(issuer) ?? 0,
    publish: (issuer, loaded) => void published.set(issuer, loaded),
    hashed: () => hashed,
  };
}

/** The reason of a refusal, or the kind of any other decision. */
export function outcomeOf(decision: Door | Admission | Preflight | Refusal): string {
  return decision.kind === "refusal" ? decision.reason : decision.kind;
}
