/** The two files a configuration is made of, and how to read them. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, resolve } from "node:path";
import { parseConfigDocument } from "./document.ts";
import type { Surroundings } from "./config.ts";
import { parseEnvFile, variables } from "./variables.ts";

export type ProcessFacts = { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string };

export type Place = {
  /** Absolute path of the configuration. */
  readonly path: string;
  /** Named by POSTERN_CONFIG: its absence is an error and not the built-in default. */
  readonly isNamed: boolean;
};

export function placeOf({ env, cwd }: ProcessFacts): Place {
  const named = env["POSTERN_CONFIG"] ?? "";
  return named === "" ? { path: resolve(cwd, "postern.yaml"), isNamed: false } : { path: resolve(cwd, named), isNamed: true };
}

/** Text of a file; null when there is none. Other failures are thrown. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    // A pipe would keep a reader waiting for good, and with it every reload; not to block is to see what it is.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile())
        throw Object.assign(new Error("not a regular file"), { code: (await file.stat()).isDirectory() ? "EISDIR" : "not a regular file" });
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Where the `env_file` of a configuration lies; null when it names none. `before` is the answer for a text that cannot be read
 * that far: a broken file does not say that its variables are elsewhere now.
 */
export function envFileOf(text: string | null, { env }: ProcessFacts, { path }: Place, before: string | null = null): string | null {
  if (text === null) return before;
  const { tree, problems } = parseConfigDocument(text);
  const named: unknown = tree.get("env_file");
  if (typeof named !== "string" || named === "") return problems.length > 0 || tree.contents === null ? before : null;
  if (named.startsWith("~/")) return resolve(env["HOME"] ?? homedir(), named.slice(2));
  return isAbsolute(named) ? named : resolve(dirname(path), named);
}

/** `heldBefore`: names this process has seen in the `env_file`; grows here. */
export function surroundingsOf(
  { env, cwd }: ProcessFacts,
  { path }: Place,
  text: string | null,
  envText: string | null,
  heldBefore: Set<string>,
): Surroundings {
  const fromFile = parseEnvFile(envText);
  for (const name of fromFile.keys()) heldBefore.add(name);
  const port = env["PORT"];
  const home = env["POSTERN_HOME"];
  return {
    lookUp: variables(env, fromFile, heldBefore),
    folder: text === null ? cwd : dirname(path),
    userHome: env["HOME"] ?? homedir(),
    ...(port === undefined ? {} : { port }),
    ...(home === undefined || home === "" ? {} : { home: resolve(cwd, home) }),
  };
}
