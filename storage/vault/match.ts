/** Which notes a search finds, and in which order: those whose title holds every term first, then by path. */
import type { Fault } from "../ports.ts";
import { type Digest, foldedTitleOf } from "./digest.ts";
import { fold } from "./fold.ts";
import type { LoadedText, NoteStore } from "./note-store.ts";
import { comparePaths } from "./path.ts";
import type { NoteEntry } from "./snapshot.ts";
import { breathe } from "./work.ts";

/** Longest query in UTF-16 code units. */
const maxQueryLength = 1000;

export type ReadableNote = { readonly entry: NoteEntry; readonly digest: Digest };
export type Match = { readonly note: ReadableNote; readonly location: "title" | "body" };

/** Where the page before ended. */
export type After = { readonly group: "title" | "body"; readonly path: string };

export type Matching =
  | { readonly kind: "found"; readonly matches: readonly Match[] }
  /** A note that had been read before cannot be read now. */
  | { readonly kind: "lost"; readonly note: ReadableNote; readonly loaded: Exclude<LoadedText, { readonly kind: "note" }> };

/** Folded text searched before others get their turn, in UTF-16 code units: a few milliseconds. */
const breathEvery = 4_194_304;

/** The folded terms of a query, each once, in order. White space separates, and nothing else has a meaning. */
export function termsOf(
  query: string,
): { readonly ok: true; readonly terms: readonly string[] } | { readonly ok: false; readonly fault: Fault } {
  if (query.length > maxQueryLength) return invalid(`A query has at most ${maxQueryLength} characters.`);
  if (!query.isWellFormed()) return invalid("The query holds half a surrogate pair and is not valid text.");
  const terms = [
    ...new Set(
      fold(query)
        .split(/\s+/u)
        .filter((term) => term !== ""),
    ),
  ];
  return terms.length === 0 ? invalid("The query is blank.") : { ok: true, terms };
}

/** Up to `count` matches behind `after`. `notes` are in byte order of their paths. */
export async function findMatches(
  notes: readonly ReadableNote[],
  terms: readonly string[],
  scope: "title" | "all",
  after: After | null,
  count: number,
  store: Pick<NoteStore, "knownFolded" | "folded">,
  signal: AbortSignal,
): Promise<Matching> {
  const matches: Match[] = [];
  for (const note of notes) {
    if (matches.length >= count) return { kind: "found", matches };
    if (isBehind(after, "title", note.entry.path) && hasAll(terms, foldedTitleOf(note.entry.path, note.digest)))
      matches.push({ note, location: "title" });
  }
  if (scope === "title") return { kind: "found", matches };
  let searched = 0;
  for (const note of notes) {
    if (matches.length >= count) break;
    if (!isBehind(after, "body", note.entry.path)) continue;
    const title = foldedTitleOf(note.entry.path, note.digest);
    if (hasAll(terms, title)) continue;
    const known = store.knownFolded(note.entry);
    const loaded: LoadedText = known === null ? await store.folded(note.entry) : { kind: "note", folded: known };
    if (loaded.kind !== "note") return { kind: "lost", note, loaded };
    if (terms.every((term) => title.includes(term) || loaded.folded.includes(term))) matches.push({ note, location: "body" });
    searched += loaded.folded.length;
    if (searched < breathEvery) continue;
    searched = 0;
    await breathe();
    signal.throwIfAborted();
  }
  return { kind: "found", matches };
}

function hasAll(terms: readonly string[], text: string): boolean {
  return terms.every((term) => text.includes(term));
}

function isBehind(after: After | null, group: "title" | "body", path: string): boolean {
  if (after === null) return true;
  if (after.group !== group) return after.group === "title";
  return comparePaths(path, after.path) > 0;
}

function invalid(message: string): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: "INVALID_ARGUMENT", message, field: "query" } };
}
