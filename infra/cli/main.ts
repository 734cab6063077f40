/** The command line: one word chooses the command, each command is a file that is loaded only when it is asked for. */
import type { Command, Terminal } from "./command.ts";
import { version } from "../version.ts";
import { StartError, exitCodes } from "../start-error.ts";

const commands: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> = {
  serve: { about: "serve the configured apps (what `npm start` runs)", load: async () => (await import("./serve.ts")).serve },
  token: {
    about: "print a bearer from the built-in authorization server, for curl and scripts",
    load: async () => (await import("./token.ts")).token,
  },
  call: { about: 'run one tool: postern call vault_search --json \'{"query":"…"}\'', load: async () => (await import("./call.ts")).call },
  config: {
    about: "config check: read the configuration and show what it means, without secrets",
    load: async () => (await import("./config.ts")).config,
  },
};

export async function main(args: readonly string[]): Promise<void> {
  const terminal: Terminal = {
    env: process.env,
    cwd: process.cwd(),
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
  };
  process.exitCode = await run(args, terminal);
}

export async function run([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.out(usage());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    terminal.out(version);
    return 0;
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.out(usage());
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    terminal.err(`postern: there is no such command. ${Object.keys(commands).join(", ")} — \`postern help\` says more.`);
    return exitCodes.usage;
  }
  try {
    return await (
      await command.load()
    )(rest, terminal);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    terminal.err(`postern: ${error.message}`);
    return error.exitCode;
  }
}

function usage(): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(8)}${about}`);
  return [
    "usage: postern COMMAND",
    "",
    ...lines,
    "",
    "POSTERN_CONFIG names the configuration (default ./postern.yaml), POSTERN_HOME the data directory, PORT the port.",
  ].join("\n");
}
