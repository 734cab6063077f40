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
import { expand } from "./variables.ts";

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
  const parsed = configSchema.safeParse(expand(document.value, surroundings.lookUp), { reportInput: true });
  if (!parsed.success) return refused(complaintsOf(parsed.error, configSchema, document));
  return resolveConfig(parsed.data, surroundings, document.placeOf);
}

function refused(problems: readonly Problem[]): Loaded {
  return { ok: false, problems };
}
