/**
 * One long-lived `git cat-file --batch` or `--batch-check`. Questions are answered in the order asked; a process that
 * exits or falls silent is replaced, with a growing pause between attempts, and the questions it still owed are asked
 * again, except the one it died on twice: that object is broken.
 */
import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
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
type Running = { readonly child: ChildProcess; readonly stdin: Writable };
type Loss = "git_cannot_start" | "git_exited" | "git_timeout";

/** Questions written ahead of their answers. More gains nothing, and all of them must be asked again after an exit. */
const maxAhead = 64;
const firstPauseMs = 20;
const maxPauseMs = 5_000;
/** A longer pause is not waited for: callers learn at once that git is down. */
const maxAwaitedPauseMs = 1_000;
/** Exits in a row without one answer between them, after which git itself is taken to be at fault and not an object. */
const maxBarrenExits = 8;
/** Exit code of git's `die()`. */
const gitDied = 128;

export function createBatchProcess(mode: "--batch" | "--batch-check", gitDir: string, program: GitProgram): BatchProcess {
  const timeoutMs = program.timeoutMs ?? defaultTimeoutMs;
  let running: Running | null = null;
  let ended: Promise<void> = Promise.resolve();
  let waiting: Question[] = [];
  let sent: Question[] = [];
  let barrenExits = 0;
  /** Milliseconds of the pause under way before the next start; 0 = there is none. */
  let pauseMs = 0;
  let pause: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;
  let isClosed = false;

  const watch = (): void => {
    clearTimeout(silence);
    if (sent.length === 0 || running === null) return;
    const watched = running;
    silence = setTimeout(() => lose(watched, "git_timeout"), timeoutMs);
  };

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
    clearTimeout(silence);
    barrenExits += 1;
    // The first exit may be chance; from the second on, the pauses double.
    pauseMs = barrenExits === 1 ? 0 : Math.min(firstPauseMs * 2 ** (barrenExits - 2), maxPauseMs);
    if (pauseMs === 0) return;
    pause = setTimeout(() => {
      pauseMs = 0;
      pump();
    }, pauseMs);
  };

  /** Gives `lost` up: ends it, and answers everything it owed. */
  const lose = (lost: Running, reason: Loss): void => {
    if (running !== lost) return;
    forget();
    lost.child.kill("SIGKILL");
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
      failAll("git_cannot_start");
      return null;
    }
    const { child, stdout, stdin } = begun;
    const started: Running = { child, stdin };
    let inStep = true;
    const reader = createBatchReader(mode === "--batch", (frame) => {
      inStep = onFrame(frame) && inStep;
    });
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
      watch();
      pump();
    });
    ended = new Promise((resolve) => {
      child.on("close", () => resolve());
      child.on("error", () => resolve());
    });
    return started;
  };

  const pump = (): void => {
    waiting = waiting.filter((question) => !question.abandoned);
    if (waiting.length === 0 || sent.length >= maxAhead) return;
    if (running === null) {
      if (pauseMs > 0) return;
      running = start();
      if (running === null) return;
    }
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
        if (running === null && pauseMs > maxAwaitedPauseMs) {
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
      clearTimeout(pause);
      clearTimeout(silence);
      const last = running;
      running = null;
      failAll("closed");
      last?.child.kill("SIGKILL");
      await ended;
    },
  };
}
