/** The piece of a note shown beside a hit: always a part of the original text, cut between code points. */
import { fold, unfoldRange } from "./fold.ts";
import { readFrontMatter } from "./markdown/front-matter.ts";

/** Longest snippet in code points. */
const maxSnippet = 160;
/** Code points shown before the hit. */
const lead = 40;

/**
 * Around the first place where one of `terms` stands in the body, else, for a match of the body, in the front matter.
 * A note that only its title matched shows the first line of its body that is not blank.
 */
export function snippetOf(text: string, terms: readonly string[], location: "title" | "body"): string {
  const { bodyAt } = readFrontMatter(text);
  const inBody = firstHit(text, bodyAt, terms);
  const hit = inBody ?? (location === "body" ? firstHit(text.slice(0, bodyAt), 0, terms) : null);
  return hit === null ? firstLine(text.slice(bodyAt)) : around(text, hit.start, hit.end, inBody === null ? 0 : bodyAt);
}

function firstHit(text: string, from: number, terms: readonly string[]): { readonly start: number; readonly end: number } | null {
  const part = text.slice(from);
  const folded = fold(part);
  let start = -1;
  let end = -1;
  for (const term of terms) {
    const at = folded.indexOf(term);
    if (at === -1 || (start !== -1 && at >= start)) continue;
    start = at;
    end = at + term.length;
  }
  if (start === -1) return null;
  const place = unfoldRange(part, start, end);
  return { start: from + place.start, end: from + place.end };
}

/** Nothing before `from` is shown: a hit in the body brings no front matter along. */
function around(text: string, hitStart: number, hitEnd: number, from: number): string {
  const before = Array.from(text.slice(Math.max(from, hitStart - 2 * lead), hitStart)).slice(-lead);
  // The cut may have split a pair at the far end; half a pair is no text.
  const start = hitStart - before.filter((point) => point.isWellFormed()).join("").length;
  const shown = Array.from(text.slice(start, Math.max(hitEnd, start + 2 * maxSnippet))).slice(0, maxSnippet);
  return shown
    .filter((point) => point.isWellFormed())
    .join("")
    .trim();
}

function firstLine(body: string): string {
  const line = /^[^\S\n]*(\S[^\n]*)/m.exec(body)?.[1] ?? "";
  return Array.from(line.slice(0, 2 * maxSnippet))
    .slice(0, maxSnippet)
    .filter((point) => point.isWellFormed())
    .join("")
    .trim();
}
