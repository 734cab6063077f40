/** Cursors: where a page ended, sealed together with the question, so that one cannot be used for another. */
import type { Fault, Sealer } from "../ports.ts";

/** What a page belongs to. `limit` is not part of it: the next page may be larger or smaller. */
export type Question = {
  readonly tool: "vault_list" | "vault_search";
  readonly vault: string;
  /** Folded terms of a search, `[]` for a listing: questions with the same answer are the same question. */
  readonly terms: readonly string[];
  readonly scope: "title" | "all";
  /** In NFC, without a closing slash. */
  readonly prefix: string;
};

/** The last item of a page. By path and not by number, so that it holds whatever the engine does in between. */
export type Position = {
  readonly commit: string;
  readonly group: "title" | "body";
  readonly path: string;
};

export type CursorReading =
  | { readonly ok: true; /** `null` = the first page. */ readonly position: Position | null }
  | { readonly ok: false; readonly fault: Fault };

const purpose = "vault-cursor";
const format = 1;

export async function sealCursor(sealer: Sealer, question: Question, position: Position): Promise<string> {
  return sealer.seal(purpose, JSON.stringify([format, await fingerprint(question), position.commit, position.group, position.path]));
}

/** A cursor that is absent or blank is the first page; anything that was not sealed for this very question is refused. */
export async function openCursor(
  sealer: Sealer,
  question: Question,
  cursor: string | undefined,
  commit: string | undefined,
): Promise<CursorReading> {
  if (cursor === undefined || cursor.trim() === "") return { ok: true, position: null };
  const payload = sealer.open(purpose, cursor);
  const sealed = payload === null ? null : parsed(payload);
  if (sealed === null) return invalid("The cursor was not issued here, or it was changed.");
  if (sealed.question !== (await fingerprint(question)))
    return invalid("The cursor belongs to another query, scope, prefix, tool or vault.");
  if (commit !== undefined && commit !== sealed.position.commit) return invalid("The cursor belongs to another commit than the one given.");
  return { ok: true, position: sealed.position };
}

/** SHA-256 of the question in hexadecimal: it keeps the cursor short and the query out of it. */
async function fingerprint({ tool, vault, terms, scope, prefix }: Question): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([tool, vault, terms, scope, prefix]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function parsed(payload: string): { readonly question: string; readonly position: Position } | null {
  let fields: unknown;
  try {
    fields = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!Array.isArray(fields) || fields[0] !== format) return null;
  const [, question, commit, group, path]: unknown[] = fields;
  if (typeof question !== "string" || typeof commit !== "string" || typeof path !== "string") return null;
  return group === "title" || group === "body" ? { question, position: { commit, group, path } } : null;
}

function invalid(message: string): CursorReading {
  return { ok: false, fault: { code: "INVALID_CURSOR", message: `${message} Start again without a cursor.`, field: "cursor" } };
}
