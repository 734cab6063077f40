/** What is kept of every note: its front matter and title. It depends on the bytes alone, so one blob has one digest. */
import type { NoteFacts, Scalar } from "../ports.ts";
import { fold } from "./fold.ts";
import { readFrontMatter } from "./markdown/front-matter.ts";
import { firstHeading } from "./markdown/scan-note.ts";
import { lastSegment } from "./snapshot.ts";

export type Digest = {
  /** Title in the front matter, else the first heading; `null` = the note has neither and is called after its file. */
  readonly title: string | null;
  readonly foldedTitle: string | null;
  readonly description: Scalar;
  readonly facts: NoteFacts;
  readonly aliases: readonly string[];
  /** Bytes this digest roughly takes in memory. */
  readonly weight: number;
};

/** Longest title kept, in UTF-16 code units: a heading may be a whole paragraph. */
const maxTitleLength = 512;

export function digestNote(text: string): Digest {
  const { bodyAt, title: written, description, type, status, verified, aliases, error } = readFrontMatter(text);
  const title = own(shortened(written ?? firstHeading(text, bodyAt)));
  const facts: NoteFacts = {
    type: own(type),
    status: own(status),
    verified: own(verified),
    ...(error === null ? {} : { metadata_error: error }),
  };
  const foldedTitle = title === null ? null : fold(title);
  const held = JSON.stringify([title, description, facts, aliases]).length;
  return { title, foldedTitle, description: own(description), facts, aliases: aliases.map(own), weight: 400 + 2 * held };
}

/** A copy of a text. What was cut out of a note keeps the whole note in memory in V8, and digests stay for long. */
function own<Value extends Scalar>(value: Value): Value | string {
  return typeof value === "string" ? new TextDecoder().decode(new TextEncoder().encode(value)) : value;
}

/** What a note is called in lists and search. */
export function titleOf(path: string, digest: Digest): string {
  return digest.title ?? fileTitle(path);
}

export function foldedTitleOf(path: string, digest: Digest): string {
  return digest.foldedTitle ?? fold(fileTitle(path));
}

/** The file's name without `.md`. */
function fileTitle(path: string): string {
  return lastSegment(path).slice(0, -".md".length);
}

function shortened(title: string | null): string | null {
  if (title === null || title.length <= maxTitleLength) return title;
  const cut = title.slice(0, maxTitleLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
