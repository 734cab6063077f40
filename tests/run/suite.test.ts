/** The runner's counting: nothing that went wrong may end in a sum without a failure. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runSuite, type Result } from "./suite.ts";

const scratch = await mkdtemp(join(tmpdir(), "postern-run-"));
afterAll(() => rm(scratch, { recursive: true }));

function run(script: string, more: { readonly report?: string; readonly withinMs?: number } = {}): Promise<Result> {
  return runSuite({ name: "planted", command: [process.execPath, "-e", script], withinMs: 20_000, ...more }, scratch, () => undefined);
}

async function reported(report: unknown, exitCode = 0): Promise<Result> {
  const file = join(scratch, "report.json");
  await writeFile(file, JSON.stringify(report));
  return run(`process.exit(${exitCode})`, { report: file });
}

describe("a suite that prints its counts", () => {
  it("is summed from its last line, in words", async () => {
    expect(await run("console.log('1 passed, 1 failed\\nmore\\n3 passed, 0 failed')")).toEqual({
      name: "planted",
      passed: 3,
      failed: 0,
      trouble: [],
    });
  });
  it("is summed from its last line, in JSON", async () => {
    expect(await run("console.log(JSON.stringify({ passed: 7, failed: 2, checks: 30 })); process.exit(1)")).toEqual({
      name: "planted",
      passed: 7,
      failed: 2,
      trouble: [],
    });
  });
  it("has failed if it ends badly although its counts are clean", async () => {
    expect(await run("console.log('3 passed, 0 failed'); process.exitCode = 3")).toMatchObject({
      passed: 3,
      failed: 1,
      trouble: ["ended with 3 although no test failed"],
    });
  });
  it("has failed if it ends well although tests failed", async () => {
    expect(await run("console.log('3 passed, 1 failed')")).toMatchObject({ failed: 2 });
  });
  it("has failed if it tested nothing", async () => {
    expect(await run("console.log('0 passed, 0 failed')")).toMatchObject({ failed: 1, trouble: ["tested nothing"] });
  });
  it("has failed if it crashes before it counts", async () => {
    expect(await run("console.log('3 passed, 0 failed'); console.log('then'); process.kill(process.pid, 'SIGKILL')")).toMatchObject({
      passed: 0,
      failed: 1,
      trouble: ["ended with SIGKILL and left no counts"],
    });
  });
  it("has failed if it hangs, and is ended together with what it started", async () => {
    const result = await run("require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' }); setInterval(() => {}, 1000)", {
      withinMs: 500,
    });
    expect(result).toMatchObject({ failed: 1, trouble: ["ended after 1 s, its limit"] });
  });
  it("has failed if its program is not there", async () => {
    const result = await runSuite({ name: "gone", command: ["/no/such/program"], withinMs: 1000 }, scratch, () => undefined);
    expect(result).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe("a suite with a report", () => {
  const clean = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  it("is summed from it", async () => expect(await reported(clean)).toMatchObject({ passed: 5, failed: 0 }));
  it("has failed by every test that it skipped", async () =>
    expect(await reported({ ...clean, numPendingTests: 2, numTodoTests: 1 }, 1)).toMatchObject({ passed: 5, failed: 3 }));
  it("has failed by every file that could not be loaded", async () => {
    const testResults = [
      { status: "failed", assertionResults: [] },
      { status: "passed", assertionResults: [{}] },
    ];
    expect(await reported({ ...clean, testResults }, 1)).toMatchObject({ passed: 5, failed: 1, trouble: [] });
  });
  it("has failed if there is no report", async () =>
    expect(await run("", { report: join(scratch, "none.json") })).toMatchObject({ failed: 1 }));
});
