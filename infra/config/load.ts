/**
 * From the text of a configuration to the one frozen value everything else reads. All problems are reported, not only the
 * first. Pure: files, environment and home folder come in as arguments.
 */
import { complaintsOf } from "./complaints.ts";
import { type ConfigDocument, parseConfigDocument } from "./document.ts";
import type { Problem } from "./problem.ts";
import type { Loaded, Surroundings } from "./config.ts";
import { resolveConfig } from "./resolve.ts";
import { configSchema } from "./schema.ts";
import { expand, type UnsetVariables, unsetVariables, withoutValue } from "./variables.ts";

/** `text` null = no file: the built-in default. */
export function loadConfig(text: string | null, surroundings: Surroundings): Loaded {
  const document = parseConfigDocument(text ?? "{}");
  if (document.problems.length > 0) return { ok: false, problems: document.problems };
  return readDocument(document, surroundings);
}

function readDocument(document: ConfigDocument, surroundings: Surroundings): Loaded {
  // A file with nothing but comments is no configuration somebody meant: it is what a broken write leaves.
  if (document.value === null)
    return refused([{ line: 1, column: 1, path: "", message: "is empty; delete the file to run with the built-in default" }]);
  const unset = unsetVariables(document.value, surroundings.lookUp);
  const parsed = configSchema.safeParse(expand(document.value, surroundings.lookUp), { reportInput: true });
  const loaded = parsed.success
    ? resolveConfig(parsed.data, surroundings, { placeOf: document.placeOf, unset })
    : refused(complaintsOf(parsed.error, configSchema, document));
  return loaded.ok ? loaded : refused(loaded.problems.map((problem) => withCause(problem, unset)));
}

function withCause(problem: Problem, unset: UnsetVariables): Problem {
  const names = unset.get(problem.path);
  return names === undefined ? problem : { ...problem, message: `${problem.message}; ${withoutValue(names)}` };
}

function refused(problems: readonly Problem[]): Loaded {
  return { ok: false, problems };
}
