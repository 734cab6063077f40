/** Checks 0 to 2: a sound request, a configured host, an allowed origin. No address, no credential. */
import type { Client } from "./client.ts";
import type { Refusal, RefusalReason } from "./refusal.ts";
import { vendors } from "./vendors/vendors.ts";

export type GateRequest = {
  readonly method: string;
  /** The request target exactly as it arrived, query included (RFC 9112 section 3.2). */
  readonly target: string;
  /** One header's value by its lower-case name, null if absent; a repeated header arrives joined by a comma. */
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

/** What was found, in order of the checks: the first problem decides, and every answer to an allowed Origin names it. */
export function doorOf({ method, target, header }: GateRequest, byHost: ReadonlyMap<string, Client>): Door | Preflight | Refusal {
  const hostHeader = header("host") ?? "";
  const host = hostnameOf(hostHeader);
  const client = byHost.get(host);
  const asked = header("origin");
  const origin = asked !== null && client !== undefined && isAllowedOrigin(asked, client, host) ? asked : null;
  const refuse = (reason: RefusalReason, detail?: string): Refusal => ({
    kind: "refusal",
    reason,
    origin,
    ...(client === undefined ? {} : { client, host }),
    ...(detail === undefined ? {} : { detail }),
  });

  if (!isOriginForm(target)) return refuse("bad_target");
  if (hasTokenInQuery(target)) return refuse("token_in_query");
  if (hostHeader.includes(",")) return refuse("repeated_host");
  if (header("authorization")?.includes(",") === true) return refuse("repeated_authorization");
  if (client === undefined)
    return refuse("unknown_host", `no client has the host ${shown(hostHeader)}; a proxy in front must pass Host on unchanged`);
  if (asked !== null && origin === null)
    return refuse("origin_not_allowed", `the origin ${shown(asked)} is neither this host's nor the vendor's`);
  if (method === "OPTIONS" && origin !== null) return { kind: "preflight", client, host, origin };
  return { kind: "door", client, host, origin };
}

/** A path and a query. What starts like another host, or names one, reads differently to different readers. */
function isOriginForm(target: string): boolean {
  return /^\/(?![/\\])[^#\s]*$/.test(target) && !dotSegment.test(target);
}

/** `.` and `..`, encoded too: a proxy in front and we must not disagree on which path that is. */
const dotSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Parameters that would carry a credential in the URL, where every log on the way keeps it (RFC 6750 section 5.3). */
const tokenParameter =
  /^(?:access_?token|token|id_token|refresh_token|bearer(?:_token)?|authorization|jwt|cf_access_jwt_assertion|assertion|api_?key)$/i;

function hasTokenInQuery(target: string): boolean {
  const query = target.indexOf("?");
  if (query === -1) return false;
  // Some readers part parameters at semicolons, take `-` for `_`, or `name[]` for a list.
  const parameters = new URLSearchParams(target.slice(query + 1).replaceAll(";", "&"));
  return parameters.keys().some((name) => tokenParameter.test(name.trim().replaceAll("-", "_").replace(/\[.*$/, "")));
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::\d{1,5})?$/i;

/** Lower-case name without port; IPv6 stays in brackets. Empty = not a host. A final dot names the same host and is taken off. */
function hostnameOf(header: string): string {
  return hostPattern.exec(header)?.[1]?.toLowerCase() ?? "";
}

const loopbackOrigin = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * The own origin (with another port only if the configured resource names it) and the vendor's pages. `null`, the origin of
 * sandboxed pages and files, is nobody's. A door on this machine also takes pages of this machine on any port, such as the
 * Inspector's: whoever serves there already runs programs here, an origin is no credential, and a page that was rebound to
 * 127.0.0.1 still shows its foreign name.
 */
function isAllowedOrigin(origin: string, client: Client, host: string): boolean {
  if (client.loopback && loopbackOrigin.test(origin)) return true;
  const origins: readonly string[] = vendors[client.vendor].origins;
  return origin === `https://${host}` || origins.includes(origin) || isOriginOf(client.resources[host], origin);
}

function isOriginOf(resource: string | undefined, origin: string): boolean {
  return resource !== undefined && URL.canParse(resource) && new URL(resource).origin === origin && origin !== "null";
}

/** Text from outside, for the log: one line, cut. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
