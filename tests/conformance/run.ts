/**
 * The official conformance suite against the real app: gate, fixture tools, real sockets. The suite cannot send a
 * credential, so a loopback proxy in front adds one. A scenario passes only with at least one SUCCESS check and no
 * FAILURE; a scenario without checks is not a pass. `expected-failures.json` may only shrink.
 *
 *   npm run conformance [-- --revision R] [-- --json]     the table; exit code 1 on any surprise
 *   npm run conformance -- --serve                        only the app and the proxy; prints `ready URL`
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startConformanceTarget } from "./target.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;
/** Scenarios outside the frozen sets that this server passes and must keep passing. */
const extras: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": ["json-schema-2020-12"],
  "2026-07-28": ["json-schema-2020-12", "http-header-validation"],
};
const suiteFolder = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const suite = join(suiteFolder, "dist", "index.js");
const baselineFile = new URL("./expected-failures.json", import.meta.url);
/** A scenario that waits for something we do not send yet would else wait 30 s. */
const scenarioTimeoutMs = 8000;

type ScenarioResult = {
  readonly revision: string;
  readonly scenario: string;
  readonly success: number;
  readonly failure: number;
  readonly messages: readonly string[];
};

async function runRevision(url: string, revision: string): Promise<readonly ScenarioResult[]> {
  const output = await mkdtemp(join(tmpdir(), "postern-conformance-"));
  try {
    const extra = extras[revision] ?? [];
    const selections = [["--requirements", revision], ...extra.map((scenario) => ["--scenario", scenario, "--spec-version", revision])];
    for (const selection of selections) {
      const args = [suite, "server", "--url", url, ...selection, "-o", output, "--timeout", String(scenarioTimeoutMs)];
      // The suite's own exit code is not used: it calls a scenario without checks a pass.
      await promisify(execFile)(process.execPath, args, { maxBuffer: 64 << 20 }).catch(() => undefined);
    }
    const scenarios = [...(await scoredScenarios(revision)), ...extra];
    const folders = await readdir(output);
    return await Promise.all(scenarios.map((scenario) => readScenario(output, folders, revision, scenario)));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** The frozen set of a revision ships with the suite; only its scored scenarios count. */
async function scoredScenarios(revision: string): Promise<readonly string[]> {
  const { parse } = await import("yaml");
  const file = join(suiteFolder, "requirements", `${revision}.yaml`);
  const set: unknown = parse(await readFile(file, "utf8"));
  return scenarioNames(set);
}

function scenarioNames(set: unknown): readonly string[] {
  const names = isRecord(set) ? set["server"] : undefined;
  if (!Array.isArray(names) || names.length === 0) throw new Error("The suite's requirement set has another shape than expected.");
  return names.map(String);
}

async function readScenario(output: string, folders: readonly string[], revision: string, scenario: string): Promise<ScenarioResult> {
  const folder = folders.find((name) => name === scenario || name.startsWith(`server-${scenario}-2`) || name.startsWith(`${scenario}-2`));
  const checks: unknown = folder === undefined ? [] : JSON.parse(await readFile(join(output, folder, "checks.json"), "utf8"));
  const list = Array.isArray(checks) ? checks.filter(isRecord) : [];
  const failures = list.filter((check) => check["status"] === "FAILURE");
  return {
    revision,
    scenario,
    success: list.filter((check) => check["status"] === "SUCCESS").length,
    failure: failures.length,
    messages: failures.map((check) => `${String(check["id"])}: ${String(check["errorMessage"] ?? "")}`),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Verdict = ScenarioResult & { readonly verdict: "pass" | "expected failure" | "FAIL" | "STALE" };

function judge(result: ScenarioResult, expected: readonly string[]): Verdict {
  const passes = result.success > 0 && result.failure === 0;
  const listed = expected.includes(result.scenario);
  return { ...result, verdict: passes ? (listed ? "STALE" : "pass") : listed ? "expected failure" : "FAIL" };
}

const { values } = parseArgs({
  options: { revision: { type: "string" }, serve: { type: "boolean" }, json: { type: "boolean" }, verbose: { type: "boolean" } },
});
const target = await startConformanceTarget();
if (values.serve === true) {
  process.stdout.write(`ready ${target.url}\n`);
  process.once("SIGTERM", () => void target.stop().then(() => process.exit(0)));
  process.once("SIGINT", () => void target.stop().then(() => process.exit(0)));
} else {
  const expected = JSON.parse(await readFile(baselineFile, "utf8")) as Record<string, readonly string[]>;
  const verdicts: Verdict[] = [];
  try {
    for (const revision of values.revision === undefined ? revisions : [values.revision]) {
      for (const result of await runRevision(target.url, revision)) verdicts.push(judge(result, expected[revision] ?? []));
    }
  } finally {
    await target.stop();
  }
  report(verdicts, values.json === true, values.verbose === true);
}

function report(verdicts: readonly Verdict[], asJson: boolean, verbose: boolean): void {
  const surprises = verdicts.filter(({ verdict }) => verdict === "FAIL" || verdict === "STALE");
  const passed = verdicts.filter(({ verdict }) => verdict === "pass").length;
  const checks = verdicts.reduce((sum, { success }) => sum + success, 0);
  if (asJson) process.stdout.write(`${JSON.stringify({ passed: verdicts.length - surprises.length, failed: surprises.length, checks })}\n`);
  else {
    for (const { revision, scenario, success, failure, verdict, messages } of verdicts) {
      process.stdout.write(
        `${revision}  ${scenario.padEnd(48)} ${String(success).padStart(3)} ok ${String(failure).padStart(3)} not  ${verdict}\n`,
      );
      if (verdict === "FAIL" || verbose) for (const message of messages) process.stdout.write(`            ${message}\n`);
    }
    process.stdout.write(`${passed} of ${verdicts.length} scenarios pass, ${checks} checks succeed, ${surprises.length} surprises\n`);
    process.stdout.write(`${verdicts.length - surprises.length} passed, ${surprises.length} failed\n`);
  }
  if (surprises.some(({ verdict }) => verdict === "STALE"))
    process.stderr.write("A scenario that was expected to fail passes now: take it out of expected-failures.json.\n");
  process.exitCode = surprises.length === 0 && verdicts.length > 0 ? 0 : 1;
}
