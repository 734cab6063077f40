/** Counts attempts in a sliding minute, in this process. */
import type { Now } from "../../storage/ports.ts";

const windowMs = 60_000;
/** Names remembered at once; above it the quietest are forgotten first. */
const maxNames = 10_000;

export type Attempts = {
  /** Takes one attempt. 0 = go ahead, else the seconds to wait; a refused attempt is not counted. */
  take(name: string): number;
  /** Gives the last attempt back: it turned out to be a good one. */
  forgive(name: string): void;
};

/** `perMinute` attempts for each name. */
export function attempts({ perMinute, now }: { readonly perMinute: number; readonly now: Now }): Attempts {
  const taken = new Map<string, readonly number[]>();
  return {
    take(name) {
      const nowMs = now();
      const recent = (taken.get(name) ?? []).filter((atMs) => nowMs - atMs < windowMs);
      const [oldest] = recent;
      if (recent.length >= perMinute && oldest !== undefined) return Math.max(1, Math.ceil((oldest + windowMs - nowMs) / 1_000));
      // Set again at the end: the map's order is then the order of the last attempt.
      taken.delete(name);
      taken.set(name, [...recent, nowMs]);
      const [quietest] = taken.keys();
      if (taken.size > maxNames && quietest !== undefined) taken.delete(quietest);
      return 0;
    },
    forgive(name) {
      const recent = taken.get(name);
      if (recent !== undefined) taken.set(name, recent.slice(0, -1));
    },
  };
}
