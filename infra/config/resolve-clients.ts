/** Clients and their issuers, as the gate wants them. */
import type { Audience, Client, Egress, Issuer } from "../../auth/client.ts";
import { parseRanges, type Ranges } from "../../auth/egress.ts";
import { type ListenAddress, originOf } from "../origin.ts";
import { type ClientInput, permissionDefaults } from "./clients.ts";
import type { IssuerInput } from "./issuers.ts";
import type { ClientSettings } from "./config.ts";
import type { Path } from "./problem.ts";
import type { ConfigInput } from "./schema.ts";
import { type UnsetVariables, withoutValue } from "./variables.ts";
import { faultsOfTools } from "./tool-words.ts";

export type Complain = (path: Path, message: string) => void;

const localHosts = ["127.0.0.1", "localhost", "[::1]"];

export function resolveIssuers(
  { issuers, clients }: ConfigInput,
  origin: string,
  listensOnLoopback: boolean,
  complain: Complain,
): ReadonlyMap<string, Issuer> {
  if (issuers === undefined && clients === undefined) {
    if (!listensOnLoopback)
      complain(["listen"], "must be a loopback address for the built-in login; configure `issuers` and `clients` to listen elsewhere");
    return new Map([["local", { kind: "embedded", name: "local", issuer: origin }]]);
  }
  if (issuers === undefined) complain(["clients"], "need `issuers`: who signs their tokens");
  if (clients === undefined) complain(["issuers"], "need `clients`: who presents their tokens");
  const entries = Object.entries(issuers ?? {}).map(([name, input]): readonly [string, Issuer] => {
    if (input.kind === "embedded" && input.public)
      complain(["issuers", name, "public"], "cannot be true until passkey sign-in exists; use Cloudflare Access or an identity provider");
    if (input.kind === "embedded" && !listensOnLoopback)
      complain(["issuers", name], "is the built-in server, which serves this machine only; `listen` must be a loopback address");
    return [name, issuerOf(name, input, origin)];
  });
  return new Map(entries);
}

function issuerOf(name: string, input: IssuerInput, origin: string): Issuer {
  switch (input.kind) {
    case "cloudflare-access":
      return { kind: "cloudflare-access", name, issuer: input.team };
    case "oidc":
      return {
        kind: "oidc",
        name,
        issuer: input.issuer,
        scopes: input.scopes,
        identityClaim: input.identity_claim,
        ...(input.jwks === undefined ? {} : { jwksUrl: input.jwks }),
      };
    case "embedded":
      return { kind: "embedded", name, issuer: origin };
  }
}

export type ClientContext = {
  readonly issuers: ReadonlyMap<string, Issuer>;
  readonly listen: ListenAddress;
  readonly operators: readonly string[];
  readonly vaults: readonly string[];
  readonly unset: UnsetVariables;
  readonly complain: Complain;
};

export function resolveClients(input: ConfigInput, context: ClientContext): readonly ClientSettings[] {
  if (input.clients === undefined) return input.issuers === undefined ? [localClient(context)] : [];
  const entries = Object.entries(input.clients);
  if (entries.length === 0) context.complain(["clients"], "holds no client");
  const owners = new Map<string, string>();
  return entries.flatMap(([name, client]) => {
    for (const host of hostsOf(client)) {
      const owner = owners.get(host);
      if (owner !== undefined)
        context.complain(
          ["clients", name, "host"],
          owner === name ? "names a host twice" : `is also the host of client ${owner}; each client needs its own`,
        );
      owners.set(host, name);
    }
    return clientOf(name, client, context) ?? [];
  });
}

function clientOf(
  name: string,
  input: ClientInput,
  { issuers, listen, operators, vaults, unset, complain }: ClientContext,
): ClientSettings | null {
  const path = ["clients", name] as const;
  const issuer = issuers.get(input.issuer);
  if (issuer === undefined)
    complain([...path, "issuer"], `names no entry of \`issuers\`; there are ${[...issuers.keys()].join(", ") || "none"}`);
  const hosts = hostsOf(input);
  const loopback = hosts.every((host) => localHosts.includes(host));
  if (!loopback && hosts.some((host) => localHosts.includes(host)))
    complain([...path, "host"], "mixes this machine with public hosts; make two clients of it");
  if (issuer?.kind === "embedded" && !loopback)
    complain([...path, "issuer"], "is the built-in server, which serves this machine only; hosts must be 127.0.0.1, localhost or [::1]");
  const unknown = input.vaults?.filter((vault) => !vaults.includes(vault)) ?? [];
  if (unknown.length > 0) complain([...path, "vaults"], `names vaults that are not configured; there are ${vaults.join(", ")}`);
  const identities = (input.identities ?? operators).map((identity) => identity.trim().toLowerCase());
  if (identities.includes("")) complain([...path, "identities"], "holds an empty name");
  for (const fault of faultsOfTools(input.tools)) complain([...path, "tools"], fault);
  const egress = egressOf(input.egress, [...path, "egress"], complain);
  if (issuer === undefined || egress === null) return null;
  const resources = Object.fromEntries(hosts.map((host) => [host, input.resource ?? resourceOf(host, listen, loopback)]));
  const client: Client = {
    name,
    vendor: input.vendor,
    hosts,
    issuer,
    audience: audienceOf(input.audience, [...path, "audience"], unset),
    identities,
    egress,
    resources,
    loopback,
  };
  const permissions = { ...permissionDefaults, ...input.permissions };
  return { client, tools: input.tools, readOnly: input.read_only, permissions: withoutAsk(permissions), vaults: input.vaults ?? vaults };
}

/** The client of a configuration that names none: apps on this machine, through the built-in login. */
function localClient({ issuers, listen, operators, vaults, complain }: ClientContext): ClientSettings {
  const issuer = issuers.get("local") ?? { kind: "embedded", name: "local", issuer: originOf(listen) };
  const resources = Object.fromEntries(localHosts.map((host) => [host, resourceOf(host, listen, true)]));
  const audience: Audience = { kind: "aud", value: `${originOf(listen)}/mcp` };
  const ranges = rangesOf(["127.0.0.0/8", "::1/128"], [], complain);
  const egress: Egress = { kind: "ranges", ranges: ranges ?? { texts: [], prefixes: [] } };
  const client: Client = {
    name: "local",
    vendor: "generic",
    hosts: localHosts,
    issuer,
    audience,
    identities: operators,
    egress,
    resources,
    loopback: true,
  };
  return { client, tools: "@read", readOnly: false, permissions: permissionDefaults, vaults };
}

function hostsOf({ host }: Pick<ClientInput, "host">): readonly string[] {
  return typeof host === "string" ? [host] : host;
}

/** Not a non-empty text = revoked. */
export function audienceOf(written: string | null | undefined, path: Path, unset: UnsetVariables): Audience {
  const value = written?.trim() ?? "";
  if (value !== "") return { kind: "aud", value };
  const setting = path.join(".");
  const names = unset.get(setting);
  if (names !== undefined) return { kind: "revoked", why: `${setting} is empty because ${withoutValue(names)}` };
  return { kind: "revoked", why: `${setting} is ${written === undefined ? "missing" : "empty"}` };
}

function resourceOf(host: string, listen: ListenAddress, loopback: boolean): string {
  return loopback ? `http://${host}:${listen.port}/mcp` : `https://${host}/mcp`;
}

function egressOf(input: ClientInput["egress"], path: Path, complain: Complain): Egress | null {
  if (input === "any") return { kind: "any" };
  if (typeof input === "string" || !Array.isArray(input)) {
    complain(path, "names a published list, which is not built yet; write the CIDR ranges, or any");
    return null;
  }
  const ranges = rangesOf(input, path, complain);
  return ranges === null ? null : { kind: "ranges", ranges };
}

export function rangesOf(texts: readonly string[], path: Path, complain: Complain): Ranges | null {
  const parsed = parseRanges(texts);
  if (parsed.ok) return parsed.value;
  complain([...path, parsed.index], parsed.message);
  return null;
}

function withoutAsk(permissions: Readonly<Record<string, "on" | "ask" | "off" | undefined>>): ClientSettings["permissions"] {
  const settled = (group: keyof typeof permissionDefaults): "on" | "off" => (permissions[group] === "on" ? "on" : "off");
  return {
    "vault.capture": settled("vault.capture"),
    "files.write": settled("files.write"),
    "captures.write": settled("captures.write"),
    "vault.propose": settled("vault.propose"),
    "captures.projects": settled("captures.projects"),
    "captures.scope": settled("captures.scope"),
    "captures.send": settled("captures.send"),
  };
}
