/** `read`: whole notes, or a part of one, with their links, all of one commit; all or none. */
import type { Fault, Note, Outcome, ReadQuery, ReadResult, UnreadableNote } from "../ports.ts";
import { cutBytes, type Part } from "./byte-range.ts";
import type { Engine } from "./engine.ts";
import { digestNote } from "./digest.ts";
import { readFrontMatter } from "./markdown/front-matter.ts";
import { scanLinks } from "./markdown/scan-note.ts";
import type { LoadedBytes, NoteStore } from "./note-store.ts";
import { checkNotePath } from "./path.ts";
import { resolveLinks } from "./resolve-links.ts";
import type { NoteEntry, Snapshot } from "./snapshot.ts";
import { unavailable } from "./unavailable.ts";
import { unreadableArgument, type UnreadablePolicy } from "./unreadable.ts";
import { untilAborted } from "./work.ts";

/** Notes one read may name. */
const maxPaths = 5;

export type ReadSettings = {
  readonly engine: Engine;
  readonly store: NoteStore;
  readonly unreadable: UnreadablePolicy;
  readonly indexLimitBytes: number;
};

export async function readNotes(
  { engine, store, unreadable, indexLimitBytes }: ReadSettings,
  query: ReadQuery,
  signal: AbortSignal,
): Promise<Outcome<ReadResult>> {
  const asked = checkPaths(query);
  if (!asked.ok) return asked;
  const commit = await engine.commit(query.commit, signal);
  if (!commit.ok) return commit;
  const snapshot = await engine.snapshot(commit.value, signal);
  if (!snapshot.ok) return snapshot;
  const entries = findNotes(asked.value, snapshot.value);
  if (!entries.ok) return entries;

  const notes: Note[] = [];
  const bad: UnreadableNote[] = [];
  for (const entry of entries.value) {
    const read = await untilAborted(store.original(entry), signal);
    if (read.kind === "unavailable") return unavailable(read.reason);
    if (read.kind === "unreadable") {
      bad.push({ path: entry.path, ...read.why });
      continue;
    }
    const cut = query.range === undefined ? null : cutBytes(read.bytes, query.range.start, query.range.end);
    if (cut?.ok === false) return cut;
    notes.push(await noteOf(entry, read, cut?.part ?? null, snapshot.value, engine, signal));
  }
  if (bad.length > 0 && unreadable === "fail") return unreadableArgument(bad, indexLimitBytes);
  return { ok: true, value: { commit: commit.value, notes, ...(unreadable === "report" ? { unreadable: bad } : {}) } };
}

async function noteOf(
  entry: NoteEntry,
  read: Extract<LoadedBytes, { readonly kind: "note" }>,
  part: Part | null,
  snapshot: Snapshot,
  engine: Engine,
  signal: AbortSignal,
): Promise<Note> {
  const { facts } = digestNote(read.text);
  const { bodyAt } = readFrontMatter(read.text);
  const all = scanLinks(read.text, bodyAt);
  const shown = part === null ? all : all.filter(({ start }) => start >= part.textStart && start < part.textEnd);
  const links = await resolveLinks(shown, entry.path, snapshot, (text) => engine.aliasOf(snapshot, text, signal));
  const whole = { path: entry.path, ...facts, content: read.text, links };
  if (part === null || (part.start === 0 && part.end === part.total)) return whole;
  const { start, end, total, nextStart } = part;
  return { ...whole, content: part.content, partial: true, range: { start, end, total, next_start: nextStart } };
}

function checkPaths({ paths, range }: ReadQuery): Outcome<readonly string[]> {
  if (paths.length < 1 || paths.length > maxPaths) return invalid(`One read names 1 to ${maxPaths} paths.`);
  if (range !== undefined && paths.length !== 1) return invalid("A byte range is for one note; name one path.");
  for (const [index, path] of paths.entries()) {
    const checked = checkNotePath(path, `paths.${index}`);
    if (!checked.ok) return checked;
  }
  return { ok: true, value: paths };
}

/** Exact bytes first; a path in another normal form finds the note it must mean. */
function findNotes(paths: readonly string[], snapshot: Snapshot): Outcome<readonly NoteEntry[]> {
  const entries: NoteEntry[] = [];
  const missing: string[] = [];
  for (const [index, path] of paths.entries()) {
    const exact = snapshot.byPath.get(path);
    const alike = exact === undefined ? snapshot.byNfcPath(path) : [exact];
    const [entry] = alike;
    if (isLink(path, snapshot)) {
      const message = "The path is a symbolic link or a submodule, or lies behind one; those are never followed.";
      return refused({ code: "PATH_NOT_ALLOWED", message, field: `paths.${index}`, details: { rule: "link", path } });
    }
    if (entry === undefined || alike.length > 1) missing.push(path);
    else if (entries.includes(entry)) return invalid("The same note is named twice.");
    else entries.push(entry);
  }
  if (missing.length === 0) return { ok: true, value: entries };
  const message = `${missing.length === 1 ? "One path names" : `${missing.length} paths name`} no note at this commit; the details list ${missing.length === 1 ? "it" : "them"}. List or search for the right path.`;
  return refused({ code: "NOT_FOUND", message, field: "paths", details: { missing } });
}

function isLink(path: string, snapshot: Snapshot): boolean {
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) if (snapshot.links.has(path.slice(0, at))) return true;
  return snapshot.links.has(path);
}

function invalid(message: string): Outcome<never> {
  return refused({ code: "INVALID_ARGUMENT", message, field: "paths" });
}

function refused(fault: Fault): Outcome<never> {
  return { ok: false, fault };
}
