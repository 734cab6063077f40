/** From what zod found to our own sentences, each with its place, and unknown keys with the nearest known one. */
import * as z from "zod";
import type { ConfigDocument } from "./document.ts";
import type { Path, Problem } from "./problem.ts";

export function complaintsOf(
  error: z.ZodError,
  schema: z.ZodType,
  { placeOf }: Pick<ConfigDocument, "placeOf">,
  prefix: Path = [],
): readonly Problem[] {
  return error.issues.flatMap((issue): readonly Problem[] => {
    const path = [...prefix, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
    if (issue.code === "unrecognized_keys") {
      const known = keysAt(schema, path.slice(prefix.length));
      return issue.keys.map((key) => ({ ...placeOf([...path, key]), path: path.join("."), message: unknownKey(key, known) }));
    }
    if (issue.code === "invalid_key")
      return [
        { ...placeOf(path), path: path.join("."), message: "is not a good name: lower-case letters, digits, - and _, at most 32 of them" },
      ];
    return [{ ...placeOf(path), path: path.join("."), message: sentenceOf(issue) }];
  });
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    // zod's own texts begin with a capital; ours continue the path.
    if (issue.input === undefined && /^(?:Invalid input|must)/.test(issue.message)) return "is missing";
    return issue.message.startsWith("must") ? issue.message : `must be ${article(issue.expected)}`;
  }
  return /^[a-z]/.test(issue.message) ? issue.message : "is not acceptable";
}

function article(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    object: "a block of settings",
    record: "a block of settings",
    array: "a list",
    string: "a text",
    boolean: "true or false",
    number: "a number",
    int: "a whole number",
  };
  return names[expected] ?? expected;
}

function unknownKey(key: string, known: readonly string[]): string {
  const shown = JSON.stringify(key.slice(0, 40));
  const nearest = nearestOf(key, known);
  return nearest === null
    ? `has an unknown key ${shown}; known are ${known.join(", ")}`
    : `has an unknown key ${shown}; did you mean ${JSON.stringify(nearest)}?`;
}

/** The known word that takes the fewest edits, if it is near enough to be meant. */
export function nearestOf(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(word.slice(0, 40), candidate) }))
    .toSorted((left, right) => left.edits - right.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : null;
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** Keys the schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  const [step, ...rest] = path;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return [...new Set(inner.options.flatMap((option) => keysAt(option, path)))];
  if (inner instanceof z.ZodRecord) return step === undefined ? [] : keysAt(inner.valueType, rest);
  if (inner instanceof z.ZodArray) return step === undefined ? [] : keysAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  if (step === undefined) return Object.keys(inner.shape);
  const next: z.core.$ZodType | undefined = inner.shape[String(step)];
  return next === undefined ? [] : keysAt(next, rest);
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
  )
    return unwrap(schema.def.innerType);
  return schema instanceof z.ZodPipe ? unwrap(schema.def.in) : schema;
}
