/** Notes by blob id: read once, then remembered as digest and folded text within a bound. Shared by all commits and calls. */
import type { Now } from "../ports.ts";
import { decodeNote, type Unreadable } from "./decode-note.ts";
import { type Digest, digestNote } from "./digest.ts";
import { fold } from "./fold.ts";
import { createLru } from "./lru.ts";
import type { Repository } from "./repository.ts";
import type { NoteEntry } from "./snapshot.ts";
import type { UnavailableReason } from "./unavailable.ts";

export type Loaded =
  | { readonly kind: "note"; readonly digest: Digest }
  | { readonly kind: "unreadable"; readonly why: Unreadable }
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason };

export type LoadedBytes =
  | { readonly kind: "note"; readonly bytes: Uint8Array; readonly text: string }
  | Exclude<Loaded, { readonly kind: "note" }>;

export type LoadedText = { readonly kind: "note"; readonly folded: string } | Exclude<Loaded, { readonly kind: "note" }>;

export type NoteStore = {
  /** The digest if it is remembered: no waiting, for the many notes of a search. */
  knownDigest(entry: NoteEntry): Loaded | null;
  digest(entry: NoteEntry): Promise<Loaded>;
  knownFolded(entry: NoteEntry): string | null;
  /** The whole note, front matter included, as `fold` makes it. */
  folded(entry: NoteEntry): Promise<LoadedText>;
  /** The note as it is, always from the repository. */
  original(entry: NoteEntry): Promise<LoadedBytes>;
};

export type NoteStoreSettings = {
  readonly repository: Pick<Repository, "blob">;
  /** Notes above this many bytes are unreadable. */
  readonly indexLimitBytes: number;
  /** Bytes of memory for folded text; digests may take a quarter of it in addition. */
  readonly cacheBytes: number;
  readonly now: Now;
  /** For all reads: never aborted, since a caller that leaves must not stop a read that others may be waiting for. */
  readonly signal: AbortSignal;
};

/**
 * Milliseconds for which an object that git died on is not asked for again: each attempt costs the process, and other
 * callers their time. After that it may have been restored.
 */
const brokenForMs = 10_000;
const maxBroken = 10_000;

export function createNoteStore({ repository, indexLimitBytes, cacheBytes, now, signal }: NoteStoreSettings): NoteStore {
  const digests = createLru<Loaded>(cacheBytes / 4);
  const texts = createLru<string>(cacheBytes);
  const broken = createLru<number>(maxBroken);
  const underWay = new Map<string, Promise<{ readonly loaded: Loaded; readonly folded: string }>>();

  const original = async (entry: NoteEntry): Promise<LoadedBytes> => {
    if (entry.size === null) return { kind: "unreadable", why: { reason: "object_missing" } };
    if (entry.size > indexLimitBytes) return { kind: "unreadable", why: { reason: "over_index_limit" } };
    const brokenAtMs = broken.get(entry.oid);
    if (brokenAtMs !== undefined && Math.abs(now() - brokenAtMs) < brokenForMs)
      return { kind: "unreadable", why: { reason: "object_corrupt" } };
    const reply = await repository.blob(entry.oid, signal);
    if (reply.kind === "unavailable") return reply;
    if (reply.kind === "missing") return { kind: "unreadable", why: { reason: "object_missing" } };
    if (reply.kind === "corrupt") {
      broken.set(entry.oid, now(), 1);
      return { kind: "unreadable", why: { reason: "object_corrupt" } };
    }
    const note = decodeNote(reply.bytes);
    return note.kind === "note" ? { ...note, bytes: reply.bytes } : note;
  };

  const load = async (entry: NoteEntry): Promise<{ readonly loaded: Loaded; readonly folded: string }> => {
    const read = await original(entry);
    if (read.kind !== "note") {
      // What the bytes say stays true; an object that is gone or broken may be restored.
      const isLasting = read.kind === "unreadable" && (read.why.reason === "not_utf8" || read.why.reason === "lfs_pointer");
      if (isLasting) digests.set(entry.oid, read, 200);
      return { loaded: read, folded: "" };
    }
    const loaded: Loaded = { kind: "note", digest: digestNote(read.text) };
    const folded = fold(read.text);
    digests.set(entry.oid, loaded, loaded.digest.weight);
    texts.set(entry.oid, folded, memoryOf(folded, read.bytes.length));
    return { loaded, folded };
  };

  const loadOnce = (entry: NoteEntry): Promise<{ readonly loaded: Loaded; readonly folded: string }> => {
    const present = underWay.get(entry.oid);
    if (present !== undefined) return present;
    const started = load(entry).finally(() => underWay.delete(entry.oid));
    underWay.set(entry.oid, started);
    return started;
  };

  return {
    knownDigest(entry) {
      if (entry.size === null) return { kind: "unreadable", why: { reason: "object_missing" } };
      if (entry.size > indexLimitBytes) return { kind: "unreadable", why: { reason: "over_index_limit" } };
      return digests.get(entry.oid) ?? null;
    },
    async digest(entry) {
      return digests.get(entry.oid) ?? (await loadOnce(entry)).loaded;
    },
    knownFolded: (entry) => texts.get(entry.oid) ?? null,
    async folded(entry) {
      const known = texts.get(entry.oid);
      if (known !== undefined) return { kind: "note", folded: known };
      const { loaded, folded } = await loadOnce(entry);
      return loaded.kind === "note" ? { kind: "note", folded } : loaded;
    },
    original,
  };
}

/** Bytes a text takes in the engine: one a character if all are below U+0100, else two. ASCII is as long as its UTF-8. */
function memoryOf(folded: string, utf8Bytes: number): number {
  return 100 + (folded.length === utf8Bytes ? folded.length : 2 * folded.length);
}
