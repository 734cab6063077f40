/**
 * The built-in authorization server: one operator, one passcode, for programs on this machine.
 * `docs/decisions/0020-embedded-authorization-server.md` says why it is as it is.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log, Now, OAuthRecords, SecretStore } from "../../storage/ports.ts";
import { sendError, sendJson, sendPage } from "./answers.ts";
import { attempts } from "./attempts.ts";
import { normalizeAuthorize } from "./authorize-request.ts";
import { mintToken, signingKeys, type MintRequest, type PublicKey } from "./keys.ts";
import { openLogin } from "./login.ts";
import { messagePage } from "./login-page.ts";
import { metadataOf, metadataPaths, paths, type Metadata } from "./metadata.ts";
import { providerSource } from "./provider.ts";
import { isLoopbackOrigin, whyNotLocal } from "./reachability.ts";
import { redirectAllowed } from "./redirects.ts";
import { parseRegistration } from "./registration.ts";
import { formOf, readBody, replay } from "./replay.ts";
import { canonicalResource, type Resource } from "./resources.ts";

/** Calls of one app to the token endpoint; hosted apps refresh in bursts of ten or so. Never counted by address: many apps share one. */
const tokenCallsPerMinute = 60;
/** Registrations of all apps together. */
const registrationsPerMinute = 60;

export type EmbeddedOptions = {
  /** Origin of the listener, such as `http://127.0.0.1:8787`; no trailing slash. */
  readonly issuer: string;
  /** Whether the listener is bound to a loopback address. If not, everything is 404. */
  readonly listenerIsLoopback: boolean;
  /** The endpoints that tokens are given for, as configured now; asked at every request. */
  readonly resources: () => readonly Resource[];
  /** Who the tokens name: the first operator, as the gate compares it. */
  readonly operator: () => string;
  /** What the operator types. Compared without spaces, dashes and case; give it 40 bits or more. */
  readonly passcode: string;
  readonly records: OAuthRecords;
  readonly secrets: SecretStore;
  readonly now: Now;
  /** Unique names for minted tokens. */
  readonly ids: () => string;
  readonly log: Log;
};

export type Embedded = {
  /** Answers a request for one of `owns`, from reachability to the last byte. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Whether a path belongs to this server: `/oauth/…` and the discovery documents. */
  owns(path: string): boolean;
  metadata(): Metadata;
  /** Public keys, newest first. Read from the store each time (70 µs). */
  jwks(): Promise<{ readonly keys: readonly PublicKey[] }>;
  /** A bearer without a login, for the same OS user's command line. Throws RangeError for an empty audience or subject, or a TTL outside 1 to 86,400 s. */
  mint(request: MintRequest): Promise<string>;
};

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly path: string; readonly query: string };

export function openEmbedded(options: EmbeddedOptions): Embedded {
  const { issuer, secrets, records, resources, now, log } = options;
  const provider = providerSource(options);
  const login = openLogin(options);
  const tokenCalls = attempts({ perMinute: tokenCallsPerMinute, now });
  const registrations = attempts({ perMinute: registrationsPerMinute, now });

  const delegate = async (request: IncomingMessage, response: ServerResponse) => {
    await (await provider()).callback()(request, response);
  };

  async function authorize({ request, response, query }: Exchange): Promise<void> {
    const asked = new URLSearchParams(query);
    const clientId = asked.get("client_id") ?? "";
    const redirectUri = asked.get("redirect_uri");
    // Stricter than oidc-provider, and again although registration checked: this is where an answer would be sent away.
    const registered = (await records.get("Client", clientId))?.payload["redirect_uris"];
    if (redirectUri !== null && Array.isArray(registered) && !redirectAllowed(registered.map(String), redirectUri)) {
      log("warn", "oauth_refused", { path: "authorization", reason: "invalid_redirect_uri", oauth_client: clientId });
      return sendPage(
        response,
        400,
        messagePage("This cannot go on", "The app asked to be answered at an address that it did not register. Nothing was sent there."),
      );
    }
    await delegate(
      replay(request, { url: `${paths.authorize}?${normalizeAuthorize(asked, resources())}`, headers: { accept: "text/html" } }),
      response,
    );
  }

  async function form({ request, response, path }: Exchange): Promise<void> {
    const body = await readBody(request);
    if (body === null) return tooLarge(response);
    const fields = formOf(body);
    const clientId = clientIdOf(request, fields);
    const waitSeconds = path === paths.token ? tokenCalls.take(clientId) : 0;
    if (waitSeconds > 0) {
      log("warn", "oauth_refused", { path: "token", reason: "rate_limited", oauth_client: clientId });
      return sendError(response, 429, "temporarily_unavailable", "This app calls the token endpoint too often.", {
        "retry-after": String(waitSeconds),
      });
    }
    const wanted = new Set(fields.getAll("resource").map((value) => canonicalResource(resources(), value)));
    fields.delete("resource");
    for (const resource of wanted) fields.append("resource", resource);
    await delegate(replay(request, { url: path, body: fields.toString(), headers: { accept: "application/json" } }), response);
  }

  async function register({ request, response }: Exchange): Promise<void> {
    const waitSeconds = registrations.take("all");
    if (waitSeconds > 0)
      return sendError(response, 429, "temporarily_unavailable", "Too many registrations.", { "retry-after": String(waitSeconds) });
    const body = await readBody(request);
    if (body === null) return tooLarge(response);
    const registration = parseRegistration(body);
    if (!registration.ok) {
      log("warn", "oauth_refused", { path: "registration", reason: registration.error });
      return sendError(response, 400, registration.error, registration.description);
    }
    const headers = { accept: "application/json", "content-type": "application/json" };
    await delegate(replay(request, { url: paths.register, body: JSON.stringify(registration.metadata), headers }), response);
  }

  async function decide({ request, response, path }: Exchange): Promise<void> {
    // A browser names the page that posts; a text browser names none, and then the form's own secret is what counts.
    const { origin, "sec-fetch-site": site } = request.headers;
    if (
      request.method === "POST" &&
      ((origin !== undefined && origin !== ownOrigin(request)) || (site !== undefined && site !== "same-origin"))
    ) {
      log("warn", "oauth_refused", { path: "login", reason: "origin" });
      return sendPage(
        response,
        403,
        messagePage("Refused", "This decision was sent by another page. Go back to the app and start the connection again."),
      );
    }
    await login.handle(await provider(), path.slice(paths.login.length + 1), request, response);
  }

  const metadata = metadataOf(issuer);
  const jwks = async () => ({ keys: (await signingKeys(secrets)).map((key) => key.public) });
  const document = async ({ response }: Exchange) => sendJson(response, 200, metadata, { "cache-control": "public, max-age=300" });

  type Route = { readonly methods: readonly string[]; readonly cors: boolean; answer(exchange: Exchange): Promise<void> };
  const routes: ReadonlyMap<string, Route> = new Map([
    ...metadataPaths.map((path): [string, Route] => [path, { methods: ["GET", "HEAD"], cors: true, answer: document }]),
    [
      paths.jwks,
      {
        methods: ["GET", "HEAD"],
        cors: true,
        answer: async ({ response }) => sendJson(response, 200, await jwks(), { "cache-control": "public, max-age=60" }),
      },
    ],
    [paths.register, { methods: ["POST"], cors: true, answer: register }],
    [paths.token, { methods: ["POST"], cors: true, answer: form }],
    [paths.revoke, { methods: ["POST"], cors: true, answer: form }],
    [paths.authorize, { methods: ["GET"], cors: false, answer: authorize }],
  ]);
  // The way back from the page (`/oauth/authorize/…`) holds only what oidc-provider made itself.
  const resume: Route = {
    methods: ["GET"],
    cors: false,
    answer: ({ request, response, path }) => delegate(replay(request, { url: path, headers: { accept: "text/html" } }), response),
  };
  const page: Route = { methods: ["GET", "POST"], cors: false, answer: decide };

  function routeOf(path: string): Route | undefined {
    if (/^\/oauth\/login\/[\w-]{1,64}$/.test(path)) return page;
    return /^\/oauth\/authorize\/[\w-]{1,64}$/.test(path) ? resume : routes.get(path);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, reason: string, headers: Readonly<Record<string, string>> = {}) => {
      log("warn", "oauth_refused", { reason, status });
      sendJson(response, status, { error: status === 405 ? "method_not_allowed" : status === 403 ? "forbidden" : "not_found" }, headers);
    };
    const headerNames = request.rawHeaders.filter((_, index) => index % 2 === 0);
    // Node keeps the first of several Host headers and hides the others.
    const hosts = headerNames.filter((name) => name.toLowerCase() === "host").length;
    const foreign = whyNotLocal({
      listenerIsLoopback: options.listenerIsLoopback,
      host: hosts === 1 ? request.headers.host : undefined,
      headerNames,
      peerAddress: request.socket.remoteAddress ?? "",
    });
    if (foreign !== null) return refuse(404, `not_local_${foreign}`);
    const [path = "", query = ""] = splitOnce(request.url ?? "");
    const route = routeOf(path);
    if (route === undefined) return refuse(404, "no_such_path");
    const { origin } = request.headers;
    if (route.cors && origin !== undefined) {
      if (!isLoopbackOrigin(origin)) return refuse(403, "origin");
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-expose-headers", "WWW-Authenticate, Retry-After");
      response.setHeader("vary", "Origin");
      if (request.method === "OPTIONS") return preflight(response, route.methods);
    }
    if (!route.methods.includes(request.method ?? "")) return refuse(405, "method", { allow: route.methods.join(", ") });
    await route.answer({ request, response, path, query });
  }

  return {
    async handle(request, response) {
      try {
        await answer(request, response);
      } catch (error) {
        // The caller left in the middle of its request: nobody is there to answer, and nothing is broken.
        if (request.errored !== null) return void response.destroy();
        log("error", "oauth_failed", { reason: error instanceof Error ? error.name : "unknown" });
        if (response.headersSent) response.destroy();
        else sendError(response, 500, "server_error", "Something broke inside Postern. Its log says more.");
      }
    },
    owns: (path) => path === "/oauth" || path.startsWith("/oauth/") || metadataPaths.includes(path),
    metadata: () => metadata,
    jwks,
    mint: (request) => mintToken(options, request),
  };
}

function splitOnce(target: string): readonly string[] {
  const at = target.indexOf("?");
  return at === -1 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}

function ownOrigin(request: IncomingMessage): string {
  return `http://${request.headers.host ?? ""}`;
}

function tooLarge(response: ServerResponse): void {
  sendError(response, 413, "invalid_request", "The body is longer than 65,536 bytes.", { connection: "close" });
}

function preflight(response: ServerResponse, methods: readonly string[]): void {
  response.writeHead(204, {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "Authorization, Content-Type, Accept, MCP-Protocol-Version",
    "access-control-max-age": "600",
  });
  response.end();
}

/** For counting only; oidc-provider decides who it is. */
function clientIdOf(request: IncomingMessage, fields: URLSearchParams): string {
  const basic = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const user = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8").split(":")[0];
  return (user ?? fields.get("client_id") ?? "").slice(0, 200);
}
