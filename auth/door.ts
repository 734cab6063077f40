/** Checks 0 to 2: a sound request, a configured host, an allowed origin. No address, no credential. */
import type { Client } from "./client.ts";
import type { Refusal, RefusalReason } from "./refusal.ts";
import { vendors } from "./vendors/vendors.ts";

export type GateRequest = {
  readonly method: string;
  /** The request target exactly as it arrived (RFC 9112 section 3.2). */
  readonly target: string;
  /** One header's value, null if absent; a repeated header arrives joined by a comma. */
  readonly header: (name: string) => string | null;
  /** The socket's address. */
  readonly peerAddress: string;
};

export type Door = {
  readonly kind: "door";
  readonly client: Client;
  /** The configured host that was called. */
  readonly host: string;
  /** The allowed Origin to answer to, null if the request had none. */
  readonly origin: string | null;
};
/** A browser's question before the real request; it ends here. */
export type Preflight = Omit<Door, "kind" | "origin"> & { readonly kind: "preflight"; readonly origin: string };

export function doorOf(request: GateRequest, byHost: ReadonlyMap<string, Client>): Door | Preflight | Refusal {
  const { header, target, method } = request;
  const refuse = (reason: RefusalReason, more: Partial<Refusal> = {}): Refusal => ({ kind: "refusal", reason, origin: null, ...more });
  if (!target.startsWith("/") || target.startsWith("//")) return refuse("bad_target");
  if (hasTokenInQuery(target)) return refuse("token_in_query");
  const hostHeader = header("host") ?? "";
  if (hostHeader.includes(",")) return refuse("repeated_host");
  if (header("authorization")?.includes(",") === true) return refuse("repeated_authorization");
  const host = hostnameOf(hostHeader);
  const client = host === null ? undefined : byHost.get(host);
  if (host === null || client === undefined) return refuse("unknown_host", { detail: `Host ${JSON.stringify(hostHeader.slice(0, 100))}; a proxy in front must keep the Host header` });
  const origin = header("origin");
  if (origin === null) return { kind: "door", client, host, origin };
  if (!isAllowedOrigin(origin, client, host)) return refuse("origin_not_allowed", { client, host, detail: `Origin ${JSON.stringify(origin.slice(0, 100))}` });
  return method === "OPTIONS" ? { kind: "preflight", client, host, origin } : { kind: "door", client, host, origin };
}

/** Parameters that would carry a bearer in the URL, where every log on the way keeps it (RFC 6750 section 5.3). */
const tokenParameter = /^(?:access_token|token|id_token|bearer|authorization|jwt|api_key|apikey)$/i;

function hasTokenInQuery(target: string): boolean {
  const query = target.indexOf("?");
  if (query === -1) return false;
  for (const name of new URLSearchParams(target.slice(query + 1)).keys()) if (tokenParameter.test(name)) return true;
  return false;
}

/** Lower-case name without port; IPv6 stays in brackets. Null = not a host. A final dot names the same host and is taken off. */
export function hostnameOf(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::\d{1,5})?$/i.exec(header);
  return match?.[1]?.toLowerCase() ?? null;
}

const loopbackOrigin = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * The own origin and the vendor's pages. A door on this machine also takes pages of this machine, such as the Inspector:
 * an origin is no credential, and a page from elsewhere cannot claim a loopback one.
 */
function isAllowedOrigin(origin: string, client: Client, host: string): boolean {
  if (client.loopback && loopbackOrigin.test(origin)) return true;
  if (!client.loopback && origin === `https://${host}`) return true;
  const origins: readonly string[] = vendors[client.vendor].origins;
  return origins.includes(origin);
}
