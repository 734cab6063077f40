/** `postern call TOOL --json ARGS`: the same tools for scripts, through the running Postern and its gate. */
import { parseArgs } from "node:util";
import { exitCodes, StartError } from "../start-error.ts";
import type { Command } from "./command.ts";
import { openLocalDoor } from "./local-door.ts";

const revision = "2026-07-28";

/** Prints the tool's structured result as JSON. Exit code 0 = the tool answered, 1 = it refused or failed (its answer is printed as well). */
export const call: Command = async (args, terminal) => {
  const { tool, input, client } = parse(args);
  const door = await openLocalDoor(client, terminal);
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: tool,
      arguments: input,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": { name: "postern call", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  const headers = {
    authorization: `Bearer ${door.token}`,
    "content-type": "application/json",
    accept: "application/json",
    "mcp-protocol-version": revision,
    "mcp-method": "tools/call",
    "mcp-name": /^[\x21-\x7e]+$/.test(tool) ? tool : `=?base64?${Buffer.from(tool).toString("base64")}?=`,
  };
  const response = await fetch(door.resource, { method: "POST", headers, body: JSON.stringify(body), redirect: "error" }).catch(() => {
    throw new StartError("unavailable", `nothing answers at ${door.resource}; start Postern first (npm start, or postern serve)`);
  });
  return show(await response.json().catch(() => null), response.status, terminal.out, terminal.err);
};

function parse(args: readonly string[]): { readonly tool: string; readonly input: unknown; readonly client: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: "string", default: "{}" }, client: { type: "string" } },
    });
    const [tool, ...more] = positionals;
    if (tool === undefined || more.length > 0) throw new Error("one tool");
    const input: unknown = JSON.parse(values.json);
    if (!isRecord(input)) throw new Error("one object");
    return { tool, input, client: values.client };
  } catch {
    throw new StartError(
      "usage",
      'usage: postern call TOOL --json \'{"argument": "value"}\' [--client NAME]; --json must hold one JSON object',
    );
  }
}

function show(answer: unknown, status: number, out: (line: string) => void, err: (line: string) => void): number {
  if (!isRecord(answer)) {
    err(`postern: the answer was no JSON (HTTP ${status})`);
    return exitCodes.unavailable;
  }
  const { result, error } = answer;
  if (!isRecord(result)) {
    err(`postern: ${sentenceOf(error, answer)} (HTTP ${status})`);
    return 1;
  }
  out(JSON.stringify(result["structuredContent"] ?? result["content"], null, 2));
  return result["isError"] === true ? 1 : 0;
}

/** A JSON-RPC error says it in `message`, the gate in `error_description`. */
function sentenceOf(error: unknown, answer: Readonly<Record<string, unknown>>): string {
  const said = isRecord(error) ? error["message"] : answer["error_description"];
  return typeof said === "string" ? said : "the call was refused";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
