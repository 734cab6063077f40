/**
 * One long-lived `git cat-file --batch` or `--batch-check`. Questions are answered in the order asked. A process that
 * dies on an object is replaced at once and asked again what it still owed; the object it dies on twice is broken. One
 * that cannot start, ends otherwise or falls silent fails everybody who waits, and is not started again before a pause
 * that doubles each time.
 */
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { Now } from "../../ports.ts";
import { type BatchFrame, type BatchObject, createBatchReader } from "./batch-reader.ts";
import { defaultTimeoutMs, type GitProgram, startGit } from "./git-program.ts";

export type BatchReply =
  | { readonly kind: "object"; readonly object: BatchObject }
  | { readonly kind: "missing" }
  /** git ended twice while answering this very question. */
  | { readonly kind: "corrupt" }
  | { readonly kind: "unavailable"; readonly reason: Loss | "closed" };

export type BatchProcess = {
  /** `name` is an object id, or the configured ref: never a caller's text. Throws the signal's reason when the caller has left. */
  ask(name: string, signal: AbortSignal): Promise<BatchReply>;
  /** Process id of the present process; `null` while none runs. */
  pid(): number | null;
  close(): Promise<void>;
};

type Question = { readonly name: string; deaths: number; readonly settle: (reply: BatchReply) => void; abandoned: boolean };
type Running = { readonly child: ChildProcess; readonly stdin: Writable; readonly stdout: Socket };
type Loss = "git_cannot_start" | "git_exited" | "git_timeout";

/** Questions written ahead of their answers. More gains nothing, and all of them must be asked again after an exit. */
const maxAhead = 64;
const firstPauseMs = 20;
const maxPauseMs = 5_000;
/** Exits in a row without one answer between them, after which git itself is taken to be at fault and not an object. */
const maxBarrenExits = 8;
/** Exit code of git's `die()`. */
const gitDied = 128;

export function createBatchProcess(mode: "--batch" | "--batch-check", gitDir: string, program: GitProgram, now: Now): BatchProcess {
  const timeoutMs = program.timeoutMs ?? defaultTimeoutMs;
  let running: Running | null = null;
  let ended: Promise<void> = Promise.resolve();
  let waiting: Question[] = [];
  let sent: Question[] = [];
  let barrenExits = 0;
  /** The pause before the next start: its beginning by the clock, and its length in milliseconds. */
  let pausedAtMs = 0;
  let pauseMs = 0;
  let isClosed = false;

  /** Silence counts only while an answer is owed. */
  const watch = (): void => {
    running?.stdout.setTimeout(sent.length === 0 ? 0 : timeoutMs);
  };

  /** A clock that was set back must not lengthen the pause. */
  const isPausing = (): boolean => pauseMs > 0 && Math.abs(now() - pausedAtMs) < pauseMs;

  const onFrame = (frame: BatchFrame): boolean => {
    const question = sent.shift();
    if (question === undefined) return false;
    if (frame.kind === "object" && /^[0-9a-f]+$/.test(question.name) && frame.object.oid !== question.name) {
      sent.unshift(question);
      return false;
    }
    barrenExits = 0;
    question.settle(frame);
    return true;
  };

  const failAll = (reason: Loss | "closed"): void => {
    const owed = [...sent, ...waiting];
    sent = [];
    waiting = [];
    for (const question of owed) question.settle({ kind: "unavailable", reason });
  };

  const forget = (): void => {
    running = null;
    barrenExits += 1;
  };

  const startPause = (): void => {
    pausedAtMs = now();
    // The first exit may be chance; from the second on, the pauses double.
    pauseMs = barrenExits <= 1 ? 0 : Math.min(firstPauseMs * 2 ** (barrenExits - 2), maxPauseMs);
  };

  /** Gives `lost` up: ends it, and answers everything it owed. */
  const lose = (lost: Running, reason: Loss): void => {
    if (running !== lost) return;
    forget();
    lost.child.kill("SIGKILL");
    lost.stdout.destroy();
    startPause();
    failAll(reason);
  };

  /** An exit nobody asked for. */
  const onExit = (exited: Running, code: number | null): void => {
    if (running !== exited) return;
    if (code !== gitDied || barrenExits >= maxBarrenExits) {
      lose(exited, "git_exited");
      return;
    }
    forget();
    const owed = sent;
    sent = [];
    const culprit = owed[0];
    if (culprit !== undefined) {
      culprit.deaths += 1;
      if (culprit.deaths > 1) {
        owed.shift();
        culprit.settle({ kind: "corrupt" });
      }
    }
    waiting = [...owed, ...waiting];
    pump();
  };

  /** `null` = it cannot be started, and every question has been answered so. */
  const start = (): Running | null => {
    const begun = startGit(gitDir, program, ["cat-file", mode], "pipe");
    if (!begun.started || begun.stdin === null) {
      forget();
      startPause();
      failAll("git_cannot_start");
      return null;
    }
    const { child, stdout, stdin } = begun;
    const started: Running = { child, stdin, stdout };
    let inStep = true;
    const reader = createBatchReader(mode === "--batch", (frame) => {
      inStep = onFrame(frame) && inStep;
    });
    stdout.on("timeout", () => lose(started, "git_timeout"));
    child.on("error", () => lose(started, "git_cannot_start"));
    child.on("close", (code) => onExit(started, code));
    // A write to a process that has just died: `close` follows and deals with it.
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Uint8Array) => {
      if (running !== started) return;
      if (!reader.push(chunk) || !inStep) {
        lose(started, "git_exited");
        return;
      }
      if (sent.length === 0) watch();
      pump();
    });
    ended = new Promise((resolve) => {
      // Not `close`: a grandchild could hold the pipe open.
      child.on("exit", () => resolve());
      child.on("error", () => resolve());
    });
    return started;
  };

  const pump = (): void => {
    waiting = waiting.filter((question) => !question.abandoned);
    if (waiting.length === 0 || sent.length >= maxAhead) return;
    running ??= start();
    if (running === null) return;
    const next = waiting.splice(0, maxAhead - sent.length);
    const wasIdle = sent.length === 0;
    sent.push(...next);
    running.stdin.write(next.map((question) => `${question.name}\n`).join(""));
    if (wasIdle) watch();
  };

  return {
    ask(name, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        if (isClosed) {
          resolve({ kind: "unavailable", reason: "closed" });
          return;
        }
        if (running === null && isPausing()) {
          resolve({ kind: "unavailable", reason: "git_cannot_start" });
          return;
        }
        const onAbort = (): void => {
          question.abandoned = true;
          reject(signal.reason);
        };
        const settle = (reply: BatchReply): void => {
          signal.removeEventListener("abort", onAbort);
          resolve(reply);
        };
        const question: Question = { name, deaths: 0, settle, abandoned: false };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.push(question);
        pump();
      });
    },
    pid: () => running?.child.pid ?? null,
    async close() {
      isClosed = true;
      const last = running;
      running = null;
      failAll("closed");
      last?.child.kill("SIGKILL");
      last?.stdout.destroy();
      await ended;
    },
  };
}
