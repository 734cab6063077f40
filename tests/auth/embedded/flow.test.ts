/** The way of an app, over HTTP: registration, login, exchange, and what is refused on the way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { verifies } from "../../requirements.ts";
import {
  audience,
  authorizeUrl,
  decide,
  exchange,
  logIn,
  open,
  openBrowser,
  openLoginPage,
  operator,
  passcode,
  postForm,
  postJson,
  record,
  redirectUri,
  refresh,
  register,
  send,
  start,
  tokensOf,
  verify,
  type Started,
} from "./harness.ts";

let server: Started;
const printed: unknown[] = [];
beforeAll(async () => {
  server = await start();
});
beforeEach(() => {
  // oidc-provider prints advice about settings that were left at their defaults; stdout is for people.
  for (const method of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => void printed.push(words));
});
afterAll(async () => {
  await server.stop();
  expect(printed).toEqual([]);
});

describe("an app that connects", () => {
  it(`${verifies("oauth.registration", "oauth.resource-indicator", "oauth.issuer-in-response")}: gets an access token for its audience and a refresh token, with iss and state in the answer`, async () => {
    const app = await register(server.issuer);
    const answer = await logIn(server.issuer, app);
    expect([answer.get("iss"), answer.get("state")]).toEqual([server.issuer, "MARKERSTATE"]);
    const response = await exchange(server.issuer, app, answer.get("code") ?? "");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const body = await record(response);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 900, scope: "mcp", refresh_token: expect.any(String) });
    const { payload, protectedHeader } = await verify(server, String(body["access_token"]));
    expect(payload).toMatchObject({ iss: server.issuer, aud: audience, sub: operator, scope: "mcp", client_id: app.clientId });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
    expect(protectedHeader).toMatchObject({ typ: "at+jwt", alg: "ES256" });
  });

  it("may ask for less: no scope, no resource at the token endpoint, localhost for 127.0.0.1", async () => {
    const app = await register(server.issuer);
    const answer = await logIn(server.issuer, app, openBrowser(), { scope: null, resource: `http://localhost:${server.port}/mcp` });
    const tokens = await tokensOf(
      await postForm(`${server.issuer}/oauth/token`, {
        grant_type: "authorization_code",
        client_id: app.clientId,
        code: answer.get("code") ?? "",
        code_verifier: app.verifier,
        redirect_uri: redirectUri,
      }),
    );
    expect((await verify(server, tokens.access)).payload.aud).toBe(audience);
    expect((await refresh(server.issuer, app, tokens.refresh, { resource: `http://localhost:${server.port}/mcp` })).status).toBe(200);
  });

  it.each(["client_secret_basic", "client_secret_post"])("may have a secret and send it by %s", async (method) => {
    const response = await postJson(`${server.issuer}/oauth/register`, {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: method,
    });
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

  it(`${verifies("oauth.redirect-exact")}: may come back on another loopback port than it registered`, async () => {
    const app = await register(server.issuer, { redirect_uris: ["http://127.0.0.1/"] });
    const answer = await logIn(server.issuer, app, openBrowser(), { redirect_uri: "http://127.0.0.1:59656/" });
    expect((await exchange(server.issuer, app, answer.get("code") ?? "", { redirect_uri: "http://127.0.0.1:59656/" })).status).toBe(200);
  });

  it("may register web and private-use redirects, and a localhost one", async () => {
    for (const uri of [
      "https://claude.ai/api/mcp/auth_callback",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "http://localhost:6274/oauth/callback",
    ]) {
      const app = await register(server.issuer, { redirect_uris: [uri] });
      expect((await logIn(server.issuer, app, openBrowser(), { redirect_uri: uri })).get("code")).toBeTruthy();
    }
  });
});

describe("what is refused on the way", () => {
  it(`${verifies("oauth.redirect-exact")}: a redirect that was not registered: nothing is sent there, not even an error`, async () => {
    const app = await register(server.issuer);
    for (const uri of [
      "https://evil.example/cb",
      "javascript:alert(1)//",
      "http://127.0.0.1:33418/other",
      `${redirectUri}#x`,
      "http://localhost:33418/callback",
    ]) {
      const { response, url } = await open(openBrowser(), authorizeUrl(server.issuer, app, { redirect_uri: uri, state: "<b>x" }));
      const html = await response.text();
      expect([uri, response.status, new URL(url).origin]).toEqual([uri, 400, server.issuer]);
      expect(html).not.toContain("evil");
      expect(html).not.toContain("<b>");
    }
  });

  it("another port of localhost: a name may lead anywhere, only an address literal is this machine", async () => {
    const app = await register(server.issuer, { redirect_uris: ["http://localhost:3118/callback"] });
    const { response, url } = await open(
      openBrowser(),
      authorizeUrl(server.issuer, app, { redirect_uri: "http://localhost:3119/callback" }),
    );
    expect([response.status, new URL(url).origin]).toEqual([400, server.issuer]);
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
  ])(
    `${verifies("oauth.pkce", "oauth.resource-indicator", "oauth.issuer-in-response")}: an authorization %s, and the app is told with iss and state`,
    async (_name, changes: Record<string, string | null>, error, description) => {
      const app = await register(server.issuer);
      const { url } = await open(openBrowser(), authorizeUrl(server.issuer, app, changes));
      const answer = new URL(url.replace("#", "?")).searchParams;
      expect(url.startsWith(redirectUri)).toBe(true);
      expect([answer.get("error"), answer.get("iss"), answer.get("state")]).toEqual([error, server.issuer, "MARKERSTATE"]);
      if (description !== null) expect(answer.get("error_description")).toBe(description);
    },
  );

  it("two resources at once", async () => {
    const app = await register(server.issuer);
    const { url } = await open(openBrowser(), `${authorizeUrl(server.issuer, app)}&resource=https%3A%2F%2Fother.example`);
    expect(new URL(url).searchParams.get("error")).toBe("invalid_target");
  });

  it.each(["nobody", "", "https://app.example/client.json"])(
    "an app that is not registered (%j), on a page and not by a redirect",
    async (clientId) => {
      const { response, url } = await open(
        openBrowser(),
        authorizeUrl(server.issuer, { clientId, verifier: "", challenge: "x".repeat(43) }),
      );
      expect([response.status, new URL(url).origin]).toEqual([400, server.issuer]);
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(await response.text()).toContain("This cannot go on");
    },
  );

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
      const response = await fetch(server.issuer + path, {
        method: "POST",
        body: "x".repeat(70_000),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      expect([path, response.status]).toEqual([path, 413]);
    }
    expect(
      (
        await send(server, "/oauth/token", { host: "localhost", "transfer-encoding": "chunked" }, "POST", "x".repeat(70_000)).catch(() => ({
          status: 413,
        }))
      ).status,
    ).toBe(413);
    expect((await fetch(`${server.issuer}/oauth/jwks`)).status).toBe(200);
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
