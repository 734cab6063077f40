/**
 * `npm test`: every suite, then one line `N passed, N failed` over all of them.
 * With arguments (`npm test -- tests/auth`) only the vitest suite runs, and they go to it.
 */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runSuite, type Suite } from "./run/suite.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const minutes = (count: number): number => count * 60_000;

function suites(scratch: string, filters: readonly string[]): readonly Suite[] {
  const node = process.execPath;
  const report = join(scratch, "vitest.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const main: Suite = {
    name: "vitest",
    command: [node, vitest, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters],
    report,
    withinMs: minutes(25),
  };
  if (filters.length > 0) return [main];
  return [main, { name: "conformance", command: [node, join(root, "tests/conformance/run.ts")], withinMs: minutes(8) }];
}

// What suites start by name (node, git hooks, npm's tools) must be the pinned Node, whatever the system has.
process.env["PATH"] = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
const scratch = await mkdtemp(join(tmpdir(), "postern-test-"));
try {
  // Whatever suites leave in the temporary folder goes with it. Others may pass through: PostgreSQL has its own user.
  await chmod(scratch, 0o711);
  process.env["TMPDIR"] = join(scratch, "tmp");
  await mkdir(process.env["TMPDIR"], { mode: 0o711 });
  const results = [];
  for (const suite of suites(scratch, process.argv.slice(2))) {
    console.log(`\n== ${suite.name}`);
    results.push(await runSuite(suite, root, (text) => process.stdout.write(text)));
  }
  console.log("");
  for (const { name, passed, failed, trouble } of results)
    console.log(`${name}: ${[`${passed} passed`, `${failed} failed`, ...trouble].join(", ")}`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
