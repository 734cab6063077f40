/** The product as a process of its own: `node infra/cli/postern.js serve`, as a user starts it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";

const bin = fileURLToPath(new URL("../../infra/cli/postern.js", import.meta.url));

export type PosternProcess = {
  readonly child: ChildProcess;
  readonly port: number;
  readonly operations: number;
  readonly folder: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
  /** Resolves at the line `ready`; rejects with its words if it ends before. */
  readonly ready: Promise<void>;
  /** A bearer through `postern token`. */
  readonly token: () => Promise<string>;
  /** Kills what is left and removes the folder. */
  readonly clean: () => Promise<void>;
};

export type ProcessOptions = {
  readonly args?: readonly string[];
  readonly config?: (port: number, operations: number) => string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of a process before, to start in again. */
  readonly folder?: string;
};

export async function startProcess({ args = ["serve"], config, env = {}, folder: given }: ProcessOptions = {}): Promise<PosternProcess> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), "postern-process-")));
  const [port, operations] = [await freePort(), await freePort()];
  const text = config === undefined ? `operations: 127.0.0.1:${operations}\n` : config(port, operations);
  await writeFile(join(folder, "postern.yaml"), text);
  const surroundings = { PATH: process.env["PATH"], HOME: folder, PORT: String(port), POSTERN_HOME: join(folder, "home"), ...env };
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env: surroundings, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  const ended = new Promise<number | string>((resolve) => child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown")));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      if (/^ready /m.test(out)) resolve();
    });
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    void ended.then((code) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  ready.catch(() => undefined);
  const clean = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const token = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, [bin, "token"], { cwd: folder, env: surroundings })).stdout.trim();
  return { child, port, operations, folder, token, stdout: () => out, stderr: () => err, ended, ready, clean };
}
