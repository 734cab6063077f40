/** What `/readyz` and the gauges of `/metrics` say: each dependency, whether it serves, how old its state is. */
import { sql } from "kysely";
import type { Database } from "../storage/backends/tables.ts";
import type { Gauge } from "./metrics.ts";
import type { Dependency, Readiness } from "./operations.ts";
import type { Deployment } from "./wire.ts";

export async function readinessOf(deployment: Deployment, database: Database, stopping: boolean): Promise<Readiness> {
  const vaults = await Promise.all(
    [...deployment.vaults()].map(async ([name, { vault }]): Promise<Dependency> => ({ name: `vault ${name}`, ...(await vault.health()) })),
  );
  const dependencies = [await databaseState(database), ...vaults, ...issuerStates(deployment), ...clientStates(deployment)];
  return { ready: !stopping && dependencies.every(({ ok }) => ok), dependencies };
}

async function databaseState({ db }: Database): Promise<Dependency> {
  const ok = await sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  return ok ? { name: "database", ok } : { name: "database", ok, reason: "unreachable" };
}

/** Keys are fetched when first needed, so an issuer nobody has called through yet is no fault. */
function issuerStates({ keyRing, site }: Deployment): readonly Dependency[] {
  const issuers = new Map(site().config.clients.map(({ client }) => [client.issuer.name, client.issuer]));
  return keyRing.health([...issuers.values()]).map(({ issuer, health: { ok, ageSeconds, reason } }) => ({
    name: `keys of ${issuer}`,
    ok: ok || reason === undefined,
    ...(ageSeconds === null ? {} : { age_seconds: ageSeconds }),
    ...(reason === undefined ? {} : { reason }),
  }));
}

/** A closed door is somebody's decision and does not make Postern unready; it is shown so that nobody has to guess. */
function clientStates({ site }: Deployment): readonly Dependency[] {
  const clients = new Map([...site().gate.byHost.values()].map((client) => [client.name, client]));
  return [...clients.values()].map(({ name, audience }) => ({
    name: `client ${name}`,
    ok: true,
    state: audience.kind === "revoked" ? "closed" : "open",
  }));
}

export async function gaugesOf(deployment: Deployment, memoryBytes: number, startedAtMs: number): Promise<readonly Gauge[]> {
  const { gate } = deployment.site();
  const open = [...deployment.vaults()];
  const healths = await Promise.all(open.map(([, { vault }]) => vault.health()));
  return [
    { name: "postern_start_time_seconds", help: "When this process started, Unix time.", value: Math.round(startedAtMs / 1000) },
    { name: "postern_resident_memory_bytes", help: "Resident memory of this process.", value: memoryBytes },
    { name: "postern_configuration_generation", help: "Grows with every configuration that was applied.", value: gate.generation },
    ...open.map(([name], index) => ({
      name: "postern_vault_up",
      help: "Whether the vault can be read.",
      labels: { vault: name },
      value: healths[index]?.ok === true ? 1 : 0,
    })),
  ];
}
