/** The life of tokens: refresh, reuse, revocation, and those made without a login. */
import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../requirements.ts";
import { audience, connect, operator, postForm, record, refresh, register, start, tokensOf, verify, type Started } from "./harness.ts";

let server: Started;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

describe("refreshing", () => {
  it("gives tokens that work, and leaves the one before working until it expires by itself", async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const second = await tokensOf(await refresh(server.issuer, app, first.refresh));
    expect(second.refresh).not.toBe(first.refresh);
    await verify(server, second.access);
    await verify(server, first.access);
    expect((await refresh(server.issuer, app, second.refresh)).status).toBe(200);
  });

  it(`${verifies("oauth.refresh-rotation")}: lets several parallel refreshes with one token all end with working tokens`, async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const all = await Promise.all(Array.from({ length: 8 }, async () => tokensOf(await refresh(server.issuer, app, first.refresh))));
    expect(new Set(all.map((tokens) => tokens.refresh)).size).toBe(8);
    for (const tokens of all) {
      await verify(server, tokens.access);
      await tokensOf(await refresh(server.issuer, app, tokens.refresh));
    }
  });

  it(`${verifies("oauth.refresh-rotation")}: ends the whole grant when a token comes back after the grace of a minute`, async () => {
    const app = await register(server.issuer);
    const first = await connect(server.issuer, app);
    const second = await tokensOf(await refresh(server.issuer, app, first.refresh));
    server.clock.aheadMs += 59_000;
    const third = await tokensOf(await refresh(server.issuer, app, first.refresh));
    server.clock.aheadMs += 2_000;
    expect((await record(await refresh(server.issuer, app, first.refresh)))["error"]).toBe("invalid_grant");
    for (const tokens of [second, third])
      expect((await record(await refresh(server.issuer, app, tokens.refresh)))["error"]).toBe("invalid_grant");
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
    expect(
      (await postForm(`${server.issuer}/oauth/revoke`, { client_id: app.clientId, token: more.refresh, token_type_hint: "refresh_token" }))
        .status,
    ).toBe(200);
    expect((await record(await refresh(server.issuer, app, more.refresh)))["error"]).toBe("invalid_grant");
  });

  it("does nothing for another app's token", async () => {
    const app = await register(server.issuer);
    const tokens = await connect(server.issuer, app);
    await postForm(`${server.issuer}/oauth/revoke`, { client_id: (await register(server.issuer)).clientId, token: tokens.refresh });
    expect((await refresh(server.issuer, app, tokens.refresh)).status).toBe(200);
  });
});

describe("a minted bearer", () => {
  it("verifies like any other, and is no longer than a day", async () => {
    const token = await server.embedded.mint({ audience, subject: operator, scopes: ["mcp"], ttlSeconds: 600 });
    expect((await verify(server, token)).payload).toMatchObject({
      sub: operator,
      scope: "mcp",
      client_id: "postern",
      jti: expect.any(String),
    });
    expect(decodeProtectedHeader(token).typ).toBe("at+jwt");
    for (const ttlSeconds of [0, -1, 86_401, 1.5, Number.NaN])
      await expect(server.embedded.mint({ audience, subject: operator, scopes: [], ttlSeconds })).rejects.toThrow(RangeError);
    await expect(server.embedded.mint({ audience: "", subject: operator, scopes: [], ttlSeconds: 60 })).rejects.toThrow(RangeError);
  });
});
