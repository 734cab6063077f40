/** Protected resource metadata (RFC 9728). Everything from configuration, nothing from a request header. */
import type { Client } from "./client.ts";
import { requiredScopes } from "./token.ts";

export type ResourceMetadata = {
  /** Exactly the URL the person typed into the app; clients compare it as text. */
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
  readonly resource_name: string;
};

export function resourceMetadata(client: Client, host: string): ResourceMetadata {
  const resource = resourceOf(client, host);
  const scopes = requiredScopes(client.issuer);
  return {
    resource,
    authorization_servers: [authorizationServer(client, resource)],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_name: `Postern (${client.name})`,
  };
}

/** Where the document of a host is found (RFC 9728 section 3.1: the well-known part stands between host and path). */
export function resourceMetadataUrl(client: Client, host: string): string {
  const { origin, pathname, search } = new URL(resourceOf(client, host));
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`;
}

function resourceOf(client: Client, host: string): string {
  return client.resources[host] ?? `https://${host}/mcp`;
}

/** With Cloudflare Access the authorization server lives on the client's own host, at the edge (Managed OAuth). */
function authorizationServer({ issuer }: Client, resource: string): string {
  return issuer.kind === "cloudflare-access" ? new URL(resource).origin : issuer.issuer;
}
