/**
 * JSON from outside, read so that no two readers can disagree: a key that stands twice in one object is refused
 * (RFC 8259 section 4 leaves its meaning open), and nesting is bounded before anything recursive runs.
 */

export type JsonProblem = "syntax" | "duplicate_key" | "too_deep";
export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

/** `maxDepth`: how many objects and arrays may stand inside one another. */
export function parseJson(text: string, maxDepth: number): ParsedJson {
  const shape = scan(text, maxDepth);
  if (shape === "too_deep") return { ok: false, problem: "too_deep" };
  try {
    const value: unknown = JSON.parse(text);
    return shape === "ok" ? { ok: true, value } : { ok: false, problem: shape };
  } catch {
    return { ok: false, problem: "syntax" };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** One pass over the text; tolerant of broken JSON, which JSON.parse refuses afterwards. Linear in the text. */
function scan(text: string, maxDepth: number): "ok" | "duplicate_key" | "too_deep" {
  const keysOfOpenObjects: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let duplicate = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (keys !== null && isFollowedByColon(text, end)) {
        const key = keyBetween(text, at, end);
        if (keys.has(key)) duplicate = true;
        keys.add(key);
      }
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (keysOfOpenObjects.length >= maxDepth) return "too_deep";
      keysOfOpenObjects.push(keys);
      keys = code === 0x7b ? new Set() : null;
    } else if (code === 0x7d || code === 0x5d) {
      keys = keysOfOpenObjects.pop() ?? null;
    }
  }
  return duplicate ? "duplicate_key" : "ok";
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

function isFollowedByColon(text: string, end: number): boolean {
  for (let at = end + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === colon) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return false;
  }
  return false;
}

/** The key as JSON reads it: `"m\u0065thod"` is `method`. A key that is no valid JSON string stands for itself. */
function keyBetween(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}
