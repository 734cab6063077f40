/** Reads the configuration once, for a start or a command. */
import { dirname } from "node:path";
import { StartError } from "../start-error.ts";
import { type Config, loadConfig } from "./load.ts";
import { renderProblem } from "./problem.ts";
import { envFileOf, placeOf, type ProcessFacts, readIfThere, surroundingsOf } from "./sources.ts";

/** Throws a StartError that names every problem, a line each. */
export async function readConfiguration(facts: ProcessFacts): Promise<Config> {
  const place = placeOf(facts);
  const text = await readIfThere(place.path).catch((error: unknown) => {
    throw new StartError("configuration", `${place.path} cannot be read (${codeOf(error)})`);
  });
  if (text === null && place.isNamed) throw new StartError("configuration", `${place.path} does not exist (POSTERN_CONFIG names it)`);
  const envPath = envFileOf(text, dirname(place.path));
  const envText =
    envPath === null
      ? null
      : await readIfThere(envPath).catch((error: unknown) => {
          throw new StartError("configuration", `${envPath} cannot be read (${codeOf(error)})`);
        });
  const loaded = loadConfig(text, surroundingsOf(facts, place, text, envText, new Set()));
  if (loaded.ok) return loaded.config;
  throw new StartError(
    "configuration",
    `the configuration is not valid\n${loaded.problems.map((problem) => `  ${renderProblem(place.path, problem)}`).join("\n")}`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
