/** One key refresher per issuer, kept across reloads as long as the issuer stays the same. */
import type { Client, Issuer } from "../auth/client.ts";
import { keySource, type KeySourceDependencies } from "../auth/key-sources.ts";
import { createKeys, type Keys, type KeysHealth } from "../auth/keys.ts";
import type { Now } from "../storage/ports.ts";

export type KeyRingDependencies = KeySourceDependencies & { readonly now: Now; readonly random: () => number };

export type KeyRing = {
  readonly keysFor: (client: Client) => Keys;
  /** For `/readyz`: what is known of the keys of these issuers. */
  readonly health: (issuers: readonly Issuer[]) => readonly { readonly issuer: string; readonly health: KeysHealth }[];
};

export function createKeyRing(dependencies: KeyRingDependencies): KeyRing {
  const { now, random } = dependencies;
  const bySource = new Map<string, Keys>();
  /** Every call asks, and naming the source costs more than looking the issuer up. */
  const byIssuer = new WeakMap<Issuer, Keys>();
  const keysOf = (issuer: Issuer): Keys => {
    const seen = byIssuer.get(issuer);
    if (seen !== undefined) return seen;
    const source = sourceName(issuer);
    const keys = bySource.get(source) ?? createKeys({ load: keySource(issuer, dependencies), now, random });
    bySource.set(source, keys);
    byIssuer.set(issuer, keys);
    return keys;
  };
  return {
    keysFor: ({ issuer }) => keysOf(issuer),
    health: (issuers) => issuers.map((issuer) => ({ issuer: issuer.name, health: keysOf(issuer).health() })),
  };
}

/** Two issuers with the same source share their keys; a changed address gets new ones. */
function sourceName(issuer: Issuer): string {
  return `${issuer.kind} ${issuer.issuer} ${issuer.kind === "oidc" ? (issuer.jwksUrl ?? "") : ""}`;
}
