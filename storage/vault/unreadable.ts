/** What a call answers when the snapshot holds notes that cannot be read. */
import type { Fault, Page, UnreadableNote } from "../ports.ts";

/** `fail`: the call fails and names them. `report`: it answers without them and lists them. */
export type UnreadablePolicy = "fail" | "report";

/** Notes named in one fault or one reply; the rest is counted. */
const maxNamed = 50;

/** For a reply that leaves them out under `report`. */
export function reported(notes: readonly UnreadableNote[]): Pick<Page<never>, "unreadable" | "unreadable_total"> {
  return { unreadable: notes.slice(0, maxNamed), ...(notes.length > maxNamed ? { unreadable_total: notes.length } : {}) };
}

/** A listing or search that would have left something out in silence. */
export function unreadableSnapshot(notes: readonly UnreadableNote[]): { readonly ok: false; readonly fault: Fault } {
  return {
    ok: false,
    fault: {
      code: "UPSTREAM_UNAVAILABLE",
      message: `${counted(notes.length)} of this snapshot cannot be read, so the answer would be incomplete. Narrow the call with prefix, or read notes by path.`,
      details: { reason: "unreadable_notes", ...named(notes) },
    },
  };
}

/**
 * A read that asked for these very notes. Text that is not UTF-8 is the argument's fault (another note must be named),
 * a note over the limit is too large, and the rest is missing from the repository.
 */
export function unreadableArgument(
  notes: readonly UnreadableNote[],
  indexLimitBytes: number,
): { readonly ok: false; readonly fault: Fault } {
  const details = { reason: "unreadable_notes", ...named(notes) };
  const badText = notes.find((note) => note.reason === "not_utf8");
  if (badText !== undefined) {
    const message = `${counted(notes.length)} cannot be read: the text is not valid UTF-8. The details name the path and the first bad byte.`;
    return { ok: false, fault: { code: "INVALID_ARGUMENT", message, field: "paths", details: { ...details, offset: badText.offset } } };
  }
  if (notes.some((note) => note.reason === "over_index_limit")) {
    const message = `${counted(notes.length)} cannot be read: larger than the ${indexLimitBytes} bytes a note of this vault may have.`;
    return {
      ok: false,
      fault: { code: "RESPONSE_TOO_LARGE", message, field: "paths", details: { ...details, limit_bytes: indexLimitBytes } },
    };
  }
  const message = `${counted(notes.length)} cannot be read: the repository does not hold the text. The details name path and reason.`;
  return { ok: false, fault: { code: "UPSTREAM_UNAVAILABLE", message, field: "paths", details } };
}

function named(notes: readonly UnreadableNote[]): { readonly unreadable: readonly UnreadableNote[]; readonly unreadable_total: number } {
  return { unreadable: notes.slice(0, maxNamed), unreadable_total: notes.length };
}

function counted(count: number): string {
  return count === 1 ? "One note" : `${count} notes`;
}
