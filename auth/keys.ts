/**
 * Public keys of one issuer. The token library's own remote set refetches on every request once its cache is stale and the
 * endpoint is down; this one keeps serving what it had, backs off, and fetches once however many callers wait.
 * It works on use, not by timers: nothing is fetched for an issuer that nobody calls through.
 */
import { createLocalJWKSet, type JWK } from "jose";
import type { Now } from "../storage/ports.ts";

/** Keys that were read together. */
export type KeySet = {
  /** Grows with every change; 1 is the first. */
  readonly version: number;
  /** Finds the key for a token's `kid` and `alg`; throws the token library's errors. */
  readonly find: ReturnType<typeof createLocalJWKSet>;
};

export type Keys = {
  /** Version of the set in use; 0 = none yet. A verdict reached with another version is void. Never waits. */
  readonly version: () => number;
  /** The set to verify with; `null` = none can be had now. Waits only if there is none. Never rejects. */
  readonly current: () => Promise<KeySet | null>;
  /** After a failure that other keys might cure: a set newer than `seen`, or `null`. Fetches at most once per 30 s. Never rejects. */
  readonly newerThan: (seen: KeySet) => Promise<KeySet | null>;
  /** Until the next attempt is allowed; at least 1. */
  readonly retryAfterSeconds: () => number;
  readonly health: () => KeysHealth;
};

export type KeysHealth = {
  /** Seconds since the keys were last fetched; null = never. */
  readonly ageSeconds: number | null;
  /** Whether there are keys to verify with. */
  readonly ok: boolean;
  /** Why the last attempt failed; absent = it did not. */
  readonly reason?: KeyFailure;
};

/** Why an attempt brought no keys. */
export type KeyFailure =
  | "unreachable"
  | "timeout"
  | "bad_status"
  | "redirected"
  | "too_large"
  | "not_json"
  | "no_keys"
  | "issuer_mismatch"
  | "forbidden_url";
export type LoadedKeys = { readonly ok: true; readonly keys: readonly JWK[] } | { readonly ok: false; readonly reason: KeyFailure };

export type KeysDependencies = {
  /** Reads the keys, bounded in time. A rejection counts as `unreachable`. */
  readonly load: () => Promise<LoadedKeys>;
  readonly now: Now;
  /** 0 (inclusive) to 1; spreads the refreshes of several replicas. */
  readonly random: () => number;
};

const refreshMs = 10 * 60_000;
/** Least time between two fetches that tokens can provoke, and the first step of the back-off. */
const cooldownMs = 30_000;
const backOffMaxMs = 5 * 60_000;
/** After this long without success nothing is verified any more. */
const usableForMs = 24 * 3_600_000;
/** An attempt older than this was given up by its runtime (a Worker drops what an ended request began) and is not waited for. */
const givenUpMs = 30_000;

export function createKeys({ load, now, random }: KeysDependencies): Keys {
  let held: { readonly text: string; readonly set: KeySet } | null = null;
  let loadedAtMs = 0;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  /** When the next attempt is due after a success, or allowed after a failure. */
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let failure: KeyFailure | null = null;
  let flight: Promise<void> | null = null;

  const usable = (): KeySet | null => (held !== null && now() - loadedAtMs < usableForMs ? held.set : null);

  const settle = (loaded: LoadedKeys): void => {
    if (!loaded.ok || loaded.keys.length === 0) {
      failure = loaded.ok ? "no_keys" : loaded.reason;
      nextAtMs = now() + Math.min(backOffMaxMs, cooldownMs * 2 ** failures) * (1 + 0.1 * random());
      failures += 1;
      return;
    }
    failures = 0;
    failure = null;
    loadedAtMs = now();
    nextAtMs = loadedAtMs + refreshMs * (0.9 + 0.2 * random());
    // The same keys keep their version, and with it every token that was verified with them.
    const text = JSON.stringify(loaded.keys);
    if (held?.text !== text)
      held = { text, set: { version: (held?.set.version ?? 0) + 1, find: createLocalJWKSet({ keys: [...loaded.keys] }) } };
  };

  const isUnderWay = (): boolean => flight !== null && now() - attemptedAtMs < givenUpMs;
  const fetchOnce = async (): Promise<void> => {
    if (flight !== null && isUnderWay()) return flight;
    attemptedAtMs = now();
    const own = load()
      .catch((): LoadedKeys => ({ ok: false, reason: "unreachable" }))
      .then(settle)
      .finally(() => {
        if (flight === own) flight = null;
      });
    flight = own;
    return own;
  };

  return {
    version: () => held?.set.version ?? 0,
    current: async () => {
      const set = usable();
      const isDue = now() >= nextAtMs;
      if (set === null) {
        if (isDue || isUnderWay()) await fetchOnce();
        return usable();
      }
      // In the background: the set at hand is still good, and nobody waits for an issuer that may be slow.
      if (isDue) void fetchOnce();
      return set;
    },
    newerThan: async (seen) => {
      const newer = (): KeySet | null => {
        const set = usable();
        return set !== null && set.version > seen.version ? set : null;
      };
      const known = newer();
      if (known !== null) return known;
      // While the source is down its back-off counts, while it is up the cooldown.
      const isAllowed = now() >= (failures > 0 ? nextAtMs : attemptedAtMs + cooldownMs);
      if (!isAllowed && !isUnderWay()) return null;
      await fetchOnce();
      return newer();
    },
    retryAfterSeconds: () => Math.max(1, Math.ceil((nextAtMs - now()) / 1000)),
    health: () => ({
      ageSeconds: held === null ? null : Math.max(0, Math.round((now() - loadedAtMs) / 1000)),
      ok: usable() !== null,
      ...(failure === null ? {} : { reason: failure }),
    }),
  };
}
