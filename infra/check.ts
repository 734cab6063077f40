/** `npm run check`: format, lint, types and the import rule, in well under a minute; then how long the files are. From a clone only. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const product = ["gateway", "relay", "storage", "auth", "infra"];
/** Aims, printed and not enforced; the limit of 300 lines is enforced by the import rule's test and by the linter. */
const aims = { median: 110, ninetieth: 220 };

type Step = { readonly name: string; readonly command: readonly string[]; readonly remedy: string };

/** `infra/worker.tsconfig.json` stands apart: the Worker is checked without Node's types. */
const typeConfigs = ["tsconfig.json", "infra/worker.tsconfig.json"].filter((path) => existsSync(join(root, path)));

const steps: readonly Step[] = [
  { name: "format", command: ["oxfmt", "--check"], remedy: "npm run format" },
  { name: "lint", command: ["oxlint", "--deny-warnings"], remedy: "each message names the rule of .oxlintrc.json" },
  { name: "unused", command: ["knip", "--no-progress"], remedy: "delete it, or name a new entry in knip.json" },
  ...typeConfigs.map((path) => ({ name: `types (${path})`, command: ["tsc", "-p", path], remedy: "each message names its place" })),
  {
    name: "layering",
    command: ["vitest", "run", "--reporter=dot", "tests/layering.test.ts"],
    remedy: "the rules are in tests/layering/rules.ts",
  },
];

function run([program = "", ...args]: readonly string[]): Promise<{ readonly ok: boolean; readonly output: string }> {
  const env = { ...process.env, PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter), NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", (error) => resolve({ ok: false, output: error.message }));
    child.once("close", (code) => resolve({ ok: code === 0, output }));
  });
}

function lengths(folders: readonly string[]): readonly number[] {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const paths = present.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(root, folder, name)),
  );
  const files = paths.filter((path) => path.endsWith(".ts") && !path.includes("node_modules"));
  return files.map((path) => readFileSync(path, "utf8").trimEnd().split("\n").length).sort((one, other) => one - other);
}

function figures(name: string, sorted: readonly number[]): string {
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const mark = (value: number, aim: number): string => `${value} (aim ${aim}${value > aim ? ", above" : ""})`;
  const total = sorted.reduce((sum, length) => sum + length, 0);
  return `${name}: ${sorted.length} files, ${total} lines, median ${mark(at(0.5), aims.median)}, 90th percentile ${mark(at(0.9), aims.ninetieth)}, longest ${at(1)}`;
}

const failed: string[] = [];
for (const { name, command, remedy } of steps) {
  const startedAt = performance.now();
  const { ok, output } = await run(command);
  console.log(`${ok ? "ok    " : "FAILED"} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (ok) continue;
  failed.push(name);
  console.log(`${output.trim()}\n       ${command.join(" ")}: ${remedy}\n`);
}
console.log(figures("product", lengths(product)));
console.log(figures("tests  ", lengths(["tests"])));
console.log(failed.length === 0 ? "check passed" : `check failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
