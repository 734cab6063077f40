/** What a link points at: reading the target of a wiki link, the destination of a Markdown link, an address in angle brackets. */

export type RawLink = {
  readonly form: "wiki" | "markdown";
  /** Offset of the link in UTF-16 code units. */
  readonly start: number;
  /** Decoded, without anchor; empty = the note itself. */
  readonly target: string;
  readonly anchor: string | null;
};

type Target = Pick<RawLink, "target" | "anchor">;

/** Longest destination read, in UTF-16 code units. It bounds the work on a note full of openings without an end. */
const maxDestination = 2048;
const maxParentheses = 32;
const escape = /\\([!-/:-@[-`{-~])/g;
const address = /^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>/;

/** `TARGET#ANCHOR|SHOWN`. A table row must write the bar as `\|`; that is the same separator. `null` = names nothing. */
export function splitWikiTarget(inner: string): Target | null {
  const bar = inner.indexOf("|");
  const named = bar === -1 ? inner : inner.slice(0, bar > 0 && inner[bar - 1] === "\\" ? bar - 1 : bar);
  const { target, anchor } = splitAnchor(named);
  return target === "" && anchor === null ? null : { target, anchor };
}

/** A destination as written, percent-decoded (what cannot be decoded stays as it is). */
export function splitMarkdownTarget(written: string): Target | null {
  if (isAddress(written)) return { target: written, anchor: null };
  const { target, anchor } = splitAnchor(written);
  if (target === "" && anchor === null) return null;
  return { target: percentDecoded(target), anchor: anchor === null ? null : percentDecoded(anchor) };
}

/** An address outside the vault: a scheme of two letters or more (a drive letter is none), or `//host`. */
export function isAddress(target: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]+:/.test(target) || target.startsWith("//");
}

function splitAnchor(text: string): Target {
  const hash = text.indexOf("#");
  if (hash === -1) return { target: text.trim(), anchor: null };
  const anchor = text.slice(hash + 1).trim();
  return { target: text.slice(0, hash).trim(), anchor: anchor === "" ? null : anchor };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads `DESTINATION "title")` from behind the `(`, or from behind the `:` of a definition. `null` = not a link. */
export function destination(
  text: string,
  from: number,
  end: number,
  isDefinition: boolean,
): { readonly target: string; readonly after: number } | null {
  let at = skipSpace(text, from, end);
  const limit = Math.min(end, at + maxDestination);
  let target: string;
  if (text[at] === "<") {
    const stop = firstOf(text, at + 1, limit, /[<>\n]/);
    if (stop === -1 || text[stop] !== ">") return null;
    target = text.slice(at + 1, stop);
    at = stop + 1;
  } else {
    const start = at;
    let depth = 0;
    for (; at < limit; at += 1) {
      const unit = text[at] ?? "";
      if (unit <= " ") break;
      if (unit === "\\") at += 1;
      else if (unit === "(") depth += 1;
      else if (unit === ")" && !isDefinition) {
        if (depth === 0) break;
        depth -= 1;
      }
      if (depth > maxParentheses) return null;
    }
    at = Math.min(at, end);
    if (at - start >= maxDestination || (depth !== 0 && !isDefinition)) return null;
    target = text.slice(start, at);
  }
  target = target.replace(escape, "$1");
  if (isDefinition) return target === "" ? null : { target, after: at };
  const behind = skipSpace(text, at, end);
  if (text[behind] === ")" && behind < end) return { target, after: behind + 1 };
  const title = behind > at ? skipTitle(text, behind, Math.min(end, behind + maxDestination)) : -1;
  const close = title === -1 ? -1 : skipSpace(text, title, end);
  return close !== -1 && close < end && text[close] === ")" ? { target, after: close + 1 } : null;
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t" || text[at] === "\n" || text[at] === "\r")) at += 1;
  return at;
}

/** Offset behind the title that begins at `at`; -1 = there is none. */
function skipTitle(text: string, at: number, end: number): number {
  const close = text[at] === "(" ? ")" : text[at];
  if (close !== '"' && close !== "'" && close !== ")") return -1;
  for (let inside = at + 1; inside < end; inside += 1) {
    if (text[inside] === "\\") inside += 1;
    else if (text[inside] === close) return inside + 1;
  }
  return -1;
}

function firstOf(text: string, from: number, end: number, pattern: RegExp): number {
  for (let at = from; at < end; at += 1) if (pattern.test(text[at] ?? "")) return at;
  return -1;
}

/** `<https://example.com>` and its like. */
export function autolink(text: string, at: number, end: number): { readonly target: string; readonly after: number } | null {
  const match = address.exec(text.slice(at, Math.min(end, at + maxDestination)));
  return match?.[1] === undefined ? null : { target: match[1], after: at + match[0].length };
}
