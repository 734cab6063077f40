/** The built-in authorization server on a real socket, with an app and a browser to drive it. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as rawRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalJWKSet, jwtVerify, type JWTVerifyResult } from "jose";
import { openEmbedded, type EmbeddedOptions } from "../../../auth/embedded/embedded.ts";
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { openSqlite } from "../../../storage/backends/sqlite.ts";

export const passcode = "MARKERPASS-7f3k-92qd";
export const operator = "me@example.com";
export const audience = "mcp-local-audience";

export type Started = Awaited<ReturnType<typeof start>>;
type Changes = Partial<Omit<EmbeddedOptions, "issuer" | "records" | "secrets">> & { readonly home?: string; readonly port?: number };

/** Own home unless `home` is given; then that one is left alone. `clock.aheadMs` moves the server's clock. */
export async function start(changes: Changes = {}) {
  const home = changes.home ?? (await mkdtemp(join(tmpdir(), "postern-embedded-")));
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const lines: string[] = [];
  const database = await openSqlite(join(home, "postern.db"));
  const server = createServer();
  server.listen(changes.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;
  const { home: _home, port: _port, ...options } = changes;
  const embedded = openEmbedded({
    issuer,
    listenerIsLoopback: true,
    resources: () => [{ spellings: [`${issuer}/mcp`, `http://localhost:${port}/mcp`], audience }],
    operator: () => operator,
    passcode,
    records: oauthRecords({ database, now }),
    secrets: secretStore({ database, now }),
    now,
    ids: randomUUID,
    log: (level, event, fields = {}) => void lines.push(JSON.stringify({ level, event, ...fields })),
    ...options,
  });
  server.on("request", (request, response) => void embedded.handle(request, response));
  return {
    home,
    port,
    issuer,
    clock,
    lines,
    database,
    embedded,
    resource: `${issuer}/mcp`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await database.close();
      if (changes.home === undefined) await rm(home, { recursive: true });
    },
  };
}

export const redirectUri = "http://127.0.0.1:33418/callback";

export type App = { readonly clientId: string; readonly verifier: string; readonly challenge: string };

function pkce() {
  const verifier = `MARKERVERIFIER${randomBytes(32).toString("base64url")}`;
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export async function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
}

export async function postForm(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
}

export async function record(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json();
  if (typeof value !== "object" || value === null) throw new Error("not a JSON object");
  return { ...value };
}

export async function register(issuer: string, more: Record<string, unknown> = {}): Promise<App> {
  const response = await postJson(`${issuer}/oauth/register`, {
    client_name: "Test App",
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "none",
    ...more,
  });
  if (response.status !== 201) throw new Error(`registration answered ${response.status}: ${await response.text()}`);
  return { clientId: String((await record(response))["client_id"]), ...pkce() };
}

export function authorizeUrl(issuer: string, app: App, changes: Record<string, string | null> = {}): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: redirectUri,
    code_challenge: app.challenge,
    code_challenge_method: "S256",
    state: "MARKERSTATE",
    scope: "mcp offline_access",
    resource: `${issuer}/mcp`,
  });
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `${issuer}/oauth/authorize?${query}`;
}

/** A browser: cookies by path, no redirects followed by itself. */
export function openBrowser() {
  const jar = new Map<string, { readonly value: string; readonly path: string }>();
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const cookie = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split("|")[0]}=${value}`)
      .join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...Object(init.headers) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; path=([^;]*)/i.exec(line)?.[1] ?? "/";
      if (/expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(`${name}|${path}`);
      else jar.set(`${name}|${path}`, { value, path });
    }
    return response;
  }
  return {
    jar,
    get: (url: string, headers: Record<string, string> = {}) => send(url, { headers }),
    post: (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send(url, { method: "POST", body: new URLSearchParams(fields), headers }),
  };
}
export type Browser = ReturnType<typeof openBrowser>;

/** Follows our own redirects until a page or another server. */
export async function open(browser: Browser, url: string): Promise<{ readonly url: string; readonly response: Response }> {
  const { origin } = new URL(url);
  for (let at = url; ;) {
    const response = await browser.get(at);
    const location = response.headers.get("location");
    if (location === null) return { url: at, response };
    const next = new URL(location, at).href;
    if (!next.startsWith(`${origin}/`)) return { url: next, response };
    at = next;
  }
}

/** The words of a page. */
export function gist(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

export type LoginPage = { readonly url: string; readonly html: string; readonly csrf: string };

export async function openLoginPage(browser: Browser, url: string): Promise<LoginPage> {
  const page = await open(browser, url);
  const html = await page.response.text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1];
  if (csrf === undefined) throw new Error(`no login page at ${page.url}: ${page.response.status} ${gist(html)}`);
  return { url: page.url, html, csrf };
}

/** Decides, and goes where the page sends the browser. The answer to the app, as its query. */
export async function decide(browser: Browser, page: LoginPage, fields: Record<string, string>): Promise<URLSearchParams> {
  const response = await browser.post(page.url, { csrf: page.csrf, ...fields }, { origin: new URL(page.url).origin });
  const next = /^0; url=(.+)$/.exec(response.headers.get("refresh") ?? "")?.[1];
  if (next === undefined) throw new Error(`the decision was not taken: ${response.status} ${gist(await response.text())}`);
  const left = await open(browser, new URL(next, page.url).href);
  return new URL(left.url).searchParams;
}

export async function logIn(
  issuer: string,
  app: App,
  browser = openBrowser(),
  changes: Record<string, string | null> = {},
): Promise<URLSearchParams> {
  return decide(browser, await openLoginPage(browser, authorizeUrl(issuer, app, changes)), { passcode, decision: "allow" });
}

export function exchange(issuer: string, app: App, code: string, changes: Record<string, string> = {}): Promise<Response> {
  return postForm(`${issuer}/oauth/token`, {
    grant_type: "authorization_code",
    client_id: app.clientId,
    code,
    code_verifier: app.verifier,
    redirect_uri: redirectUri,
    resource: `${issuer}/mcp`,
    ...changes,
  });
}

export function refresh(issuer: string, app: App, refreshToken: string, changes: Record<string, string> = {}): Promise<Response> {
  return postForm(`${issuer}/oauth/token`, {
    grant_type: "refresh_token",
    client_id: app.clientId,
    refresh_token: refreshToken,
    ...changes,
  });
}

export type Tokens = { readonly access: string; readonly refresh: string };

export async function tokensOf(response: Response): Promise<Tokens> {
  const body = await record(response);
  if (response.status !== 200) throw new Error(`token endpoint answered ${response.status}: ${JSON.stringify(body)}`);
  return { access: String(body["access_token"]), refresh: String(body["refresh_token"]) };
}

export async function connect(issuer: string, app: App): Promise<Tokens> {
  return tokensOf(await exchange(issuer, app, (await logIn(issuer, app)).get("code") ?? ""));
}

/** As the gate verifies it, with the keys of this moment. */
export async function verify(server: Started, token: string): Promise<JWTVerifyResult> {
  const keys = createLocalJWKSet({ keys: [...(await server.embedded.jwks()).keys] });
  return jwtVerify(token, keys, { issuer: server.issuer, audience, typ: "at+jwt", algorithms: ["ES256"] });
}

export type RawResponse = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string };

/** A request with exactly these headers; `fetch` sets Host and Origin by itself. */
export function send(server: Started, path: string, headers: Record<string, string>, method = "GET", body = ""): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = rawRequest({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on("error", reject).end(body);
  });
}
