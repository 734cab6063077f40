/**
 * Cuts Markdown into runs of text: paragraphs, headings, list items. Fenced and indented code is left out. It follows
 * CommonMark (spec.commonmark.org/0.31.2, sections 4 and 5) as far as that decides what is code; it never throws.
 */
import { closesFence, columnsAt, type Fence, listMarker, openFence, skipQuotes } from "./block-marks.ts";

export type Run = {
  /** Offsets in UTF-16 code units; line ends and the marks of quotes and lists inside the run are part of it. */
  readonly start: number;
  readonly end: number;
  /** For a heading: where its text stands, without the marks. */
  readonly heading: Span | null;
};

export type BlockScanner = {
  /** The next run; `null` at the end. */
  next(): Run | null;
  /** Goes on in the middle of a line, as if it were the beginning of a paragraph. `offset` lies behind the last run. */
  skipTo(offset: number): void;
};

type Span = { readonly start: number; readonly end: number };

/** What a line means for the run before it. */
type Line =
  | { readonly kind: "text"; readonly span: Span }
  | { readonly kind: "heading"; readonly run: Run }
  /** The line above was a heading. */
  | { readonly kind: "underline" }
  /** Nothing to read here, and the run before it is over. */
  | { readonly kind: "border" }
  /** The run before it is over; the line begins another. */
  | { readonly kind: "item" }
  | { readonly kind: "code" };

const underline = /^(?:=+|-+)[ \t]*$/;
const rule = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const headingMark = /^#{1,6}(?=[ \t]|$)/;
const headingEnd = /(?:^|[ \t]+)#+[ \t]*$/;

/** A line that could be a rule, an underline or a heading is short; longer ones are not searched for it. */
const maxMarkedLine = 2048;

export function createBlockScanner(text: string, from: number): BlockScanner {
  let at = from;
  let fence: Fence | null = null;
  /** Columns at which the contents of the open list items begin, outermost first. */
  let lists: number[] = [];
  let quoteDepth = 0;
  let inMiddleOfLine = false;
  let pending: Run | null = null;

  const classify = (start: number, end: number, hasRun: boolean): Line => {
    if (inMiddleOfLine) {
      inMiddleOfLine = false;
      return { kind: "text", span: { start, end } };
    }
    const quotes = skipQuotes(text, start, end);
    let { columns, content } = columnsAt(text, quotes.at, end, quotes.column);
    if (fence !== null) {
      if (quotes.depth >= fence.quoteDepth && (content === end || columns >= fence.column)) {
        if (closesFence(fence, text, content, end, columns)) fence = null;
        return { kind: "code" };
      }
      fence = null;
    }
    if (quotes.depth !== quoteDepth && !hasRun) lists = [];
    quoteDepth = quotes.depth;
    if (content === end) return { kind: "border" };
    while (columns < (lists.at(-1) ?? 0)) lists.pop();
    let base = lists.at(-1) ?? 0;
    // Four columns in, it is code, unless it goes on with a paragraph.
    if (columns - base >= 4) return hasRun ? { kind: "text", span: { start: content, end } } : { kind: "code" };
    if (rule.test(text.slice(content, Math.min(end, content + maxMarkedLine))) && !(hasRun && text[content] === "-"))
      return { kind: "border" };
    let marker = listMarker(text, content, end, columns);
    if (marker !== null && hasRun) return { kind: "item" };
    while (marker !== null) {
      lists.push(marker.contentColumn);
      base = marker.contentColumn;
      const inner = skipQuotes(text, marker.at, end);
      ({ columns, content } = columnsAt(text, inner.at, end, inner.depth === 0 ? marker.column : base));
      if (content === end || columns - base >= 4) return { kind: "border" };
      marker = listMarker(text, content, end, columns);
    }
    const opened = openFence(text, content, end, quoteDepth, base);
    if (opened !== null) {
      fence = opened;
      return { kind: "border" };
    }
    const line = text.slice(content, Math.min(end, content + maxMarkedLine));
    if (hasRun && underline.test(line)) return { kind: "underline" };
    const mark = headingMark.exec(line)?.[0];
    if (mark === undefined) return { kind: "text", span: { start: content, end } };
    const headingStart = content + mark.length;
    const title = text.slice(headingStart, end).replace(headingEnd, "");
    return { kind: "heading", run: { start: content, end, heading: { start: headingStart, end: headingStart + title.length } } };
  };

  const next = (): Run | null => {
    const ready = pending;
    pending = null;
    if (ready !== null) return ready;
    let run: { readonly start: number; end: number; readonly heading: null } | null = null;
    while (at < text.length) {
      const start = at;
      const feed = text.indexOf("\n", at);
      const end = feed === -1 ? text.length : feed > at && text[feed - 1] === "\r" ? feed - 1 : feed;
      at = feed === -1 ? text.length : feed + 1;
      const line = classify(start, end, run !== null);
      if (line.kind === "text") {
        if (run === null) run = { ...line.span, heading: null };
        else run.end = line.span.end;
      } else if (line.kind === "heading") {
        if (run === null) return line.run;
        pending = line.run;
        return run;
      } else if (run !== null && line.kind !== "code") {
        if (line.kind === "item") at = start;
        return line.kind === "underline" ? { start: run.start, end, heading: { start: run.start, end: run.end } } : run;
      }
    }
    return run;
  };

  return {
    next,
    skipTo(offset) {
      pending = null;
      fence = null;
      at = offset;
      inMiddleOfLine = offset > 0 && text[offset - 1] !== "\n";
    },
  };
}
