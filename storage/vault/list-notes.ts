/** `list`: notes in byte order of their paths, a page at a time. */
import type { ListQuery, NoteSummary, Outcome, Page, Sealer } from "../ports.ts";
import { openCursor, type Question, sealCursor } from "./cursor.ts";
import { titleOf } from "./digest.ts";
import type { Engine } from "./engine.ts";
import { checkLimit } from "./limit.ts";
import { checkPrefix, comparePaths } from "./path.ts";
import { reported, type UnreadablePolicy, unreadableSnapshot } from "./unreadable.ts";

export type PageSettings = {
  readonly vault: string;
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly unreadable: UnreadablePolicy;
};

export async function listNotes(
  { vault, engine, sealer, unreadable }: PageSettings,
  query: ListQuery,
  signal: AbortSignal,
): Promise<Outcome<Page<NoteSummary>>> {
  const limit = checkLimit(query.limit);
  if (!limit.ok) return limit;
  const checked = checkPrefix(query.prefix ?? "");
  if (!checked.ok) return checked;
  const prefix = checked.path.normalize("NFC");
  const question: Question = { tool: "vault_list", vault, terms: [], scope: "all", prefix };
  const cursor = await openCursor(sealer, question, query.cursor, query.commit);
  if (!cursor.ok) return cursor;
  const { position } = cursor;

  const commit = await engine.commit(position?.commit ?? query.commit, signal);
  if (!commit.ok) return commit;
  const snapshot = await engine.snapshot(commit.value, signal);
  if (!snapshot.ok) return snapshot;
  const notes = await engine.notes(snapshot.value, prefix, signal);
  if (!notes.ok) return notes;
  if (notes.value.unreadable.length > 0 && unreadable === "fail") return unreadableSnapshot(notes.value.unreadable);

  const { readable } = notes.value;
  const start = position === null ? 0 : readable.findIndex(({ entry }) => comparePaths(entry.path, position.path) > 0);
  const page = start === -1 ? [] : readable.slice(start, start + query.limit);
  const last = page.at(-1);
  const isMore = last !== undefined && last !== readable.at(-1);
  return {
    ok: true,
    value: {
      commit: commit.value,
      items: page.map(({ entry, digest }) => ({
        path: entry.path,
        title: titleOf(entry.path, digest),
        description: digest.description,
        ...digest.facts,
      })),
      next_cursor: isMore ? await sealCursor(sealer, question, { commit: commit.value, group: "body", path: last.entry.path }) : null,
      ...(unreadable === "report" ? reported(notes.value.unreadable) : {}),
    },
  };
}
