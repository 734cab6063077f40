/** Runs one suite of tests as a child process and counts what passed and failed. A suite that crashes, hangs or tests nothing has failed. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

export type Counts = { readonly passed: number; readonly failed: number };

export type Suite = {
  readonly name: string;
  readonly command: readonly string[];
  /** Hard end of the whole suite. */
  readonly withinMs: number;
  /**
   * Where its counts are: `report` = a file in the form of vitest's JSON reporter; otherwise the last line of its output,
   * either `N passed, N failed` or a JSON object with the numbers `passed` and `failed`.
   */
  readonly report?: string;
};

export type Result = Counts & {
  readonly name: string;
  /** What was wrong beside failed tests. */
  readonly trouble: readonly string[];
};

/** Each trouble counts as one failure, so that no sum hides it. Output goes through as it comes. */
export async function runSuite({ name, command, withinMs, report }: Suite, cwd: string, show: (text: string) => void): Promise<Result> {
  const { code, output, timedOut } = await runCommand(command, cwd, withinMs, show);
  const counts = report === undefined ? countsInLastLine(output) : await countsInReport(report);
  const trouble: string[] = [];
  if (timedOut) trouble.push(`ended after ${Math.round(withinMs / 1000)} s, its limit`);
  else if (counts === null) trouble.push(`ended with ${code} and left no counts`);
  else if (counts.passed + counts.failed === 0) trouble.push("tested nothing");
  else if (code !== 0 && counts.failed === 0) trouble.push(`ended with ${code} although no test failed`);
  else if (code === 0 && counts.failed > 0) trouble.push("ended with 0 although tests failed");
  const { passed, failed } = counts ?? { passed: 0, failed: 0 };
  return { name, passed, failed: failed + trouble.length, trouble };
}

type Ended = { readonly code: number | string; readonly output: string; readonly timedOut: boolean };

/** Kept of the output, in UTF-16 units: enough for a last line. */
const keptUnits = 20_000;

function runCommand(
  [program = "", ...args]: readonly string[],
  cwd: string,
  withinMs: number,
  show: (text: string) => void,
): Promise<Ended> {
  return new Promise((resolve) => {
    // A process group of its own, so that what the suite started ends with it.
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    let timedOut = false;
    const killGroup = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It has gone already.
      }
    };
    const interrupted = (): void => {
      killGroup("SIGTERM");
      process.exit(1);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup("SIGKILL");
    }, withinMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptUnits);
      show(text);
    });
    child.stderr.setEncoding("utf8").on("data", show);
    let ended = false;
    const end = (code: number | string): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      killGroup("SIGKILL");
      resolve({ code, output, timedOut });
    };
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) => end(code ?? signal ?? "nothing"));
    // A process left behind may hold the output open; its suite has ended all the same.
    child.once("exit", (code, signal) => setTimeout(() => end(code ?? signal ?? "nothing"), 1000).unref());
  });
}

function countsInLastLine(output: string): Counts | null {
  const line = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? [];
  if (passed !== undefined && failed !== undefined) return { passed: Number(passed), failed: Number(failed) };
  const value = parse(line);
  const counts = { passed: numberIn(value, "passed"), failed: numberIn(value, "failed") };
  return counts.passed === null || counts.failed === null ? null : { passed: counts.passed, failed: counts.failed };
}

/** vitest's JSON report. Skipped tests count as failed: nothing is skipped here. So does a file that could not be loaded. */
async function countsInReport(file: string): Promise<Counts | null> {
  const report = parse(await readFile(file, "utf8").catch(() => ""));
  const [passed, failed, pending, todo] = ["numPassedTests", "numFailedTests", "numPendingTests", "numTodoTests"].map((key) =>
    numberIn(report, key),
  );
  if (passed === null || passed === undefined || failed === null || failed === undefined) return null;
  return { passed, failed: failed + (pending ?? 0) + (todo ?? 0) + filesWithoutTests(report) };
}

function filesWithoutTests(report: unknown): number {
  const files = fieldOf(report, "testResults");
  if (!Array.isArray(files)) return 0;
  return files.filter((file: unknown) => {
    const tests = fieldOf(file, "assertionResults");
    return fieldOf(file, "status") === "failed" && Array.isArray(tests) && tests.length === 0;
  }).length;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
}

function numberIn(value: unknown, key: string): number | null {
  const field = fieldOf(value, key);
  return typeof field === "number" ? field : null;
}
