/** `${NAME}` in texts of the configuration. */
import { parseEnv } from "node:util";
import type { Path } from "./problem.ts";

export type Variables = (name: string) => string;

/**
 * `fromFile` is what the `env_file` holds and wins over the environment: it can be edited while Postern runs, and an edit
 * must count. A name that the file held before and holds no more is empty, not a stale value of the environment.
 */
export function variables(
  env: Readonly<Record<string, string | undefined>>,
  fromFile: ReadonlyMap<string, string>,
  heldBefore: ReadonlySet<string>,
): Variables {
  return (name) => fromFile.get(name) ?? (heldBefore.has(name) ? "" : (env[name] ?? ""));
}

/** A file that does not exist holds nothing. Some editors begin one with a byte order mark, which is no part of the first name. */
export function parseEnvFile(text: string | null): ReadonlyMap<string, string> {
  return new Map(
    text === null
      ? []
      : Object.entries(parseEnv(text.replace(/^\uFEFF/, ""))).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces references in every text of a plain tree, never in keys. A missing variable is an empty text. */
export function expand(value: unknown, lookUp: Variables): unknown {
  if (typeof value === "string") return value.replace(reference, (_whole, name: string) => lookUp(name));
  if (Array.isArray(value)) return value.map((item) => expand(item, lookUp));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, lookUp)]));
}

/** Dotted path of a setting -> the variables its text names that have no value. */
export type UnsetVariables = ReadonlyMap<string, readonly string[]>;

/** For the end of a sentence: `CLAUDE_AUD has no value`. */
export function withoutValue(names: readonly string[]): string {
  return `${names.join(" and ")} ${names.length === 1 ? "has" : "have"} no value`;
}

/** A missing variable is no fault by itself, but it is what somebody must know who looks at an empty setting. */
export function unsetVariables(value: unknown, lookUp: Variables): UnsetVariables {
  return new Map(unsetBelow(value, lookUp, []));
}

function unsetBelow(value: unknown, lookUp: Variables, path: Path): readonly (readonly [string, readonly string[]])[] {
  if (typeof value === "string") {
    const names = [...value.matchAll(reference)].flatMap(([, name = ""]) => (lookUp(name) === "" ? [name] : []));
    return names.length === 0 ? [] : [[path.join("."), names]];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => unsetBelow(item, lookUp, [...path, key]));
}
