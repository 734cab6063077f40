/** The whole way of an app, over HTTP: discovery, registration, login, tokens, refresh, revocation. */
import { request as rawRequest } from "node:http";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { providerSource } from "../../../auth/embedded/provider.ts";
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { audience, authorizeUrl, connect, decide, exchange, logIn, open, openBrowser, openLoginPage, operator, passcode, postForm, postJson, record, redirectUri, refresh, register, start, tokensOf, type Started } from "./harness.ts";

let server: Started;
const printed: unknown[] = [];
beforeAll(async () => {
  server = await start();
});
beforeEach(() => {
  // oidc-provider prints advice about settings that were left at their defaults; stdout is for people.
  for (const method of ["log", "info", "warn", "error"] as const) vi.spyOn(console, method).mockImplementation((...words: unknown[]) => void printed.push(words));
});
afterAll(async () => {
  await server.stop();
  expect(printed).toEqual([]);
});

/** A request with exactly these headers; `fetch` sets Host and Origin by itself. */
function send(path: string, headers: Record<string, string>, method = "GET", body = ""): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((resolve, reject) => {
    const request = rawRequest({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on("error", reject).end(body);
  });
}

const verify = async (token: string) => jwtVerify(token, createLocalJWKSet({ keys: [...(await server.embedded.jwks()).keys] }), { issuer: server.issuer, audience, typ: "at+jwt", algorithms: ["ES256"] });

describe("discovery", () => {
  const documents = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration/mcp"];

  it.each(documents)("answers at %s with the same document, whatever local name is used", async (path) => {
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, "localhost"]) {
      const { status, headers, body } = await send(path, { host });
      expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
      expect(JSON.parse(body)).toEqual(server.embedded.metadata());
      expect(headers["cache-control"]).toBe("public, max-age=300");
    }
    expect((await send(path, { host: "localhost" }, "HEAD")).status).toBe(200);
    expect(server.embedded.owns(path)).toBe(true);
  });

  it("says what oidc-provider would say of itself, where both say something", async () => {
    const { database, issuer, clock } = server;
    const now = () => Date.now() + clock.aheadMs;
    const provider = await providerSource({ issuer, resources: () => [], operator: () => operator, records: oauthRecords({ database, now }), secrets: secretStore({ database, now }), now, log: () => {} })();
    const { createServer } = await import("node:http");
    const theirs = createServer(provider.callback()).listen(0, "127.0.0.1");
    await new Promise((resolve) => theirs.once("listening", resolve));
    const address = theirs.address();
    const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const text = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).text();
    theirs.close();
    theirs.closeAllConnections();
    const ours: Record<string, unknown> = { ...server.embedded.metadata() };
    const document = JSON.parse(text.replaceAll(origin, issuer));
    // Ours is narrower in the first (checked below), oidc-provider does not know of `mcp` in the second.
    const { response_modes_supported: _modes, scopes_supported: _scopes, ...comparable } = document;
    for (const [name, value] of Object.entries(comparable)) {
      if (!(name in ours)) continue;
      const sorted = (each: unknown) => (Array.isArray(each) ? [...each].sort() : each);
      expect([name, sorted(ours[name])]).toEqual([name, sorted(value)]);
    }
    expect(Object.keys(ours).filter((name) => !(name in document))).toEqual(["revocation_endpoint_auth_methods_supported", "client_id_metadata_document_supported"]);
  });

  it("publishes keys without their private part", async () => {
    const { keys } = await server.embedded.jwks();
    expect(await (await fetch(`${server.issuer}/oauth/jwks`)).json()).toEqual({ keys });
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });
});

describe("an app that connects", () => {
  it("gets an access token for its audience and a refresh token, with iss and state in the answer", async () => {
    const app = await register(server.issuer);
    const answer = await logIn(server.issuer, app);
    expect([answer.get("iss"), answer.get("state")]).toEqual([server.issuer, "MARKERSTATE"]);
    const response = await exchange(server.issuer, app, answer.get("code") ?? "");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const body = await record(response);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: "mcp", refresh_token: expect.any(String) });
    const { payload, protectedHeader } = await verify(String(body["access_token"]));
    expect(payload).toMatchObject({ iss: server.issuer, aud: audience, sub: operator, scope: "mcp", client_id: app.clientId });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
    expect(protectedHeader).toMatchObject({ typ: "at+jwt", alg: "ES256" });
  });

  it("may ask for less: no scope, no resource at the token endpoint, localhost for 127.0.0.1", async () => {
    const app = await register(server.issuer);
    const answer = await logIn(server.issuer, app, openBrowser(), { scope: null, resource: `http://localhost:${server.port}/mcp` });
    const tokens = await tokensOf(await postForm(`${server.issuer}/oauth/token`, { grant_type: "authorization_code", client_id: app.clientId, code: answer.get("code") ?? "", code_verifier: app.verifier, redirect_uri: redirectUri }));
    expect((await verify(tokens.access)).payload.aud).toBe(audience);
    expect((await refresh(server.issuer, app, tokens.refresh, { resource: `http://localhost:${server.port}/mcp` })).status).toBe(200);
  });

  it.each(["client_secret_basic", "client_secret_post"])("may have a secret and send it by %s", async (method) => {
    const response = await postJson(`${server.issuer}/oauth/register`, { redirect_uris: [redirectUri], token_endpoint_auth_method: method });
    const { client_id: clientId, client_secret: secret } = await record(response);
    const app = { ...(await register(server.issuer)), clientId: String(clientId) };
    const code = (await logIn(server.issuer, app)).get("code") ?? "";
    const fields = { grant_type: "authorization_code", code, code_verifier: app.verifier, redirect_uri: redirectUri };
    const wrong = await postForm(`${server.issuer}/oauth/token`, { ...fields, client_id: app.clientId, client_secret: "wrong" });
    expect([wrong.status, (await record(wrong))["error"]]).toEqual([401, "invalid_client"]);
    const right =
      method === "client_secret_post"
        ? await postForm(`${server.issuer}/oauth/token`, { ...fields, client_id: app.clientId, client_secret: String(secret) })
        : await postForm(`${server.issuer}/oauth/token`, fields, { authorization: `Basic ${btoa(`${app.clientId}:${String(secret)}`)}` });
    expect(right.status).toBe(200);
  });

  it("may come back on another loopback port than it registered", async () => {
    const app = await register(server.issuer, { redirect_uris: ["http://127.0.0.1/"] });
    const answer = await logIn(server.issuer, app, openBrowser(), { redirect_uri: "http://127.0.0.1:59656/" });
    expect((await exchange(server.issuer, app, answer.get("code") ?? "", { redirect_uri: "http://127.0.0.1:59656/" })).status).toBe(200);
  });

  it("may register web and private-use redirects, and a localhost one", async () => {
    for (const uri of ["https://claude.ai/api/mcp/auth_callback", "cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:6274/oauth/callback"]) {
      const app = await register(server.issuer, { redirect_uris: [uri] });
      expect((await logIn(server.issuer, app, openBrowser(), { redirect_uri: uri })).get("code")).toBeTruthy();
    }
  });
});

describe("what is refused on the way", () => {
  it("a redirect that was not registered: nothing is sent there, not even an error", async () => {
    const app = await register(server.issuer);
    for (const uri of ["https://evil.example/cb", "javascript:alert(1)//", "http://127.0.0.1:33418/other", `${redirectUri}#x`, "http://localhost:33418/callback"]) {
      const { response, url } = await open(openBrowser(), authorizeUrl(server.issuer, app, { redirect_uri: uri, state: "<b>x" }));
      const html = await response.text();
      expect([uri, response.status, new URL(url).origin]).toEqual([uri, 400, server.issuer]);
      expect(html).not.toContain("evil");
      expect(html).not.toContain("<b>");
    }
  });

  it("a registration with a dangerous redirect", async () => {
    for (const uri of ["javascript:alert(1)//", "http://evil.example/", "https://user@claude.ai/", "data:text/html,x"]) {
      const response = await postJson(`${server.issuer}/oauth/register`, { redirect_uris: [redirectUri, uri] });
      expect([response.status, (await record(response))["error"]]).toEqual([400, "invalid_redirect_uri"]);
    }
  });

  it.each([
    ["without resource", { resource: null }, "invalid_target", "No resource parameter found"],
    ["with an unknown resource", { resource: "https://other.example/mcp" }, "invalid_target", "Unknown resource"],
    ["with a slash too many", { resource: "http://127.0.0.1:1/mcp/" }, "invalid_target", "Unknown resource"],
    ["without a code challenge", { code_challenge: null, code_challenge_method: null }, "invalid_request", null],
    ["with a plain code challenge", { code_challenge_method: "plain" }, "invalid_request", null],
    ["for a token in the address", { response_type: "token" }, "unsupported_response_type", null],
    ["with an answer by form", { response_mode: "form_post" }, "unsupported_response_mode", null],
    ["with a request object", { request: "eyJ.e30." }, "request_not_supported", null],
    ["with a request by reference", { request_uri: "http://169.254.169.254/" }, "request_uri_not_supported", null],
    ["in silence", { prompt: "none" }, "login_required", null],
  ])("an authorization %s, and the app is told with iss and state", async (_name, changes: Record<string, string | null>, error, description) => {
    const app = await register(server.issuer);
    const { url } = await open(openBrowser(), authorizeUrl(server.issuer, app, changes));
    const answer = new URL(url.replace("#", "?")).searchParams;
    expect(url.startsWith(redirectUri)).toBe(true);
    expect([answer.get("error"), answer.get("iss"), answer.get("state")]).toEqual([error, server.issuer, "MARKERSTATE"]);
    if (description !== null) expect(answer.get("error_description")).toBe(description);
  });

  it("two resources at once", async () => {
    const app = await register(server.issuer);
    const { url } = await open(openBrowser(), `${authorizeUrl(server.issuer, app)}&resource=https%3A%2F%2Fother.example`);
    expect(new URL(url).searchParams.get("error")).toBe("invalid_target");
  });

  it("an app that is not registered, on a page and not by a redirect", async () => {
    const { response, url } = await open(openBrowser(), authorizeUrl(server.issuer, { clientId: "nobody", verifier: "", challenge: "x".repeat(43) }));
    expect([response.status, new URL(url).origin]).toEqual([400, server.issuer]);
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await response.text()).toContain("not registered here");
  });

  it("a wrong verifier, a wrong redirect, a wrong resource and another app's code; and then the right request still works", async () => {
    const app = await register(server.issuer);
    const other = await register(server.issuer);
    const code = (await logIn(server.issuer, app)).get("code") ?? "";
    for (const [changes, error] of [
      [{ code_verifier: other.verifier }, "invalid_grant"],
      [{ redirect_uri: "http://127.0.0.1:1/callback" }, "invalid_grant"],
      [{ client_id: other.clientId }, "invalid_grant"],
      [{ client_id: "nobody" }, "invalid_client"],
      [{ code: "wrong" }, "invalid_grant"],
    ] as const) {
      const response = await exchange(server.issuer, app, code, changes);
      expect([changes, (await record(response))["error"]]).toEqual([changes, error]);
    }
    expect((await exchange(server.issuer, app, code)).status).toBe(200);
    const again = (await logIn(server.issuer, app)).get("code") ?? "";
    const response = await exchange(server.issuer, app, again, { resource: "https://other.example/mcp" });
    expect([response.status, (await record(response))["error"]]).toEqual([400, "invalid_target"]);
  });

  it("a code that was used: and what it gave is taken back", async () => {
    const app = await register(server.issuer);
    const code = (await logIn(server.issuer, app)).get("code") ?? "";
    const tokens = await tokensOf(await exchange(server.issuer, app, code));
    expect((await record(await exchange(server.issuer, app, code)))["error"]).toBe("invalid_grant");
    expect((await record(await refresh(server.issuer, app, tokens.refresh)))["error"]).toBe("invalid_grant");
  });

  it("a body over the limit, with and without a length, and the server goes on", async () => {
    for (const path of ["/oauth/register", "/oauth/token", "/oauth/revoke"]) {
      const response = await fetch(server.issuer + path, { method: "POST", body: "x".repeat(70_000), headers: { "content-type": "application/x-www-form-urlencoded" } });
      expect([path, response.status]).toEqual([path, 413]);
    }
    expect((await send("/oauth/token", { host: "localhost", "transfer-encoding": "chunked" }, "POST", "x".repeat(70_000)).catch(() => ({ status: 413 }))).status).toBe(413);
    expect((await fetch(`${server.issuer}/oauth/jwks`)).status).toBe(200);
  });
});

describe("refreshing", () => {
  it("gives tokens that work, and leaves the one before working until it expires by itself", async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const second = await tokensOf(await refresh(server.issuer, app, first.refresh));
    expect(second.refresh).not.toBe(first.refresh);
    await verify(second.access);
    await verify(first.access);
    expect((await refresh(server.issuer, app, second.refresh)).status).toBe(200);
  });

  it("lets several parallel refreshes with one token all end with working tokens", async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const all = await Promise.all(Array.from({ length: 8 }, async () => tokensOf(await refresh(server.issuer, app, first.refresh))));
    expect(new Set(all.map((tokens) => tokens.refresh)).size).toBe(8);
    for (const tokens of all) {
      await verify(tokens.access);
      await tokensOf(await refresh(server.issuer, app, tokens.refresh));
    }
  });

  it("ends the whole grant when a token comes back after the grace of a minute", async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const second = await tokensOf(await refresh(server.issuer, app, first.refresh));
    server.clock.aheadMs += 59_000;
    const third = await tokensOf(await refresh(server.issuer, app, first.refresh));
    server.clock.aheadMs += 2_000;
    expect((await record(await refresh(server.issuer, app, first.refresh)))["error"]).toBe("invalid_grant");
    for (const tokens of [second, third]) expect((await record(await refresh(server.issuer, app, tokens.refresh)))["error"]).toBe("invalid_grant");
    server.clock.aheadMs = 0;
  });

  it("belongs to the app that got the token", async () => {
    const app = await register(server.issuer);
    const tokens = await connect(server.issuer, app);
    expect((await record(await refresh(server.issuer, await register(server.issuer), tokens.refresh)))["error"]).toBe("invalid_grant");
    expect((await refresh(server.issuer, app, tokens.refresh)).status).toBe(200);
  });

  it("is limited for each app and not for the address they share", async () => {
    server.clock.aheadMs += 120_000;
    const apps = Array.from({ length: 60 }, (_, index) => ({ clientId: `app${index}`, verifier: "", challenge: "" }));
    for (const app of apps) expect((await refresh(server.issuer, app, "x")).status).toBe(401);
    const [app] = apps;
    if (app === undefined) throw new Error("unreachable");
    for (let call = 1; call < 60; call += 1) expect((await refresh(server.issuer, app, "x")).status).toBe(401);
    const response = await refresh(server.issuer, app, "x");
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await refresh(server.issuer, { ...app, clientId: "other" }, "x")).status).toBe(401);
    server.clock.aheadMs = 0;
  });
});

describe("revoking", () => {
  it("ends the grant of a refresh token, and answers 200 for one that never was", async () => {
    const app = await register(server.issuer);
    const tokens = await connect(server.issuer, app);
    const more = await tokensOf(await refresh(server.issuer, app, tokens.refresh));
    expect((await postForm(`${server.issuer}/oauth/revoke`, { client_id: app.clientId, token: "never" })).status).toBe(200);
    expect((await postForm(`${server.issuer}/oauth/revoke`, { client_id: app.clientId, token: more.refresh, token_type_hint: "refresh_token" })).status).toBe(200);
    expect((await record(await refresh(server.issuer, app, more.refresh)))["error"]).toBe("invalid_grant");
  });

  it("does nothing for another app's token", async () => {
    const app = await register(server.issuer);
    const tokens = await connect(server.issuer, app);
    await postForm(`${server.issuer}/oauth/revoke`, { client_id: (await register(server.issuer)).clientId, token: tokens.refresh });
    expect((await refresh(server.issuer, app, tokens.refresh)).status).toBe(200);
  });
});

describe("who may speak to it", () => {
  const paths = ["/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/jwks", "/oauth/login/abc"];

  it.each(paths)("refuses %s under a foreign Host or through a proxy", async (path) => {
    for (const headers of [{ host: "evil.example" }, { host: `127.0.0.1:${server.port}`, "cf-connecting-ip": "1.2.3.4" }, { host: "localhost", "x-forwarded-for": "127.0.0.1" }, { host: "localhost", forwarded: "for=x" }] as Record<string, string>[]) {
      const { status, body } = await send(path, headers);
      expect([status, body]).toEqual([404, '{"error":"not_found"}']);
    }
  });

  it("lets pages of this machine call it, and no others", async () => {
    const host = `127.0.0.1:${server.port}`;
    for (const origin of ["http://localhost:6274", `http://127.0.0.1:${server.port}`]) {
      const preflight = await send("/oauth/token", { host, origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type,mcp-protocol-version" }, "OPTIONS");
      expect([preflight.status, preflight.headers["access-control-allow-origin"], preflight.headers["access-control-allow-methods"]]).toEqual([204, origin, "POST"]);
      for (const [path, method] of [["/oauth/token", "POST"], ["/oauth/register", "POST"], ["/oauth/jwks", "GET"], ["/.well-known/openid-configuration", "GET"]] as const) {
        const response = await send(path, { host, origin, "content-type": "application/json" }, method, method === "POST" ? "{}" : "");
        expect([path, response.headers["access-control-allow-origin"], response.headers["vary"]]).toEqual([path, origin, "Origin"]);
      }
    }
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"]) {
      for (const method of ["POST", "OPTIONS"]) {
        const response = await send("/oauth/register", { host, origin, "content-type": "application/json" }, method, method === "POST" ? JSON.stringify({ redirect_uris: [redirectUri] }) : "");
        expect([response.status, response.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
      }
    }
  });

  it("answers 404 for everything it does not have and 405 with Allow for a wrong method", async () => {
    for (const path of ["/oauth", "/oauth/", "/oauth/userinfo", "/oauth/register/some-client", "/oauth/introspect", "/session/end", "/oauth/login", "/oauth/login/a/b", "/oauth/../oauth/jwks", "//oauth/jwks"]) {
      expect([path, (await send(path, { host: "localhost" })).status]).toEqual([path, 404]);
    }
    const response = await send("/oauth/token", { host: "localhost" });
    expect([response.status, response.headers["allow"]]).toEqual([405, "POST"]);
  });

  it("answers nothing at all when the listener is open to the network", async () => {
    const open = await start({ listenerIsLoopback: false });
    for (const path of ["/.well-known/oauth-authorization-server", "/oauth/jwks", "/oauth/token"]) expect((await fetch(open.issuer + path)).status).toBe(404);
    await open.stop();
  });
});

describe("a minted bearer", () => {
  it("verifies like any other, and is no longer than a day", async () => {
    const token = await server.embedded.mint({ audience, subject: operator, scopes: ["mcp"], ttlSeconds: 600 });
    expect((await verify(token)).payload).toMatchObject({ sub: operator, scope: "mcp", client_id: "postern", jti: expect.any(String) });
    expect(decodeProtectedHeader(token).typ).toBe("at+jwt");
    for (const ttlSeconds of [0, -1, 86_401, 1.5, Number.NaN]) await expect(server.embedded.mint({ audience, subject: operator, scopes: [], ttlSeconds })).rejects.toThrow(RangeError);
    await expect(server.embedded.mint({ audience: "", subject: operator, scopes: [], ttlSeconds: 60 })).rejects.toThrow(RangeError);
  });
});

describe("the log", () => {
  it("holds no passcode, code, token, verifier, state or secret", async () => {
    const app = await register(server.issuer, { client_name: "MARKERNAME", token_endpoint_auth_method: "none" });
    const browser = openBrowser();
    const page = await openLoginPage(browser, authorizeUrl(server.issuer, app));
    await browser.post(page.url, { csrf: page.csrf, passcode: "MARKERWRONG", decision: "allow" });
    const code = (await decide(browser, page, { passcode, decision: "allow" })).get("code") ?? "";
    await exchange(server.issuer, app, code, { code_verifier: `MARKERVERIFIER${"x".repeat(43)}` });
    const tokens = await tokensOf(await exchange(server.issuer, app, code));
    await refresh(server.issuer, app, tokens.refresh);
    await exchange(server.issuer, app, code);
    await postForm(`${server.issuer}/oauth/revoke`, { client_id: app.clientId, token: tokens.refresh });
    const log = server.lines.join("\n");
    expect(log).toContain("oauth_token_issued");
    expect(log).not.toMatch(/MARKER/i);
    for (const secret of [code, tokens.access, tokens.refresh, page.csrf, passcode]) expect(log).not.toContain(secret);
  });
});
