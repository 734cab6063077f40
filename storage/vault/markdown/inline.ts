/** Finds the links in one run of text, left to right; whatever begins first hides what stands inside it. */
import { runLength } from "./block-marks.ts";
import type { Closers } from "./closers.ts";
import { autolink, destination, type RawLink, splitMarkdownTarget, splitWikiTarget } from "./link-target.ts";

const escapable = /[!-/:-@[-`{-~]/;
/** Elements whose content is shown as it stands (CommonMark 4.6, HTML block 1). */
const rawElement = /^<(pre|script|style|textarea)[\s>]/;

/**
 * Hands every link of `[start, end)` to `emit`. Returns where the note goes on if a comment or a formula that began
 * here ends behind `end`, else `null`.
 */
export function scanInline(text: string, start: number, end: number, closers: Closers, emit: (link: RawLink) => void): number | null {
  /** Offsets of the `[` that are still open. */
  const open: number[] = [];
  let at = start;

  /** Offset behind the hidden stretch that begins at `at`, or `at` if none does. */
  const hidden = (): number => {
    const unit = text[at];
    if (unit === "`") {
      const length = runLength(text, at, end, "`");
      const close = closers.backticks(length, at + length, end);
      return close === -1 ? at + length : close + length;
    }
    if (unit === "%" && text[at + 1] === "%") return behind("%%", at, 2);
    if (unit === "<") return hiddenByTag();
    if (unit !== "$") return at;
    if (text[at + 1] === "$") {
      const close = closers.find("$$", at + 2);
      if (close === -1 || (close >= end && !isFirstOnLine(text, at))) return at + 2;
      return close + 2;
    }
    if (/\s/.test(text[at + 1] ?? " ")) return at;
    const close = closers.dollar(at + 1, end);
    return close === -1 ? at : close + 1;
  };

  const hiddenByTag = (): number => {
    if (text.startsWith("<!-->", at)) return at + 5;
    if (text.startsWith("<!--", at)) return behind("-->", at, 4);
    const element = rawElement.exec(text.slice(at, at + 12))?.[1];
    return element === undefined ? at : behind(`</${element}>`, at, element.length + 1);
  };

  /** Without its end, a mark at the head of a line hides the rest of the note, and any other means nothing. */
  const behind = (token: string, from: number, length: number): number => {
    const close = closers.find(token, from + length);
    if (close !== -1) return close + token.length;
    return isFirstOnLine(text, from) ? text.length : from + length;
  };

  const wiki = (): number => {
    const close = closers.find("]]", at + 2);
    if (close === -1 || close >= end) return at;
    const reopened = closers.find("[[", at + 1);
    const lineEnd = closers.find("\n", at);
    if ((reopened !== -1 && reopened < close) || (lineEnd !== -1 && lineEnd < close)) return at;
    const target = splitWikiTarget(text.slice(at + 2, close));
    if (target !== null) emit({ form: "wiki", start: at, ...target });
    return close + 2;
  };

  /** After `]`: an inline link, or at the head of a line the definition of a reference. */
  const afterBracket = (opened: number): number => {
    const isDefinition = text[at + 1] === ":" && isFirstOnLine(text, opened) && text[opened + 1] !== "^";
    if (text[at + 1] !== "(" && !isDefinition) return at + 1;
    const found = destination(text, at + 2, end, isDefinition);
    if (found === null) return at + 1;
    const target = splitMarkdownTarget(found.target);
    if (target !== null) emit({ form: "markdown", start: opened, ...target });
    return found.after;
  };

  while (at < end) {
    const unit = text[at];
    if (unit === "\\" && escapable.test(text[at + 1] ?? "")) {
      at += 2;
      continue;
    }
    if (unit === "[") {
      const after = text[at + 1] === "[" ? wiki() : at;
      if (after === at) open.push(at);
      at = after === at ? at + 1 : after;
      continue;
    }
    if (unit === "]") {
      const opened = open.pop();
      at = opened === undefined ? at + 1 : afterBracket(opened);
      continue;
    }
    const after = hidden();
    if (after > at) {
      at = after;
      continue;
    }
    if (unit === "<") {
      const link = autolink(text, at, end);
      if (link !== null) {
        emit({ form: "markdown", start: at, target: link.target, anchor: null });
        at = link.after;
        continue;
      }
    }
    at += 1;
  }
  return at > end ? at : null;
}

function isFirstOnLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text[before] === " " || text[before] === "\t" || text[before] === ">")) before -= 1;
  return before < 0 || text[before] === "\n";
}
