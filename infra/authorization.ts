/** Puts the built-in authorization server behind its URLs, if one is configured, and reaches it for minted tokens. */
import type { JWK } from "jose";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Client } from "../auth/client.ts";
import { type Embedded, openEmbedded } from "../auth/embedded/embedded.ts";
import type { Resource } from "../auth/embedded/resources.ts";
import type { AuthorizationPages } from "../gateway/app.ts";
import type { Inbound } from "../gateway/endpoint.ts";
import type { Log, Now, OAuthRecords, SecretStore } from "../storage/ports.ts";
import type { Config } from "./config/config.ts";
import type { NodeInbound } from "./listener.ts";

export type AuthorizationDependencies = {
  readonly config: () => Config;
  /** Where the public listener is bound; the issuer is its origin. */
  readonly origin: string;
  readonly listenerIsLoopback: boolean;
  readonly passcode: string;
  readonly records: OAuthRecords;
  readonly secrets: SecretStore;
  readonly now: Now;
  readonly ids: () => string;
  readonly log: Log;
};

export type Authorization = {
  readonly pages: AuthorizationPages;
  readonly keys: () => Promise<readonly JWK[]>;
};

/** The server itself loads its library only when somebody comes to log in, so opening it costs nothing. */
export function openAuthorization({ config, origin, ...rest }: AuthorizationDependencies): Authorization {
  const embedded: Embedded = openEmbedded({
    ...rest,
    issuer: origin,
    resources: () => embeddedResources(config()),
    operator: () => config().operators[0] ?? "",
  });
  return {
    pages: async (request, inbound) => {
      if (!isNodeInbound(inbound) || embeddedResources(config()).length === 0 || !embedded.owns(new URL(request.url).pathname)) return null;
      await embedded.handle(inbound.incoming, inbound.outgoing);
      return RESPONSE_ALREADY_SENT;
    },
    keys: async () => (await embedded.jwks()).keys,
  };
}

function isNodeInbound(inbound: Inbound): inbound is NodeInbound {
  return "incoming" in inbound && "outgoing" in inbound;
}

/** Endpoints that tokens may be asked for: those of clients of the built-in server that are not revoked. */
function embeddedResources(config: Config): readonly Resource[] {
  return config.clients.flatMap(({ client }) => resourceOf(client));
}

function resourceOf({ issuer, audience, hosts, resources }: Client): readonly Resource[] {
  if (issuer.kind !== "embedded" || audience.kind === "revoked") return [];
  const [first, ...others] = [...new Set(hosts.flatMap((host) => resources[host] ?? []))];
  return first === undefined ? [] : [{ spellings: [first, ...others], audience: audience.value }];
}
