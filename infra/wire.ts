/**
 * The object graph, on one screen. What a runtime owns (clock, hash, fetch, database, authorization pages) comes in as
 * adapters; what goes out is two apps and a way to swap the configuration underneath them.
 */
import { createGate, type Gate } from "../auth/gate.ts";
import { createApp, type App, type AuthorizationPages } from "../gateway/app.ts";
import { createEndpoint } from "../gateway/endpoint.ts";
import type { Timers } from "../gateway/reply.ts";
import type { Tool } from "../gateway/tool.ts";
import type { Log, Now } from "../storage/ports.ts";
import type { Config } from "./config/config.ts";
import { createKeyRing, type KeyRing, type KeyRingDependencies } from "./key-ring.ts";
import type { PrepareLine } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createObservers } from "./observe.ts";
import { createRefusalLog, type RefusalLog } from "./refusal-log.ts";
import { buildSite, type Site } from "./site.ts";
import { type OpenVaults, openVaults, type VaultDependencies } from "./vaults.ts";

export type Adapters = {
  readonly now: Now;
  readonly log: Log;
  readonly prepareLine: PrepareLine;
  readonly timers: Timers;
  /** Digest of a token, for the cache of verified ones. */
  readonly hash: (text: string) => string;
  readonly keys: Omit<KeyRingDependencies, "now">;
  readonly vaults: Pick<VaultDependencies, "sealer" | "git">;
  readonly authorization: AuthorizationPages;
  readonly extraTools: readonly Tool[];
};

export type Deployment = {
  readonly app: App;
  readonly metrics: Metrics;
  readonly refusals: RefusalLog;
  readonly keyRing: KeyRing;
  /** The site that serves now. */
  readonly site: () => Site;
  readonly vaults: () => OpenVaults;
  /** Serves another configuration from the next request on. Rejects and changes nothing when a vault cannot be opened. */
  readonly apply: (config: Config) => Promise<void>;
  /** Closes clients until the next `apply`: the file that names them cannot be read, and fail closed is the rule. */
  readonly closeClients: (names: readonly string[]) => void;
  readonly close: () => Promise<void>;
};

export async function wire(config: Config, adapters: Adapters): Promise<Deployment> {
  const { now, log, timers, hash, authorization, extraTools } = adapters;
  const metrics = createMetrics();
  const refusals = createRefusalLog(log, now);
  const observers = createObservers(adapters.prepareLine, refusals, metrics);
  const keyRing = createKeyRing({ ...adapters.keys, now });
  const vaultDependencies = { ...adapters.vaults, home: config.home, now, log };

  let vaults = await openVaults(config.vaults, new Map(), vaultDependencies);
  let closed: ReadonlySet<string> = new Set();
  const build = (next: Config, generation: number): Site => {
    const open = new Map([...vaults].map(([name, { vault }]) => [name, vault]));
    return buildSite({ config: next, generation, vaults: open, closed, extraTools });
  };
  let site = build(config, 1);
  const closeClients = (names: readonly string[]): void => {
    if (names.length === 0) return;
    closed = new Set([...closed, ...names]);
    site = build(site.config, site.gate.generation + 1);
  };

  const gate: Gate = createGate({ current: () => site.gate, now, hash, keysFor: keyRing.keysFor });
  const endpoint = createEndpoint({
    gate,
    surfaceOf: (client) => site.surfaces.get(client) ?? null,
    limits: () => site.config.limits,
    log,
    timers,
    observeRefusal: observers.refusal,
    observeCall: observers.call,
  });
  return {
    app: createApp({ endpoint, gate, authorization, observeRefusal: observers.refusal, log }),
    metrics,
    refusals,
    keyRing,
    site: () => site,
    vaults: () => vaults,
    apply: async (next) => {
      const before = vaults;
      // Opening a vault may take seconds, and may fail; whoever is revoked is out before that.
      if (JSON.stringify(next.vaults) !== JSON.stringify(site.config.vaults)) closeClients(revokedBy(next, site.config));
      vaults = await openVaults(next.vaults, before, vaultDependencies);
      closed = new Set();
      site = build(next, site.gate.generation + 1);
      const kept = new Set([...vaults.values()].map(({ vault }) => vault));
      // Calls under way still hold the old vaults; they end with UPSTREAM_UNAVAILABLE rather than on a state nobody configured.
      await Promise.all([...before.values()].filter(({ vault }) => !kept.has(vault)).map(({ vault }) => vault.close()));
    },
    closeClients,
    close: async () => {
      refusals.sweep(true);
      await Promise.all([...vaults.values()].map(({ vault }) => vault.close()));
    },
  };
}

/** Clients of the configuration in use that the next one leaves out or revokes. */
function revokedBy(next: Config, current: Config): readonly string[] {
  const isOpen = ({ client }: Config["clients"][number]): boolean => client.audience.kind === "aud";
  const stay = new Set(next.clients.filter(isOpen).map(({ client }) => client.name));
  return current.clients.filter((each) => isOpen(each) && !stay.has(each.client.name)).map(({ client }) => client.name);
}
