/**
 * `postern config check [--json]`: reads the configuration as a start would and shows what it means, or every problem with its
 * place. Exit code 0 = valid, 78 = not. `--json` prints one line: `{"ok": true, "file", …what it means}` or
 * `{"ok": false, "file", "problems": [{"line", "column", "path", "message"}]}`; `file` null = no file, the built-in default.
 */
import { parseArgs } from "node:util";
import { describeConfig, renderDescription } from "../config/describe.ts";
import { inspectConfiguration } from "../config/read.ts";
import { renderProblem } from "../config/problem.ts";
import { exitCodes, StartError } from "../start-error.ts";
import type { Command } from "./command.ts";

export const config: Command = async (args, { env, cwd, out, err }) => {
  const asJson = parse(args);
  const { file, loaded } = await inspectConfiguration({ env, cwd });
  if (!loaded.ok) {
    const { problems } = loaded;
    if (asJson) out(JSON.stringify({ ok: false, file, problems }));
    else for (const problem of problems) err(renderProblem(file ?? "postern.yaml", problem));
    return exitCodes.configuration;
  }
  const description = describeConfig(loaded.config);
  if (asJson) out(JSON.stringify({ ok: true, file, ...description }));
  else for (const line of [`file        ${file ?? "none: the built-in default"}`, ...renderDescription(description)]) out(line);
  return 0;
};

function parse(args: readonly string[]): boolean {
  const usage = new StartError("usage", "usage: postern config check [--json]");
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    if (positionals.length !== 1 || positionals[0] !== "check") throw usage;
    return values.json;
  } catch {
    throw usage;
  }
}
