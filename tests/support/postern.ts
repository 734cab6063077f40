/** Starts the real product for a test: own home, own ports, everything real. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tool } from "../../gateway/tool.ts";
import { run } from "../../infra/cli/main.ts";
import { type Running, startNode } from "../../infra/node.ts";
import { freePort } from "./free-port.ts";

export type Postern = Running & {
  readonly port: number;
  readonly home: string;
  /** Folder that holds `postern.yaml`, if there is one, and `home`. */
  readonly folder: string;
  /** Log lines so far, parsed; lines are written a moment after they are made. */
  readonly logs: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** A bearer through `postern token`. */
  readonly token: (client?: string) => Promise<string>;
  /** A command of the command line, in the same folder. */
  readonly cli: (...args: string[]) => Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
};

export type PosternOptions = {
  /** Text of `postern.yaml`, given the port; absent = no file, the built-in default. */
  readonly config?: (port: number) => string;
  readonly env?: Readonly<Record<string, string>>;
  readonly extraTools?: readonly Tool[];
};

/** The log collects lines for 20 ms. */
const logDelayMs = 60;

export async function startPostern({ config, env: more = {}, extraTools = [] }: PosternOptions = {}): Promise<Postern> {
  const folder = await mkdtemp(join(tmpdir(), "postern-test-"));
  const port = await freePort();
  const home = join(folder, "home");
  if (config !== undefined) await writeFile(join(folder, "postern.yaml"), config(port));
  const env = { PATH: process.env["PATH"], HOME: folder, PORT: String(port), POSTERN_HOME: home, ...more };
  let logged = "";
  const running = await startNode({ env, cwd: folder, extraTools, writeLog: (text) => void (logged += text) }).catch(
    async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    },
  );
  const cli: Postern["cli"] = async (...args) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await run(args, { env, cwd: folder, out: (line) => out.push(line), err: (line) => err.push(line) });
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  return {
    ...running,
    port,
    home,
    folder,
    cli,
    logs: async () => {
      await sleep(logDelayMs);
      const lines = logged.split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    token: async (client) => (await cli("token", ...(client === undefined ? [] : ["--client", client]))).out,
    stop: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
