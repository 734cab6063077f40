/**
 * A site is everything one configuration makes, ready to be read by requests: who the clients are, what each sees, which
 * keys verify whose tokens. A reload builds a new one beside the old and swaps a single reference.
 */
import type { Client } from "../auth/client.ts";
import { prepareGateState, type GateState } from "../auth/gate.ts";
import { instructions } from "../gateway/instructions.ts";
import { catalogue } from "../gateway/tools/catalogue.ts";
import type { Tool } from "../gateway/tool.ts";
import { buildSurface, type Surface } from "../gateway/toolset.ts";
import type { Vault } from "../storage/ports.ts";
import type { Config } from "./config/config.ts";
import { version } from "./version.ts";

export type Site = {
  readonly config: Config;
  readonly gate: GateState;
  readonly surfaces: ReadonlyMap<string, Surface>;
};

export type SiteParts = {
  readonly config: Config;
  /** Grows with every swap; a token verified under another generation is verified again. */
  readonly generation: number;
  readonly vaults: ReadonlyMap<string, Vault>;
  /** Clients closed at once although the file as a whole could not be read. */
  readonly closed: ReadonlySet<string>;
  /** Tools beside the catalogue, for the conformance fixtures. */
  readonly extraTools: readonly Tool[];
};

export function buildSite({ config, generation, vaults, closed, extraTools }: SiteParts): Site {
  const responseBytes = config.limits.responseBytes;
  const surfaces = new Map<string, Surface>();
  for (const { client, tools, readOnly, permissions, vaults: names } of config.clients) {
    const own = names.flatMap((name) => vaults.get(name) ?? []);
    const available = [...catalogue({ vaults: own, responseBytes }), ...extraTools];
    const spec = [tools, ...extraTools.map(({ name }) => name)].join(",");
    const presentation = {
      serverInfo: { name: "postern", title: "Postern", version },
      instructions: instructions(own.map(({ name }) => name)),
      responseBytes,
    };
    surfaces.set(client.name, buildSurface(available, { client: client.name, tools: spec, readOnly, permissions }, presentation));
  }
  const clients = config.clients.map(({ client }): Client =>
    closed.has(client.name)
      ? { ...client, audience: { kind: "revoked", why: "closed until its configuration can be read again" } }
      : client,
  );
  return { config, gate: prepareGateState({ generation, clients, proxy: config.proxy }), surfaces };
}
