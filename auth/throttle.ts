/**
 * Failed verifications per client and caller address: after 20 within a minute further tokens are refused unread, so that
 * nobody can make us verify signatures all day. Tokens known to be good are found before this is asked.
 */
import type { Address } from "./egress.ts";
import { formatAddress } from "./egress.ts";

const limit = 20;
const windowMs = 60_000;
/** Callers remembered; beyond it the oldest window is forgotten. */
const maxCallers = 10_000;

export type FailureThrottle = {
  /** Seconds until tokens are looked at again; 0 = now. */
  readonly blockedForSeconds: (caller: string, nowMs: number) => number;
  readonly fail: (caller: string, nowMs: number) => void;
};

/** Who failures are counted for. Half of an IPv6 address: whoever has one address has its whole /64. */
export function throttledCaller(client: string, address: Address): string {
  const text = formatAddress(address);
  return `${client} ${text.includes(":") ? text.split(":", 4).join(":") : text}`;
}

export function createFailureThrottle(): FailureThrottle {
  const windows = new Map<string, { failures: number; readonly endsAtMs: number }>();
  return {
    blockedForSeconds: (caller, nowMs) => {
      const window = windows.get(caller);
      if (window === undefined || window.failures < limit || nowMs >= window.endsAtMs) return 0;
      return Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
    },
    fail: (caller, nowMs) => {
      const window = windows.get(caller);
      if (window !== undefined && nowMs < window.endsAtMs) {
        window.failures += 1;
        return;
      }
      windows.delete(caller);
      if (windows.size >= maxCallers) for (const oldest of windows.keys()) if (windows.delete(oldest)) break;
      windows.set(caller, { failures: 1, endsAtMs: nowMs + windowMs });
    },
  };
}
