/**
 * Tokens that were verified a moment ago, under a digest. A verdict counts for at most 30 s, never past the token's expiry,
 * and only under the configuration and the keys it was reached with: clearing an audience voids them all at once.
 */
import type { TokenFacts } from "./token.ts";

const keepMs = 30_000;
const maxEntries = 1000;

/** What a verdict depends on. */
export type Basis = { readonly generation: number; readonly keysVersion: number };

export type TokenCache = {
  /** `lapsed`: was good once, has to be verified again. */
  readonly get: (key: string, basis: Basis, nowMs: number) => TokenFacts | "lapsed" | null;
  readonly put: (key: string, basis: Basis, facts: TokenFacts, nowMs: number) => void;
  readonly forget: (key: string) => void;
};

type Entry = Basis & { readonly facts: TokenFacts; readonly untilMs: number };

export function createTokenCache(): TokenCache {
  const entries = new Map<string, Entry>();
  return {
    get: (key, { generation, keysVersion }, nowMs) => {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      const isGood = nowMs < entry.untilMs && entry.generation === generation && entry.keysVersion === keysVersion;
      return isGood ? entry.facts : "lapsed";
    },
    put: (key, { generation, keysVersion }, facts, nowMs) => {
      // Again at the end: a Map keeps the order of insertion, and the oldest goes first.
      entries.delete(key);
      if (entries.size >= maxEntries) for (const oldest of entries.keys()) if (entries.delete(oldest)) break;
      entries.set(key, { facts, untilMs: Math.min(nowMs + keepMs, facts.expiresAtMs), generation, keysVersion });
    },
    forget: (key) => void entries.delete(key),
  };
}
