/**
 * Verification keys of one issuer. jose's remote key set refetches on every unknown key once its cache is stale and knows
 * no back-off, so this refresher stands around it: one fetch at a time, at most one per 30 s for keys nobody knows, the
 * last good set served for up to a day while the issuer cannot be reached.
 */
import { type CryptoKey, importJWK, type JWK } from "jose";
import type { Now } from "../storage/ports.ts";

export type FoundKey =
  | { readonly kind: "key"; readonly key: CryptoKey | Uint8Array }
  | { readonly kind: "unknown" }
  /** No usable set, and none can be had now. */
  | { readonly kind: "unavailable"; readonly retryAfterSeconds: number };

export type Keys = {
  readonly find: (kid: string, alg: string) => Promise<FoundKey>;
  /** After a failed signature under a known key: true if a fetch, where one is allowed now, brought another key of that name. */
  readonly replaced: (kid: string) => Promise<boolean>;
  /** Changes with the set; verdicts under another version are void. */
  readonly version: () => number;
  readonly health: () => KeysHealth;
};
export type KeysHealth = {
  /** Seconds since the set was last fetched; null = never. */
  readonly ageSeconds: number | null;
  readonly ok: boolean;
  /** Why the last fetch failed. */
  readonly reason?: KeyFailure;
};

/** Why a fetch brought no keys. */
export type KeyFailure = "unreachable" | "bad_status" | "redirected" | "too_large" | "not_json" | "no_keys" | "issuer_mismatch" | "forbidden_url";
export type LoadedKeys = { readonly ok: true; readonly keys: readonly JWK[] } | { readonly ok: false; readonly reason: KeyFailure };

export type KeysDependencies = {
  readonly load: () => Promise<LoadedKeys>;
  readonly now: Now;
  /** 0 (inclusive) to 1; spreads refreshes of several replicas. */
  readonly random: () => number;
};

const refreshAfterMs = 600_000;
const jitterMs = 60_000;
const unknownCooldownMs = 30_000;
const usableForMs = 24 * 3_600_000;
/** First wait after a failed fetch without and with a usable set; doubled each time, at most five minutes. */
const coldRetryMs = 1000;
const warmRetryMs = 30_000;
const longestRetryMs = 300_000;

type KeySet = { readonly byKid: ReadonlyMap<string, readonly JWK[]>; readonly text: string };

export function createKeys({ load, now, random }: KeysDependencies): Keys {
  let set: KeySet | null = null;
  let loadedAtMs = 0;
  let refreshAtMs = 0;
  let lastFetchMs = Number.NEGATIVE_INFINITY;
  let nextFetchMs = 0;
  let failures = 0;
  let failure: KeyFailure | null = null;
  let version = 0;
  let fetching: Promise<void> | null = null;
  const imported = new Map<JWK, Promise<CryptoKey | Uint8Array>>();

  const usable = (): KeySet | null => (set !== null && now() - loadedAtMs < usableForMs ? set : null);
  const settle = (loaded: LoadedKeys): void => {
    if (!loaded.ok) {
      failures += 1;
      failure = loaded.reason;
      const first = usable() === null ? coldRetryMs : warmRetryMs;
      nextFetchMs = now() + Math.min(longestRetryMs, first * 2 ** (failures - 1));
      return;
    }
    failures = 0;
    failure = null;
    loadedAtMs = now();
    refreshAtMs = loadedAtMs + refreshAfterMs + random() * jitterMs;
    nextFetchMs = 0;
    const text = JSON.stringify(loaded.keys);
    if (set?.text === text) return;
    set = { byKid: groupByKid(loaded.keys), text };
    imported.clear();
    version += 1;
  };
  const fetchOnce = (): Promise<void> => {
    lastFetchMs = now();
    fetching ??= load()
      .catch((): LoadedKeys => ({ ok: false, reason: "unreachable" }))
      .then(settle)
      .finally(() => {
        fetching = null;
      });
    return fetching;
  };
  const candidates = (kid: string, alg: string): readonly JWK[] => (usable()?.byKid.get(kid) ?? []).filter((jwk) => fits(jwk, alg));
  const mayAskAgain = (): boolean => fetching !== null || (now() - lastFetchMs >= unknownCooldownMs && now() >= nextFetchMs);

  return {
    find: async (kid, alg) => {
      if (usable() === null) {
        if (fetching !== null || now() >= nextFetchMs) await fetchOnce();
        if (usable() === null) return { kind: "unavailable", retryAfterSeconds: Math.max(1, Math.ceil((nextFetchMs - now()) / 1000)) };
      } else if (now() >= refreshAtMs && now() >= nextFetchMs) {
        // In the background: the set at hand is still good, and nobody waits for an issuer that may be slow.
        void fetchOnce();
      }
      if (candidates(kid, alg).length === 0 && mayAskAgain()) await fetchOnce();
      const [jwk, second] = candidates(kid, alg);
      // Two keys under one name: which one signed is anybody's guess, so neither counts.
      if (jwk === undefined || second !== undefined) return { kind: "unknown" };
      const key = imported.get(jwk) ?? importJWK(jwk, alg);
      imported.set(jwk, key);
      return key.then(
        (ready): FoundKey => ({ kind: "key", key: ready }),
        (): FoundKey => ({ kind: "unknown" }),
      );
    },
    replaced: async (kid) => {
      if (!mayAskAgain()) return false;
      const before = JSON.stringify(usable()?.byKid.get(kid));
      await fetchOnce();
      return JSON.stringify(usable()?.byKid.get(kid)) !== before;
    },
    version: () => version,
    health: () => ({ ageSeconds: set === null ? null : Math.round((now() - loadedAtMs) / 1000), ok: usable() !== null, ...(failure === null ? {} : { reason: failure }) }),
  };
}

function groupByKid(keys: readonly JWK[]): ReadonlyMap<string, readonly JWK[]> {
  const groups = new Map<string, JWK[]>();
  for (const jwk of keys) {
    if (jwk.kid === undefined || jwk.use === "enc") continue;
    const group = groups.get(jwk.kid);
    if (group === undefined) groups.set(jwk.kid, [jwk]);
    else group.push(jwk);
  }
  return groups;
}

const keyTypes: Readonly<Record<string, string>> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP" };

function fits(jwk: JWK, alg: string): boolean {
  return jwk.kty === keyTypes[alg.slice(0, 2)] && (jwk.alg === undefined || jwk.alg === alg);
}
