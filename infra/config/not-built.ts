/**
 * Configured parts that later versions build. Where leaving one out would make Postern weaker than it was told to be, the
 * start is refused; where it merely offers less, it says so.
 */
import type { Complain } from "./resolve-clients.ts";
import { type ConfigInput, defaultStreams } from "./schema.ts";
import { unbuiltToolsOf } from "./tool-words.ts";

export function refuseUnbuilt({ storage, clients = {} }: ConfigInput, complain: Complain): void {
  // Replicas would each keep their own revocations and sessions.
  if (storage.database !== "sqlite") complain(["storage", "database"], "must be sqlite: another database is not built yet");
  if (storage.bus !== "memory") complain(["storage", "bus"], "must be memory: a shared bus is not built yet");
  for (const [name, client] of Object.entries(clients)) {
    for (const [group, permission] of Object.entries(client.permissions)) {
      if (permission === "ask")
        complain(["clients", name, "permissions", group], "cannot be ask: approvals are not built yet; choose on or off");
    }
  }
}

export function notBuiltParts({
  limits,
  roots,
  hooks,
  captures,
  console,
  vault,
  vaults = {},
  clients = {},
}: ConfigInput): readonly string[] {
  const parts: string[] = [];
  const say = (part: string, consequence: string): void => void parts.push(`${part} is configured but not built yet: ${consequence}`);
  if (limits.streams !== defaultStreams) say("limits.streams", "no stream outlives its call.");
  if (roots !== undefined) say("roots", "there are no file tools.");
  if (hooks !== undefined) say("hooks", "there are no writes to hook into.");
  if (captures !== undefined) say("captures", "there is no capture store.");
  if (console !== undefined) say("console", "there is no console.");
  const named = Object.entries(vaults).map(([name, settings]) => [`vaults.${name}`, settings] as const);
  for (const [path, { propose, inbox }] of vault === undefined ? named : [...named, ["vault", vault] as const]) {
    if (propose !== undefined) say(`${path}.propose`, "the vault can only be read.");
    if (inbox !== undefined) say(`${path}.inbox`, "the vault can only be read.");
  }
  for (const [name, { confirm, project, permissions, tools }] of Object.entries(clients)) {
    const missing = unbuiltToolsOf(tools);
    if (missing.length > 0) say(`clients.${name}.tools`, `it sees the rest, without ${missing.join(", ")}.`);
    for (const [group, permission] of Object.entries(permissions)) {
      if (permission === "on") say(`clients.${name}.permissions.${group}`, "there are no tools of this group.");
    }
    if (confirm !== null) say(`clients.${name}.confirm`, "there are no writes to confirm.");
    if (project !== null) say(`clients.${name}.project`, "there are no capture projects.");
  }
  return parts;
}
