/** `search`: notes that hold every term, a page at a time, each with a piece of its text. */
import type { Outcome, Page, SearchHit, SearchQuery, UnreadableNote } from "../ports.ts";
import { openCursor, type Question, sealCursor } from "./cursor.ts";
import { titleOf } from "./digest.ts";
import { checkLimit } from "./limit.ts";
import type { PageSettings } from "./list-notes.ts";
import { findMatches, type Match, termsOf } from "./match.ts";
import type { LoadedBytes, NoteStore } from "./note-store.ts";
import { checkPrefix } from "./path.ts";
import { snippetOf } from "./snippet.ts";
import { unavailable } from "./unavailable.ts";
import { reported, unreadableSnapshot } from "./unreadable.ts";
import { untilAborted } from "./work.ts";

export type SearchSettings = PageSettings & { readonly store: NoteStore };

export async function searchNotes(settings: SearchSettings, query: SearchQuery, signal: AbortSignal): Promise<Outcome<Page<SearchHit>>> {
  const { vault, engine, sealer, store, unreadable } = settings;
  const limit = checkLimit(query.limit);
  if (!limit.ok) return limit;
  const asked = termsOf(query.query);
  if (!asked.ok) return asked;
  const checked = checkPrefix(query.prefix ?? "");
  if (!checked.ok) return checked;
  const prefix = checked.path.normalize("NFC");
  const { terms } = asked;
  const question: Question = { tool: "vault_search", vault, terms, scope: query.scope, prefix };
  const cursor = await openCursor(sealer, question, query.cursor, query.commit);
  if (!cursor.ok) return cursor;
  const { position } = cursor;

  const commit = await engine.commit(position?.commit ?? query.commit, signal);
  if (!commit.ok) return commit;
  const snapshot = await engine.snapshot(commit.value, signal);
  if (!snapshot.ok) return snapshot;
  const notes = await engine.notes(snapshot.value, prefix, signal);
  if (!notes.ok) return notes;
  const bad = notes.value.unreadable;
  if (bad.length > 0 && unreadable === "fail") return unreadableSnapshot(bad);

  const found = await findMatches(notes.value.readable, terms, query.scope, position, query.limit + 1, store, signal);
  if (found.kind === "lost") return lost(found.note.entry.path, found.loaded);
  const page = found.matches.slice(0, query.limit);
  const items: SearchHit[] = [];
  for (const match of page) {
    const hit = await hitOf(match, terms, store, signal);
    if (!hit.ok) return hit;
    items.push(hit.value);
  }
  const last = found.matches.length > page.length ? page.at(-1) : undefined;
  return {
    ok: true,
    value: {
      commit: commit.value,
      items,
      next_cursor:
        last === undefined
          ? null
          : await sealCursor(sealer, question, { commit: commit.value, group: last.location, path: last.note.entry.path }),
      ...(unreadable === "report" ? reported(bad) : {}),
    },
  };
}

async function hitOf(
  { note, location }: Match,
  terms: readonly string[],
  store: NoteStore,
  signal: AbortSignal,
): Promise<Outcome<SearchHit>> {
  const { entry, digest } = note;
  const read = await untilAborted(store.original(entry), signal);
  if (read.kind !== "note") return lost(entry.path, read);
  const snippet = snippetOf(read.text, terms, location);
  return { ok: true, value: { path: entry.path, title: titleOf(entry.path, digest), snippet, match_location: location } };
}

/** A note that could be read a moment ago: nothing is left out in silence, under either policy. */
function lost(path: string, loaded: Exclude<LoadedBytes, { readonly kind: "note" }>): ReturnType<typeof unavailable> {
  if (loaded.kind === "unavailable") return unavailable(loaded.reason);
  const note: UnreadableNote = { path, ...loaded.why };
  return unreadableSnapshot([note]);
}
