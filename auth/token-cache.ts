/**
 * Tokens that were just verified. Kept for at most 30 s and never past their expiry; the key holds the configuration's
 * generation, so clearing an audience forgets them all at once.
 */
import type { Now } from "../storage/ports.ts";
import type { TokenFacts } from "./token.ts";

const keepMs = 30_000;
const maxEntries = 1000;

export type TokenCache = {
  readonly get: (key: string) => TokenFacts | null;
  readonly put: (key: string, facts: TokenFacts) => void;
};

export function createTokenCache(now: Now): TokenCache {
  const entries = new Map<string, { readonly facts: TokenFacts; readonly untilMs: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (now() < entry.untilMs) return entry.facts;
      entries.delete(key);
      return null;
    },
    put: (key, facts) => {
      const untilMs = Math.min(now() + keepMs, facts.expiresAtMs);
      // Oldest out first: a Map keeps the order of insertion.
      if (entries.size >= maxEntries) for (const oldest of entries.keys()) if (entries.delete(oldest)) break;
      if (untilMs > now()) entries.set(key, { facts, untilMs });
    },
  };
}
