/** What one commit holds, seen from the vault: its notes in byte order, and what else a link or a path may meet. */
import { fold } from "./fold.ts";
import { comparePaths, isNameable, isNote, isNoteName } from "./path.ts";
import type { TreeEntry } from "./repository.ts";

export type NoteEntry = {
  /** Exact path in the commit. */
  readonly path: string;
  readonly oid: string;
  /** Bytes; `null` when the repository lacks the object. */
  readonly size: number | null;
};

export type Snapshot = {
  readonly commit: string;
  /** In byte order of their paths. */
  readonly notes: readonly NoteEntry[];
  readonly byPath: ReadonlyMap<string, NoteEntry>;
  /** Notes by the NFC form of their path; more than one when a tree holds both spellings. */
  byNfcPath(path: string): readonly NoteEntry[];
  /** Paths of symlinks and submodules: never followed, and nothing below them exists. */
  readonly links: ReadonlySet<string>;
  /** Paths of nameable files (notes and others) whose folded last segment is this. */
  byFoldedName(foldedName: string): readonly string[];
  /** Markdown files left out because no argument could name them (hidden folders do not count). */
  readonly unnameable: number;
  /** Whether an object was absent: such a snapshot must not be remembered, the object may come back. */
  readonly isComplete: boolean;
};

export function createSnapshot(commit: string, entries: readonly TreeEntry[]): Snapshot {
  const notes: NoteEntry[] = [];
  const files: string[] = [];
  const links = new Set<string>();
  let unnameable = 0;
  for (const { kind, path, oid, size } of entries) {
    if (kind !== "file") {
      links.add(path);
      continue;
    }
    if (isNameable(path)) files.push(path);
    if (isNote(path)) notes.push({ path, oid, size });
    else if (isNoteName(path) && !path.split("/").some((segment) => segment.startsWith("."))) unnameable += 1;
  }
  notes.sort((left, right) => comparePaths(left.path, right.path));
  const names = lazily(() => grouped(files.sort(comparePaths), (path) => fold(lastSegment(path))));
  const nfc = lazily(() => grouped(notes, (note) => note.path.normalize("NFC")));
  return {
    commit,
    notes,
    byPath: new Map(notes.map((note) => [note.path, note])),
    byNfcPath: (path) => nfc().get(path.normalize("NFC")) ?? [],
    links,
    byFoldedName: (name) => names().get(name) ?? [],
    unnameable,
    isComplete: notes.every((note) => note.size !== null),
  };
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  return Map.groupBy(items, keyOf);
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
