/**
 * JSON from outside, read so that no two readers can disagree: a key that stands twice in one object is refused
 * (RFC 8259 section 4 leaves its meaning open), and nesting is bounded before anything recursive runs.
 */
import { isRecord } from "./messages.ts";

export type JsonProblem = "syntax" | "duplicate_key" | "too_deep";
export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

/** `maxDepth`: how many objects and arrays may stand inside one another. */
export function parseJson(text: string, maxDepth: number): ParsedJson {
  const colons = countColons(text, maxDepth);
  if (colons === null) return { ok: false, problem: "too_deep" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: "syntax" };
  }
  // Every member is written with one colon outside strings; where a key came twice, one colon has no member left.
  return countMembers(value) === colons ? { ok: true, value } : { ok: false, problem: "duplicate_key" };
}

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** Colons outside strings; null = nested deeper than `maxDepth`. Takes broken JSON too, which JSON.parse then refuses. Linear in the text. */
function countColons(text: string, maxDepth: number): number | null {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === colon) {
      colons += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return null;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return colons;
}

/** Members of all objects in a value that JSON.parse made; recursion is bounded by `maxDepth` above. No list of them is made on the way. */
function countMembers(value: unknown): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
  } else if (isRecord(value)) {
    for (const key in value) members += 1 + countMembers(value[key]);
  }
  return members;
}

/** Index of the closing quote of the string that opens at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
