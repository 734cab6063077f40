/**
 * The gate: the ordered checks before anything else runs. First refusal wins. It decides and never renders; a refusal
 * carries the precise reason for the log, `challenge.ts` turns it into the constant answer the caller sees.
 */
import type { Now } from "../storage/ports.ts";
import type { Client } from "./client.ts";
import { doorOf, type Door, type GateRequest, type Preflight } from "./door.ts";
import { type Address, createAddressReader, inRanges, type KnownAddress, type Ranges } from "./egress.ts";
import type { Keys } from "./keys.ts";
import type { Refusal, RefusalReason } from "./refusal.ts";
import { createFailureThrottle, throttledCaller } from "./throttle.ts";
import { requiredScopes, type TokenFacts, verifyToken } from "./token.ts";
import { createTokenCache } from "./token-cache.ts";

export type { Door, GateRequest, Preflight } from "./door.ts";
export type { Refusal } from "./refusal.ts";

/** A caller who may use /mcp. */
export type Admission = Omit<Door, "kind"> &
  Omit<TokenFacts, "identity"> & {
    readonly kind: "admission";
    /** One of the client's `identities`. */
    readonly identity: string;
    /** From the trusted proxy, else the socket; one spelling for each address. */
    readonly callerAddress: string;
  };

/** What the gate knows of one configuration; lookups are built once per configuration. */
export type GateState = {
  /** Grows with every configuration that was applied. */
  readonly generation: number;
  readonly byHost: ReadonlyMap<string, Client>;
  /** Null = only the socket's address counts. */
  readonly proxy: TrustedProxy | null;
};
export type TrustedProxy = {
  /** Peers whose header is believed. */
  readonly trusted: Ranges;
  /** Lower-case header in which the proxy reports the caller's address. */
  readonly header: string;
};

export type Gate = {
  /** Checks 0 to 2: for pages beside /mcp. */
  readonly door: (request: GateRequest) => Door | Preflight | Refusal;
  /** All checks: for /mcp. Rejects only for faults of ours; then the caller is not admitted. */
  readonly admit: (request: GateRequest) => Promise<Admission | Preflight | Refusal>;
};

export type GateDependencies = {
  readonly current: () => GateState;
  readonly now: Now;
  /** Digest of a token under which a verified one is remembered (SHA-256 or as strong). */
  readonly hash: (text: string) => string;
  /** Keys of the client's issuer. */
  readonly keysFor: (client: Client) => Keys;
};

/** Tokens are at most this long; a longer one is not looked at. */
const maxTokenBytes = 8192;

/** @throws if two clients share a host: which of them is meant must never be a matter of order. */
export function prepareGateState({ clients, ...rest }: Omit<GateState, "byHost"> & { readonly clients: readonly Client[] }): GateState {
  const byHost = new Map<string, Client>();
  for (const client of clients) {
    for (const host of client.hosts) {
      if (byHost.has(host)) throw new Error(`the host ${host} belongs to more than one client`);
      byHost.set(host, client);
    }
  }
  return { ...rest, byHost };
}

export function createGate({ current, now, hash, keysFor }: GateDependencies): Gate {
  const cache = createTokenCache();
  const throttle = createFailureThrottle();
  const readAddress = createAddressReader();

  /** Check 6, where its verdict is not known from a moment ago. */
  const verify = async (token: string, client: Client, caller: Address, generation: number): Promise<TokenFacts | Verdict> => {
    if (token.length > maxTokenBytes) return { reason: "token_too_long" };
    const keys = keysFor(client);
    const key = `${client.name} ${hash(token)}`;
    const nowMs = now();
    const known = cache.get(key, { generation, keysVersion: keys.version() }, nowMs);
    if (known !== null && known !== "lapsed") return known;
    const failing = throttledCaller(client.name, caller);
    // A token that was good before does not wait for somebody else's failures at the same vendor's address.
    const waitSeconds = known === "lapsed" ? 0 : throttle.blockedForSeconds(failing, nowMs);
    if (waitSeconds > 0) return { reason: "too_many_failures", retryAfterSeconds: waitSeconds };
    const verified = await verifyToken(token, client, keys, nowMs);
    if (verified.ok) {
      cache.put(key, { generation, keysVersion: keys.version() }, verified.facts, nowMs);
      return verified.facts;
    }
    const { reason, detail } = verified;
    if (reason === "keys_unavailable") {
      const why = `the keys of issuer ${client.issuer.name} cannot be had: ${keys.health().reason ?? "not fetched yet"}`;
      return { reason, retryAfterSeconds: keys.retryAfterSeconds(), detail: why };
    }
    cache.forget(key);
    throttle.fail(failing, nowMs);
    return { reason, ...(detail === undefined ? {} : { detail }) };
  };

  const gate: Gate = {
    door: (request) => doorOf(request, current().byHost),
    admit: async (request) => {
      const { byHost, proxy, generation } = current();
      const door = doorOf(request, byHost);
      if (door.kind !== "door") return door;
      const { client, host, origin } = door;
      const known = callerAddress(request, proxy, readAddress);
      if (known === null) return { kind: "refusal", client, host, origin, reason: "caller_address_unreadable", detail: unreadable(proxy) };
      const { address: caller, text: callerText } = known;
      const refuse = (verdict: Verdict): Refusal => ({ kind: "refusal", client, host, origin, callerAddress: callerText, ...verdict });

      if (client.egress.kind === "ranges" && !inRanges(client.egress.ranges, caller))
        return refuse(outside(client, callerText, client.egress.ranges));
      const { audience } = client;
      if (audience.kind === "revoked") return refuse({ reason: "revoked", detail: audience.why });
      if (audience.value.trim() === "") return refuse({ reason: "revoked" });
      const token = credentialOf(client, request);
      if (token === null) return refuse({ reason: "credential_missing" });
      const facts = await verify(token, client, caller, generation);
      // Verifying may have taken seconds; whatever was closed in the meantime is closed for this request too.
      if (current().generation !== generation) return gate.admit(request);
      if ("reason" in facts) return refuse(facts);
      const { identity, scopes } = facts;
      if (identity === null) return refuse({ reason: "identity_missing" });
      if (!client.identities.includes(identity))
        return refuse({
          reason: "identity_not_allowed",
          detail: `${JSON.stringify(identity)} is none of clients.${client.name}.identities`,
        });
      if (!requiredScopes(client.issuer).every((scope) => scopes.includes(scope))) return refuse({ reason: "scope_missing" });
      return { ...door, ...facts, identity, kind: "admission", callerAddress: callerText };
    },
  };
  return gate;
}

type Verdict = { readonly reason: RefusalReason } & Pick<Refusal, "retryAfterSeconds" | "detail">;

/** The configured credential and no other: accepting either would let the caller choose the weaker check. */
function credentialOf({ issuer }: Client, { header }: GateRequest): string | null {
  if (issuer.kind === "cloudflare-access") return header("cf-access-jwt-assertion") || null;
  const match = /^bearer +(\S+)$/i.exec(header("authorization") ?? "");
  return match?.[1] ?? null;
}

/**
 * The peer, unless it is a trusted proxy: then what its header says. A trusted peer without the header is the caller
 * itself; any other peer's header is a mere claim. Null = not one address: empty, repeated, a list, or no address at all.
 */
function callerAddress(
  { header, peerAddress }: GateRequest,
  proxy: TrustedProxy | null,
  read: (text: string) => KnownAddress | null,
): KnownAddress | null {
  // A link-local socket address carries the interface it came in by.
  const peer = read(peerAddress.includes("%") ? (peerAddress.split("%", 1)[0] ?? "") : peerAddress);
  if (peer === null || proxy === null || !inRanges(proxy.trusted, peer.address)) return peer;
  const reported = header(proxy.header);
  return reported === null ? peer : read(reported);
}

function unreadable(proxy: TrustedProxy | null): string {
  return proxy === null ? "the socket has no address" : `neither the socket nor ${proxy.header} gives one address`;
}

/** Ranges named in a log line; a vendor's list may hold hundreds. */
const shownRanges = 5;

function outside({ name }: Client, caller: string, { texts }: Ranges): Verdict {
  const more = texts.length > shownRanges ? `, and ${texts.length - shownRanges} more` : "";
  return {
    reason: "outside_egress",
    detail: `${caller} is in none of clients.${name}.egress: ${texts.slice(0, shownRanges).join(", ")}${more}`,
  };
}
