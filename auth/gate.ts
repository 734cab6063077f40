/**
 * The gate: the ordered checks before anything else runs. First refusal wins. It decides and never renders; a refusal
 * carries the precise reason for the log, `challenge.ts` turns it into the constant answer the caller sees.
 */
import type { Now } from "../storage/ports.ts";
import type { Client } from "./client.ts";
import { doorOf, type Door, type GateRequest, type Preflight } from "./door.ts";
import { inRanges, parseAddress, type Ranges } from "./egress.ts";
import type { Keys } from "./keys.ts";
import type { Refusal, RefusalReason } from "./refusal.ts";
import { createFailureThrottle } from "./throttle.ts";
import { type TokenFacts, verifyToken } from "./token.ts";
import { createTokenCache } from "./token-cache.ts";

export type { Door, GateRequest, Preflight } from "./door.ts";
export type { Refusal } from "./refusal.ts";

/** A caller who may use /mcp. */
export type Admission = Omit<Door, "kind"> & TokenFacts & { readonly kind: "admission" };

/** What the gate knows of one configuration; lookups are built once per configuration. */
export type GateState = {
  readonly generation: number;
  readonly byHost: ReadonlyMap<string, Client>;
  readonly proxy: TrustedProxy | null;
};
export type TrustedProxy = { readonly trusted: Ranges; /** Lower-case header in which the proxy reports the caller's address. */ readonly header: string };

export type Gate = {
  /** Checks 0 to 2: for pages beside /mcp. */
  readonly door: (request: GateRequest) => Door | Preflight | Refusal;
  /** All checks: for /mcp. */
  readonly admit: (request: GateRequest) => Promise<Admission | Preflight | Refusal>;
};

export type GateDependencies = {
  readonly current: () => GateState;
  readonly now: Now;
  /** Digest of a token under which a verified one is remembered. */
  readonly hash: (text: string) => string;
  /** Keys of an issuer, by its configured name. */
  readonly keysFor: (client: Client) => Keys;
};

/** Tokens are at most this long; a longer one is not looked at. */
const maxTokenBytes = 8192;

export function prepareGateState(settings: { readonly generation: number; readonly clients: readonly Client[]; readonly proxy: TrustedProxy | null }): GateState {
  const byHost = new Map(settings.clients.flatMap((client) => client.hosts.map((host) => [host, client] as const)));
  return { generation: settings.generation, byHost, proxy: settings.proxy };
}

export function createGate({ current, now, hash, keysFor }: GateDependencies): Gate {
  const cache = createTokenCache(now);
  const throttle = createFailureThrottle(now);

  const verify = async (door: Door, caller: string, state: GateState, request: GateRequest): Promise<TokenFacts | Refusal> => {
    const { client } = door;
    const refuse = (reason: RefusalReason, more: Partial<Refusal> = {}): Refusal => ({ kind: "refusal", reason, client, host: door.host, origin: door.origin, ...more });
    const token = credentialOf(client, request);
    if (token === null) return refuse("credential_missing");
    if (token.length > maxTokenBytes) return refuse("token_too_long");
    const keys = keysFor(client);
    const cacheKey = `${state.generation} ${keys.version()} ${client.name} ${hash(token)}`;
    const known = cache.get(cacheKey);
    if (known !== null) return known;
    const wait = throttle.blockedForSeconds(client.name, caller);
    if (wait > 0) return refuse("too_many_failures", { retryAfterSeconds: wait });
    const verified = await verifyToken(token, client, keys, now);
    if (verified.ok) {
      cache.put(cacheKey, verified.facts);
      return verified.facts;
    }
    if (verified.reason === "keys_unavailable") return refuse("keys_unavailable", { retryAfterSeconds: verified.retryAfterSeconds });
    if (verified.reason !== "scope_missing") throttle.fail(client.name, caller);
    return refuse(verified.reason);
  };

  return {
    door: (request) => doorOf(request, current().byHost),
    admit: async (request) => {
      const state = current();
      const door = doorOf(request, state.byHost);
      if (door.kind !== "door") return door;
      const { client, host, origin } = door;
      const refuse = (reason: RefusalReason, detail?: string): Refusal => ({ kind: "refusal", reason, client, host, origin, ...(detail === undefined ? {} : { detail }) });
      const caller = callerAddress(request, state.proxy);
      if (caller === null) return refuse("caller_address_unreadable");
      const address = parseAddress(caller);
      if (address === null) return refuse("caller_address_unreadable");
      if (client.egress.kind === "ranges" && !inRanges(client.egress.ranges, address)) return refuse("outside_egress", `${caller} is in none of the ranges of clients.${client.name}.egress`);
      if (client.audience.kind === "revoked" || client.audience.value.trim() === "") return refuse("revoked");
      const facts = await verify(door, caller, state, request);
      if ("kind" in facts) return facts;
      if (!client.identities.includes(facts.identity)) return refuse("identity_not_allowed");
      return { ...door, ...facts, kind: "admission" };
    },
  };
}

/** The configured credential and no other: accepting either would let the caller choose the weaker check. */
function credentialOf(client: Client, { header }: GateRequest): string | null {
  if (client.issuer.kind === "cloudflare-access") return header("cf-access-jwt-assertion") || null;
  const match = /^bearer +(\S+)$/i.exec(header("authorization") ?? "");
  return match?.[1] ?? null;
}

/**
 * The peer, unless it is a trusted proxy: then what its header says. A trusted peer without the header is the caller
 * itself. Null = the header is there but empty, repeated or a list.
 */
function callerAddress({ header, peerAddress }: GateRequest, proxy: TrustedProxy | null): string | null {
  const peer = parseAddress(peerAddress);
  if (peer === null) return null;
  if (proxy === null || !inRanges(proxy.trusted, peer)) return peerAddress;
  const reported = header(proxy.header);
  if (reported === null) return peerAddress;
  return reported === "" || reported.includes(",") ? null : reported;
}
