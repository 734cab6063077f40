/**
 * Failed verifications per client and caller address: after 20 within a minute further tokens are refused unread, so that
 * nobody can make us verify signatures all day. Tokens verified a moment ago are found before this is asked.
 */
import type { Now } from "../storage/ports.ts";

const limit = 20;
const windowMs = 60_000;
/** Pairs remembered; beyond it the oldest window is forgotten. */
const maxPairs = 10_000;

export type FailureThrottle = {
  /** Seconds until tokens are looked at again; 0 = now. */
  readonly blockedForSeconds: (client: string, caller: string) => number;
  readonly fail: (client: string, caller: string) => void;
};

export function createFailureThrottle(now: Now): FailureThrottle {
  const windows = new Map<string, { failures: number; readonly endsAtMs: number }>();
  const open = (pair: string): { failures: number; readonly endsAtMs: number } | null => {
    const window = windows.get(pair);
    if (window === undefined) return null;
    if (now() < window.endsAtMs) return window;
    windows.delete(pair);
    return null;
  };
  return {
    blockedForSeconds: (client, caller) => {
      const window = open(`${client} ${caller}`);
      return window === null || window.failures < limit ? 0 : Math.max(1, Math.ceil((window.endsAtMs - now()) / 1000));
    },
    fail: (client, caller) => {
      const pair = `${client} ${caller}`;
      const window = open(pair);
      if (window !== null) {
        window.failures += 1;
        return;
      }
      if (windows.size >= maxPairs) for (const oldest of windows.keys()) if (windows.delete(oldest)) break;
      windows.set(pair, { failures: 1, endsAtMs: now() + windowMs });
    },
  };
}
