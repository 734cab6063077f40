/** From what the file says to what it means: names become the things they name, defaults are filled in, and what does not fit together is refused. */
import { isAbsolute, join, resolve } from "node:path";
import { isLoopbackHost, originOf } from "../origin.ts";
import { type Complain, rangesOf, resolveClients, resolveIssuers } from "./resolve-clients.ts";
import type { Config, Loaded, Surroundings, VaultSettings } from "./config.ts";
import type { ConfigDocument } from "./document.ts";
import { notBuiltParts, refuseUnbuilt } from "./not-built.ts";
import type { Path, Problem } from "./problem.ts";
import type { ConfigInput } from "./schema.ts";
import type { UnsetVariables } from "./variables.ts";
import type { VaultInput } from "./vaults.ts";

export function resolveConfig(
  input: ConfigInput,
  surroundings: Surroundings,
  { placeOf, unset }: Pick<ConfigDocument, "placeOf"> & { readonly unset: UnsetVariables },
): Loaded {
  const problems: Problem[] = [];
  const complain: Complain = (path, message) => void problems.push({ ...placeOf(path), path: path.join("."), message });
  const { taken } = surroundings;
  const listen = taken?.listen ?? { ...input.listen, port: portOf(surroundings.port, input.listen.port, complain) };
  const operations = taken === undefined ? input.operations : taken.operations;
  if (operations !== null && operations.port === listen.port && operations.host === listen.host)
    complain(["operations"], "is the address of `listen`; give it a port of its own, or null");
  const operators = input.operators.map((operator) => operator.trim().toLowerCase());
  if (operators.some((operator) => operator === "")) complain(["operators"], "holds an empty name");
  const vaults = resolveVaults(input, surroundings, complain);
  refuseUnbuilt(input, complain);
  const issuers = resolveIssuers(input, originOf(listen), isLoopbackHost(listen.host), complain);
  const clients = resolveClients(input, { issuers, listen, operators, vaults: vaults.map(({ name }) => name), unset, complain });
  const trusted = input.proxy === undefined ? null : rangesOf(input.proxy.trusted, ["proxy", "trusted"], complain);
  if (problems.length > 0) return { ok: false, problems };
  const config: Config = {
    listen,
    operations,
    home: taken?.home ?? pathOf(surroundings.home ?? input.home, surroundings),
    proxy: input.proxy === undefined || trusted === null ? null : { trusted, header: input.proxy.header },
    operators,
    limits: {
      bodyBytes: input.limits.body,
      batch: input.limits.batch,
      depth: input.limits.depth,
      streams: input.limits.streams,
      responseBytes: input.limits.response,
    },
    clients,
    namesClients: input.clients !== undefined,
    vaults,
    notBuilt: notBuiltParts(input),
  };
  return { ok: true, config };
}

function portOf(override: string | undefined, configured: number, complain: Complain): number {
  if (override === undefined || override === "") return configured;
  const port = Number(override);
  if (/^\d{1,5}$/.test(override) && port >= 1 && port <= 65_535) return port;
  complain([], "cannot be used with this PORT: it must be a number from 1 to 65535");
  return configured;
}

function resolveVaults(input: ConfigInput, surroundings: Surroundings, complain: Complain): readonly VaultSettings[] {
  const { vault, vaults } = input;
  if (vault !== undefined && vaults !== undefined) complain(["vault"], "and `vaults` are both there; move it into `vaults`");
  const named = Object.entries(vaults ?? (vault === undefined ? {} : { vault }));
  if (vaults !== undefined && named.length === 0) complain(["vaults"], "holds no vault");
  if (named.length === 0)
    return [{ name: "sample", repository: null, branch: null, root: "", unreadable: "fail", indexLimitBytes: 1024 ** 2 }];
  return named.map(([name, settings]) =>
    vaultOf(name, settings, surroundings, vaults === undefined ? ["vault"] : ["vaults", name], complain),
  );
}

function vaultOf(name: string, settings: VaultInput, surroundings: Surroundings, path: Path, complain: Complain): VaultSettings {
  const { repository, branch, root, unreadable, index_limit: indexLimitBytes } = settings;
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|github:|[^/~.\s]+@[^/\s]+:)/i.test(repository))
    complain([...path, "repository"], "names a remote repository, which is not built yet; clone it and name the folder");
  return { name, repository: pathOf(repository, surroundings), branch: branch ?? null, root, unreadable, indexLimitBytes };
}

/** Absolute path of a text in the file. */
function pathOf(written: string, { folder, userHome }: Surroundings): string {
  if (written === "~") return userHome;
  if (written.startsWith("~/")) return join(userHome, written.slice(2));
  return isAbsolute(written) ? resolve(written) : resolve(folder, written);
}
