/** Reads the configuration once, for a start or a command. */
import { StartError } from "../start-error.ts";
import type { Config, Loaded } from "./config.ts";
import { loadConfig } from "./load.ts";
import { renderProblem } from "./problem.ts";
import { envFileOf, placeOf, type ProcessFacts, readIfThere, surroundingsOf } from "./sources.ts";

/** `file` null = there is none, and the built-in default is in force. */
export type Inspection = { readonly file: string | null; readonly loaded: Loaded };

/** Throws a StartError when a file cannot be read or the named one is missing; what is wrong inside it is a value. */
export async function inspectConfiguration(facts: ProcessFacts): Promise<Inspection> {
  const place = placeOf(facts);
  const text = await readOrExplain(place.path);
  if (text === null && place.isNamed) throw new StartError("configuration", `${place.path} does not exist (POSTERN_CONFIG names it)`);
  const envPath = envFileOf(text, facts, place);
  const envText = envPath === null ? null : await readOrExplain(envPath);
  return { file: text === null ? null : place.path, loaded: loadConfig(text, surroundingsOf(facts, place, text, envText, new Set())) };
}

/** Throws a StartError that names every problem, a line each. */
export async function readConfiguration(facts: ProcessFacts): Promise<Config> {
  const { file, loaded } = await inspectConfiguration(facts);
  if (loaded.ok) return loaded.config;
  const lines = loaded.problems.map((problem) => `  ${renderProblem(file ?? "postern.yaml", problem)}`);
  throw new StartError("configuration", `the configuration is not valid\n${lines.join("\n")}`);
}

async function readOrExplain(path: string): Promise<string | null> {
  try {
    return await readIfThere(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new StartError("configuration", `${path} cannot be read (${code})`);
  }
}
