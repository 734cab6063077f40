/** The links of a note and its first heading. */
import { createBlockScanner } from "./blocks.ts";
import { createClosers } from "./closers.ts";
import { scanInline } from "./inline.ts";
import type { RawLink } from "./link-target.ts";

/** Every link behind `from`, in order of appearance. Never throws; time grows with the length of the note. */
export function scanLinks(text: string, from: number): readonly RawLink[] {
  const links: RawLink[] = [];
  const blocks = createBlockScanner(text, from);
  const closers = createClosers(text);
  for (let run = blocks.next(); run !== null; run = blocks.next()) {
    const resumeAt = scanInline(text, run.start, run.end, closers, (link) => links.push(link));
    if (resumeAt !== null) blocks.skipTo(resumeAt);
  }
  return links.sort((left, right) => left.start - right.start);
}

/** Longest heading looked at, in UTF-16 code units. */
const maxHeading = 2048;

/** Text of the first heading that has any, without its marks; comments and code hold none. `null` = no heading. */
export function firstHeading(text: string, from: number): string | null {
  const blocks = createBlockScanner(text, from);
  const closers = createClosers(text);
  for (let run = blocks.next(); run !== null; run = blocks.next()) {
    if (run.heading !== null) {
      const end = Math.min(run.heading.end, run.heading.start + maxHeading);
      const title = text
        .slice(run.heading.start, end)
        .replace(/<!--[^]*?-->/g, " ")
        .replace(/\s+/gu, " ")
        .trim();
      if (title !== "") return title;
    }
    const resumeAt = scanInline(text, run.start, run.end, closers, () => undefined);
    if (resumeAt !== null) blocks.skipTo(resumeAt);
  }
  return null;
}
