/** Refusals in the log: the first of its kind at once, equal ones within a minute as one line with a count. */
import type { Log, Now } from "../storage/ports.ts";

const windowMs = 60_000;
/** Kinds remembered at a time; beyond it a refusal is written at once, so nothing is lost. */
const maxKinds = 1000;

export type RefusalLine = Readonly<Record<string, unknown>>;
export type RefusalLog = {
  /** `kind`: what makes two refusals equal. */
  readonly write: (kind: string, line: RefusalLine) => void;
  /** Writes the counts of all windows that have ended; `all` also of those still open (at stop). */
  readonly sweep: (all?: boolean) => void;
};

/** `event`: name of its lines in the log. */
export function createRefusalLog(log: Log, now: Now, event = "refused"): RefusalLog {
  const open = new Map<string, { line: RefusalLine; untilMs: number; folded: number }>();
  const close = (kind: string): void => {
    const entry = open.get(kind);
    open.delete(kind);
    if (entry !== undefined && entry.folded > 0) log("warn", event, { ...entry.line, count: entry.folded });
  };
  return {
    write: (kind, line) => {
      const entry = open.get(kind);
      if (entry !== undefined && now() < entry.untilMs) {
        entry.folded += 1;
        // The last one stands for the rest: its request id is the one somebody is most likely to look for.
        entry.line = line;
        return;
      }
      close(kind);
      log("warn", event, line);
      if (open.size < maxKinds) open.set(kind, { line, untilMs: now() + windowMs, folded: 0 });
    },
    sweep: (all = false) => {
      for (const [kind, entry] of open) if (all || now() >= entry.untilMs) close(kind);
    },
  };
}
