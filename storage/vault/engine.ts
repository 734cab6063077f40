/** What the three calls of a vault share: which commit, which snapshot, which notes of it can be read. */
import type { Log, Outcome, UnreadableNote } from "../ports.ts";
import { fold } from "./fold.ts";
import { createLru } from "./lru.ts";
import type { ReadableNote } from "./match.ts";
import type { Loaded, NoteStore } from "./note-store.ts";
import { isWithin } from "./path.ts";
import type { Repository } from "./repository.ts";
import { createSnapshot, type Snapshot } from "./snapshot.ts";
import { unavailable, type UnavailableReason } from "./unavailable.ts";
import { breathe, eachOf, untilAborted } from "./work.ts";

export type Engine = {
  /** The commit a call stands on: the branch's tip, or `asked` if the tip contains it. Resolved once per call. */
  commit(asked: string | undefined, signal: AbortSignal): Promise<Outcome<string>>;
  snapshot(commit: string, signal: AbortSignal): Promise<Outcome<Snapshot>>;
  /** The notes below `prefix`, those that can be read and those that cannot, both in byte order of their paths. */
  notes(snapshot: Snapshot, prefix: string, signal: AbortSignal): Promise<Outcome<NotesBelow>>;
  /** The first note, by path, that lists this text as an alias. */
  aliasOf(snapshot: Snapshot, alias: string, signal: AbortSignal): Promise<string | null>;
};

export type NotesBelow = { readonly readable: readonly ReadableNote[]; readonly unreadable: readonly UnreadableNote[] };

export type EngineSettings = {
  readonly vault: string;
  readonly repository: Pick<Repository, "tip" | "reachable" | "tree">;
  readonly store: NoteStore;
  readonly log: Log;
  /** For reads that several calls may wait for: never aborted. */
  readonly signal: AbortSignal;
};

/** Snapshots kept: 20,000 notes are about 5 MB each. */
const maxSnapshots = 4;
/** Notes in all remembered lists together; one costs about 100 bytes beside its digest. */
const maxListedNotes = 200_000;
/** Notes read at a time; as many questions as the git process is given ahead. */
const readAhead = 64;
const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Remembered digests looked at before others get their turn. */
const breathEvery = 20_000;

export function createEngine({ vault, repository, store, log, signal: shared }: EngineSettings): Engine {
  const snapshots = createLru<Snapshot>(maxSnapshots);
  const aliases = createLru<ReadonlyMap<string, string>>(maxSnapshots);
  const underWay = new Map<string, Promise<Outcome<Snapshot>>>();

  const readSnapshot = async (commit: string): Promise<Outcome<Snapshot>> => {
    const tree = await repository.tree(commit, shared);
    if (!tree.ok) return tree;
    const snapshot = createSnapshot(commit, tree.value);
    if (snapshot.unnameable > 0) log("warn", "vault_notes_left_out", { vault, count: snapshot.unnameable });
    if (snapshot.isComplete) snapshots.set(commit, snapshot, 1);
    return { ok: true, value: snapshot };
  };

  /** Lists of notes whose every verdict is final, by commit and prefix: a warm call makes no list of its own. */
  const lists = createLru<NotesBelow>(maxListedNotes);

  const notes = async (snapshot: Snapshot, prefix: string, signal: AbortSignal): Promise<Outcome<NotesBelow>> => {
    const key = `${snapshot.commit} ${prefix}`;
    const remembered = lists.get(key);
    if (remembered !== undefined) return { ok: true, value: remembered };
    const below = prefix === "" ? snapshot.notes : snapshot.notes.filter((note) => isWithin(note.path.normalize("NFC"), prefix));
    const loaded: (Loaded | null)[] = below.map((note) => store.knownDigest(note));
    if (below.length >= breathEvery) await breathe();
    const unknown = below.flatMap((entry, index) => (loaded[index] === null ? [{ entry, index }] : []));
    let reason: UnavailableReason | null = null;
    await eachOf(unknown, readAhead, signal, async ({ entry, index }) => {
      const read = await untilAborted(store.digest(entry), signal);
      loaded[index] = read;
      if (read.kind === "unavailable") reason = read.reason;
      return reason === null;
    });
    if (reason !== null) return unavailable(reason);
    const readable: ReadableNote[] = [];
    const unreadable: UnreadableNote[] = [];
    for (const [index, entry] of below.entries()) {
      const note = loaded[index];
      if (note?.kind === "note") readable.push({ entry, digest: note.digest });
      else if (note?.kind === "unreadable") unreadable.push({ path: entry.path, ...note.why });
    }
    const value: NotesBelow = { readable, unreadable };
    const isFinal = unreadable.every(({ reason }) => reason !== "object_missing" && reason !== "object_corrupt");
    if (isFinal) lists.set(key, value, 1 + readable.length);
    return { ok: true, value };
  };

  return {
    async commit(asked, signal) {
      if (asked !== undefined && !fullId.test(asked)) {
        const message = "A commit is named by its full id: 40 or 64 lower-case hexadecimal digits.";
        return { ok: false, fault: { code: "INVALID_ARGUMENT", message, field: "commit" } };
      }
      const tip = await repository.tip(signal);
      if (!tip.ok || asked === undefined) return tip;
      return repository.reachable(asked, tip.value, signal);
    },

    async snapshot(commit, signal) {
      const known = snapshots.get(commit);
      if (known !== undefined) return { ok: true, value: known };
      let reading = underWay.get(commit);
      if (reading === undefined) {
        reading = readSnapshot(commit).finally(() => underWay.delete(commit));
        underWay.set(commit, reading);
      }
      return untilAborted(reading, signal);
    },

    notes,

    async aliasOf(snapshot, alias, signal) {
      let map = aliases.get(snapshot.commit);
      if (map === undefined) {
        const found = await notes(snapshot, "", signal);
        // A hint only: without it the link is missing all the same.
        if (!found.ok) return null;
        map = aliasMap(found.value.readable);
        if (snapshot.isComplete) aliases.set(snapshot.commit, map, 1);
      }
      return map.get(fold(alias)) ?? null;
    },
  };
}

function aliasMap(notes: readonly ReadableNote[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const { entry, digest } of notes) {
    for (const alias of digest.aliases) {
      const key = fold(alias);
      if (!map.has(key)) map.set(key, entry.path);
    }
  }
  return map;
}
