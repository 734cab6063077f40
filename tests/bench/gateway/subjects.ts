/** The servers that are compared: Postern from source and as the published bundle, and the two references. */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../support/free-port.ts";
import type { Target } from "../load/ping-call.ts";
import { type ServerCommand, type ServerProcess, startServer } from "./server-process.ts";

export type Running = { readonly process: ServerProcess; readonly target: Target };
export type Subject = {
  readonly name: string;
  /** Starts it on a free port, with the state it left behind the last time. */
  start(): Promise<ServerProcess>;
  /** Starts it and gets a bearer where it wants one. */
  serve(): Promise<Running>;
};
export type Subjects = { readonly source: Subject; readonly bare: Subject; readonly sdk: Subject };

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** All files they write are under `scratch`. */
export function subjectsIn(scratch: string): Subjects {
  return {
    source: postern("postern from source", join(repository, "infra/cli/postern.js"), join(scratch, "source")),
    bare: reference("bare Hono", "bare-handler.ts", scratch),
    sdk: reference("official SDK", "sdk-handler.ts", scratch),
  };
}

/** The product as a user starts it: no configuration, its own data directory, the embedded authorization server. */
export function postern(name: string, bin: string, folder: string): Subject {
  const command = async (port: number): Promise<ServerCommand> => {
    await mkdir(folder, { recursive: true });
    return { name, args: [bin, "serve"], cwd: folder, logFile: join(folder, "log"), env: environment(folder, port) };
  };
  const start = async (): Promise<ServerProcess> => startServer(await command(await freePort()));
  return {
    name,
    start,
    serve: async () => {
      const process = await start();
      const env = environment(folder, Number(new URL(process.url).port));
      return { process, target: { url: process.url, bearer: await token(bin, folder, env) } };
    },
  };
}

function environment(folder: string, port: number): Record<string, string> {
  return { PORT: String(port), POSTERN_HOME: join(folder, "home"), NODE_COMPILE_CACHE: join(folder, "compile-cache") };
}

async function token(bin: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, "token"], { cwd, env: { ...process.env, ...env } });
  return stdout.trim();
}

function reference(name: string, file: string, scratch: string): Subject {
  const program = fileURLToPath(new URL(`../references/${file}`, import.meta.url));
  const start = async (): Promise<ServerProcess> =>
    startServer({ name, args: [program, String(await freePort())], cwd: scratch, logFile: join(scratch, `${file}.log`), env: {} });
  return {
    name,
    start,
    serve: async () => {
      const process = await start();
      const bearer = process.lines.find((line) => line.startsWith("bearer "))?.slice(7) ?? null;
      return { process, target: { url: process.url, bearer } };
    },
  };
}
