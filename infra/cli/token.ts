/** `postern token`: a bearer from the built-in authorization server, signed with the key in the data directory. Same user only. */
import { parseArgs } from "node:util";
import { StartError } from "../start-error.ts";
import { openLocalDoor } from "./local-door.ts";
import type { Command } from "./command.ts";

/** Prints the token alone, so that `$(npx postern token)` is a header value. It lives 15 minutes. */
export const token: Command = async (args, terminal) => {
  terminal.out((await openLocalDoor(parse(args), terminal)).token);
  return 0;
};

function parse(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { client: { type: "string" } } }).values.client;
  } catch {
    throw new StartError("usage", "usage: postern token [--client NAME]");
  }
}
