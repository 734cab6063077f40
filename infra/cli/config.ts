/** `postern config check`: reads the configuration as a start would and shows what it means. */
import { parseArgs } from "node:util";
import { describeConfig, renderDescription } from "../config/describe.ts";
import { readConfiguration } from "../config/read.ts";
import { StartError } from "../start-error.ts";
import type { Command } from "./main.ts";

export const config: Command = async (args, { env, cwd, out }) => {
  const asJson = parse(args);
  const description = describeConfig(await readConfiguration({ env, cwd }));
  for (const line of asJson ? [JSON.stringify(description)] : renderDescription(description)) out(line);
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
