/** What a configuration means, for people and machines, without a secret: an audience is shown as set or revoked. */
import type { Client, Egress } from "../../auth/client.ts";
import type { Config } from "./config.ts";

export type Description = {
  readonly listen: string;
  readonly operations: string | null;
  readonly home: string;
  readonly operators: readonly string[];
  readonly proxy: string | null;
  readonly clients: readonly ClientDescription[];
  readonly vaults: readonly { readonly name: string; readonly repository: string; readonly branch: string }[];
  readonly notices: readonly string[];
};
export type ClientDescription = {
  readonly name: string;
  readonly state: "open" | "revoked";
  /** Why it is revoked. */
  readonly why?: string;
  readonly resources: readonly string[];
  readonly issuer: string;
  readonly identities: readonly string[];
  readonly egress: string;
  readonly tools: string;
  readonly vaults: readonly string[];
};

export function describeConfig(config: Config): Description {
  const address = ({ host, port }: Config["listen"]): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    listen: address(config.listen),
    operations: config.operations === null ? null : address(config.operations),
    home: config.home,
    operators: config.operators,
    proxy: config.proxy?.header ?? null,
    clients: config.clients.map(({ client, tools, readOnly, vaults }) => ({
      ...describeClient(client),
      tools: readOnly ? `${tools} (read only)` : tools,
      vaults,
    })),
    vaults: config.vaults.map(({ name, repository, branch }) => ({
      name,
      repository: repository ?? "(sample)",
      branch: branch ?? "(HEAD)",
    })),
    notices: config.notBuilt,
  };
}

function describeClient({ name, audience, resources, issuer, identities, egress }: Client): Omit<ClientDescription, "tools" | "vaults"> {
  return {
    name,
    ...(audience.kind === "revoked" ? { state: "revoked", why: audience.why } : { state: "open" }),
    resources: Object.values(resources),
    issuer: `${issuer.name} (${issuer.kind}, ${issuer.issuer})`,
    identities,
    egress: describeEgress(egress),
  };
}

function describeEgress(egress: Egress): string {
  return egress.kind === "any" ? "any" : egress.ranges.texts.join(", ");
}

/** The same for a terminal. */
export function renderDescription(description: Description): readonly string[] {
  const { clients, vaults, notices } = description;
  return [
    `listen      ${description.listen}`,
    `operations  ${description.operations ?? "off"}`,
    `home        ${description.home}`,
    `operators   ${description.operators.join(", ")}`,
    ...(description.proxy === null ? [] : [`proxy       believed for ${description.proxy}`]),
    ...vaults.map(({ name, repository, branch }) => `vault       ${name}: ${repository}, branch ${branch}`),
    ...clients.flatMap(({ name, state, why, resources, issuer, identities, egress, tools, vaults: readable }) => [
      `client      ${name}: ${state}${why === undefined ? "" : ` (${why})`}`,
      `              type into the app  ${resources.join("  or  ")}`,
      `              tokens from        ${issuer}`,
      `              people             ${identities.join(", ")}`,
      `              calls from         ${egress}`,
      `              tools              ${tools}; vaults ${readable.join(", ") || "none"}`,
    ]),
    ...notices.map((notice) => `note        ${notice}`),
  ];
}
