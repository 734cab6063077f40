/** Renders what the gate decided. Texts are constant per status: the reason is for the log, not for whoever is refused. */
import type { Door, Preflight } from "./door.ts";
import { resourceMetadata, resourceMetadataUrl } from "./metadata.ts";
import { type Refusal, statusOf } from "./refusal.ts";
import { requiredScopes } from "./token.ts";

type Headers = Readonly<Record<string, string>>;

/** OAuth error codes and sentences by status (RFC 6750 section 3.1 where it has one). */
const bodies: Readonly<Record<number, { readonly error: string; readonly error_description: string }>> = {
  400: { error: "invalid_request", error_description: "The request is not acceptable." },
  401: { error: "invalid_token", error_description: "Sign in to use this server." },
  403: { error: "access_denied", error_description: "This server does not accept the request." },
  421: { error: "misdirected_request", error_description: "This server does not answer for that host." },
  429: { error: "too_many_requests", error_description: "Too many refused tokens; wait a moment." },
  503: { error: "temporarily_unavailable", error_description: "Tokens cannot be verified right now; try again shortly." },
};

export function renderRefusal(refusal: Refusal): Response {
  const status = statusOf(refusal);
  const challenge = challengeOf(refusal, status);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...corsHeaders(refusal.origin),
  };
  if (challenge !== null) headers["www-authenticate"] = challenge;
  if (refusal.retryAfterSeconds !== undefined) headers["retry-after"] = String(refusal.retryAfterSeconds);
  const body =
    refusal.reason === "scope_missing"
      ? { error: "insufficient_scope", error_description: "The token lacks a scope this server needs." }
      : bodies[status];
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * One Bearer challenge with each parameter once (RFC 9110 section 11.2), its address from configuration. `error` only when
 * a token was presented: clients refresh silently on it. No other 403 carries one, or clients would log in for ever.
 */
function challengeOf({ reason, client, host }: Refusal, status: number): string | null {
  if (client === undefined || host === undefined || (status !== 401 && reason !== "scope_missing")) return null;
  const parameters: string[] = [];
  if (reason === "scope_missing") parameters.push('error="insufficient_scope"');
  else if (reason !== "credential_missing") parameters.push('error="invalid_token"', 'error_description="The token is not valid here."');
  const scopes = requiredScopes(client.issuer);
  if (scopes.length > 0) parameters.push(`scope=${quoted(scopes.join(" "))}`);
  parameters.push(`resource_metadata=${quoted(resourceMetadataUrl(client, host))}`);
  return `Bearer ${parameters.join(", ")}`;
}

/** RFC 9110 section 5.6.4. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

const noOrigin: Headers = { vary: "Origin" };

/** The same decision on every status, so that a browser client can read a 401 as well as a 200. */
export function corsHeaders(origin: string | null): Headers {
  if (origin === null) return noOrigin;
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After",
    vary: "Origin",
  };
}

const allowedHeaders = [
  "Authorization",
  "Content-Type",
  "Accept",
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID",
];
const parameterHeader = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** Names taken over from one question; the rest of it is not looked at. */
const maxAsked = 50;

/** Answers before authentication and says nothing of the configuration. `Mcp-Param-*` names are allowed as they are asked for. */
export function renderPreflight({ origin }: Preflight, header: (name: string) => string | null): Response {
  const asked = (header("access-control-request-headers") ?? "")
    .toLowerCase()
    .split(",", maxAsked)
    .map((name) => name.trim());
  const headers = {
    ...corsHeaders(origin),
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": [...allowedHeaders, ...asked.filter((name) => parameterHeader.test(name))].join(", "),
    "access-control-max-age": "600",
  };
  return new Response(null, { status: 204, headers });
}

/** Public by design: clients read it from other addresses than they call from, and browsers read it too. */
export function renderMetadata({ client, host }: Door, method: string): Response {
  const allow = "GET, HEAD, OPTIONS";
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405, headers: { allow } });
  const headers = { "content-type": "application/json", "cache-control": "public, max-age=300", "access-control-allow-origin": "*" };
  return new Response(method === "HEAD" ? null : JSON.stringify(resourceMetadata(client, host)), { status: 200, headers });
}
