/** A door of the built-in authorization server, opened from this machine by the same user: the key lies in the data directory. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { mintToken } from "../../auth/embedded/keys.ts";
import { secretStore } from "../../storage/backends/secrets.ts";
import { readConfiguration } from "../config/read.ts";
import { openDatabase } from "../database.ts";
import { StartError } from "../start-error.ts";
import { now } from "../timers.ts";
import type { Terminal } from "./command.ts";

export type LocalDoor = {
  /** A bearer of 15 minutes. */
  readonly token: string;
  /** The client's endpoint. */
  readonly resource: string;
};

const ttlSeconds = 900;

/** `name` absent: the one client that uses the built-in server. Throws a StartError when there is none, several, or it is revoked. */
export async function openLocalDoor(name: string | undefined, { env, cwd }: Terminal): Promise<LocalDoor> {
  const config = await readConfiguration({ env, cwd });
  const candidates = config.clients.map(({ client }) => client).filter(({ issuer }) => issuer.kind === "embedded");
  const chosen = name === undefined ? candidates : candidates.filter((client) => client.name === name);
  const [client, second] = chosen;
  if (client === undefined)
    throw new StartError(
      "configuration",
      name === undefined
        ? "no client uses the built-in authorization server; tokens of other issuers come from them"
        : `no client named ${name} uses the built-in authorization server`,
    );
  if (second !== undefined)
    throw new StartError(
      "usage",
      `several clients use the built-in authorization server; choose one with --client: ${chosen.map((candidate) => candidate.name).join(", ")}`,
    );
  if (client.audience.kind === "revoked") throw new StartError("configuration", `client ${client.name} is revoked: ${client.audience.why}`);
  const database = await openDatabase(join(config.home, "postern.db"));
  try {
    const secrets = secretStore({ database, now });
    const subject = client.identities[0] ?? "";
    const token = await mintToken(
      { secrets, issuer: client.issuer.issuer, now, ids: randomUUID },
      { audience: client.audience.value, subject, scopes: ["mcp"], ttlSeconds },
    );
    return { token, resource: client.resources[client.hosts[0] ?? ""] ?? "" };
  } finally {
    await database.close();
  }
}
