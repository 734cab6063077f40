/** A server under measurement: its own process, known by its own id, read through /proc (Linux only), ended by a signal. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

export type ServerProcess = {
  readonly pid: number;
  /** The MCP endpoint, as the line `ready URL` said. */
  readonly url: string;
  /** From the spawn to the line `ready URL`. */
  readonly readyMs: number;
  /** Lines of standard output before `ready`. */
  readonly lines: readonly string[];
  /** User and system CPU of all its threads so far. */
  cpuMs(): number;
  /** Resident memory now; shared libraries included, children not. */
  residentBytes(): number;
  /** SIGTERM, then waits for the end. May be called again. */
  stop(): Promise<void>;
};

export type ServerCommand = {
  readonly name: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Takes its standard error: a file, because that is what a log costs at the least. */
  readonly logFile: string;
};

const readyWithinMs = 60_000;

/** @throws with the end of its log if it ends, or is not ready in time. */
export async function startServer({ name, args, env, cwd, logFile }: ServerCommand): Promise<ServerProcess> {
  const log = openSync(logFile, "a");
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", log] });
  closeSync(log);
  const killWithUs = (): void => void child.kill("SIGKILL");
  process.once("exit", killWithUs);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines: string[] = [];
  const { url, readyMs } = await new Promise<{ url: string; readyMs: number }>((resolve, reject) => {
    let text = "";
    const fail = (reason: string): void => {
      child.kill("SIGKILL");
      reject(new Error(`${name} ${reason}:\n${readFileSync(logFile, "utf8").slice(-2000)}`));
    };
    const timer = setTimeout(() => fail("was not ready in time"), readyWithinMs);
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      const whole = (text + chunk.toString()).split("\n");
      text = whole.pop() ?? "";
      for (const line of whole) {
        if (!line.startsWith("ready ")) {
          lines.push(line);
          continue;
        }
        clearTimeout(timer);
        resolve({ url: line.slice(6).trim(), readyMs: performance.now() - startedAt });
      }
    });
  });
  const pid = child.pid ?? Number.NaN;
  return {
    pid,
    url,
    readyMs,
    lines,
    cpuMs: () => cpuMs(pid),
    residentBytes: () => residentBytes(pid),
    stop: async () => {
      child.kill("SIGTERM");
      await gone;
      process.off("exit", killWithUs);
    },
  };
}

function cpuMs(pid: number): number {
  // First field of each thread's schedstat: nanoseconds on a CPU, user and system. /proc/PID/stat says the same in steps of
  // 10 ms, as much as a thousand calls. Node's threads live as long as it does, so none drops out of the sum.
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1_000_000;
}

function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kibibytes === undefined) throw new Error(`no resident size for process ${pid}`);
  return Number(kibibytes) * 1024;
}
