/** How git is started: one closed environment for every process, and a way to run it once. */
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { unavailable } from "../unavailable.ts";

/** Which git, and how long to wait for it. */
export type GitProgram = {
  /** Command name or absolute path. Default `git`. */
  readonly command?: string;
  /** Folders searched for `command`, separated by `:`. Default `/usr/local/bin:/usr/bin:/bin`. */
  readonly searchPath?: string;
  /** Milliseconds without a byte from git after which the process is ended. Default 10,000. */
  readonly timeoutMs?: number;
};

export const defaultTimeoutMs = 10_000;

/**
 * The environment of every git process. Nothing is inherited: no system or personal configuration, no replaced or
 * grafted objects, no fetching of absent objects, no question at a terminal, no lock, and the repository named outright, so that git
 * never looks for one in a parent folder (git(1), "Environment Variables").
 */
export function gitEnvironment(gitDir: string, program: GitProgram): Record<string, string> {
  return {
    PATH: program.searchPath ?? "/usr/local/bin:/usr/bin:/bin",
    LC_ALL: "C",
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: "/dev/null",
    GIT_NO_LAZY_FETCH: "1",
    // For versions that do not know GIT_NO_LAZY_FETCH: no transport is allowed at all.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** A started process; `started` is false when it cannot run, and then nothing else of it may be used. */
export type GitStart =
  | { readonly started: true; readonly child: ChildProcess; readonly stdout: Socket; readonly stdin: Writable | null }
  | { readonly started: false; readonly errno: string };

/**
 * Spawns git. Some failures are thrown by `spawn` itself (EPERM in a sandbox), some leave a child without streams
 * (EMFILE), and some arrive as an `error` event (ENOENT, EACCES): the first two are told here, the last by the child.
 */
export function startGit(gitDir: string, program: GitProgram, args: readonly string[], stdin: "pipe" | "ignore"): GitStart {
  try {
    const child = spawn(program.command ?? "git", args, {
      cwd: gitDir,
      env: gitEnvironment(gitDir, program),
      // Standard error is dropped: it may quote names from the repository.
      stdio: [stdin, "pipe", "ignore"],
      windowsHide: true,
    });
    const { stdout } = child;
    // The pipes of a child are sockets, and a socket tells by itself when nothing came for a while.
    if (stdout instanceof Socket) return { started: true, child, stdout, stdin: child.stdin };
    child.on("error", () => undefined);
    return { started: false, errno: "EMFILE" };
  } catch (error) {
    return { started: false, errno: errnoOf(error) };
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}

export type GitRun =
  | { readonly kind: "done"; readonly exitCode: number; readonly stdout: Uint8Array }
  | { readonly kind: "cannot_start"; readonly errno: string }
  | { readonly kind: "timeout" }
  /** The repository was closed meanwhile. `runGit` itself never answers this. */
  | { readonly kind: "closed" };

/**
 * Runs git once and collects its standard output. `args` come from this folder's code, never from a caller. Throws the
 * signal's reason when the caller has left.
 */
export function runGit(gitDir: string, program: GitProgram, args: readonly string[], signal: AbortSignal): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const start = startGit(gitDir, program, args, "ignore");
    if (!start.started) {
      resolve({ kind: "cannot_start", errno: start.errno });
      return;
    }
    const { child, stdout } = start;
    const chunks: Uint8Array[] = [];
    const finish = (settle: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const stop = (): void => {
      child.kill("SIGKILL");
      stdout.destroy();
    };
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    stdout.setTimeout(program.timeoutMs ?? defaultTimeoutMs, () => {
      stop();
      finish(() => resolve({ kind: "timeout" }));
    });
    stdout.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    child.on("error", (error) => finish(() => resolve({ kind: "cannot_start", errno: errnoOf(error) })));
    child.on("close", (code) => finish(() => resolve({ kind: "done", exitCode: code ?? -1, stdout: joined(chunks) })));
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** The refusal for a run that did not do what it was for. */
export function runFault(run: GitRun): ReturnType<typeof unavailable> {
  if (run.kind === "done") return unavailable("git_failed");
  const reasons = { cannot_start: "git_cannot_start", timeout: "git_timeout", closed: "closed" } as const;
  return unavailable(reasons[run.kind]);
}
