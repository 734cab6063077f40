/** What outlives a process, and what two processes of one home share. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeProtectedHeader } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  audience,
  authorizeUrl,
  connect,
  decide,
  exchange,
  logIn,
  openBrowser,
  openLoginPage,
  passcode,
  record,
  refresh,
  register,
  start,
  tokensOf,
  verify,
} from "./harness.ts";

const dayMs = 86_400_000;
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "postern-embedded-"));
});
afterEach(() => rm(home, { recursive: true }));

describe("a restart", () => {
  it("keeps apps, grants, keys and the browser's session; codes and open pages too", async () => {
    const before = await start({ home });
    const { port } = before;
    const app = await register(before.issuer);
    const browser = openBrowser();
    const tokens = await tokensOf(await exchange(before.issuer, app, (await logIn(before.issuer, app, browser)).get("code") ?? ""));
    const page = await openLoginPage(browser, authorizeUrl(before.issuer, app));
    const code = (await logIn(before.issuer, app)).get("code") ?? "";
    await before.stop();

    const after = await start({ home, port });
    await verify(after, tokens.access);
    await verify(after, (await tokensOf(await refresh(after.issuer, app, tokens.refresh))).access);
    expect((await exchange(after.issuer, app, code)).status).toBe(200);
    expect((await decide(browser, page, { decision: "allow" })).get("code")).toBeTruthy();
    await after.stop();
  });

  it("with another passcode asks browsers that are not signed in for the new one", async () => {
    const before = await start({ home });
    const app = await register(before.issuer);
    await before.stop();
    const after = await start({ home, port: before.port, passcode: "another one" });
    const browser = openBrowser();
    const page = await openLoginPage(browser, authorizeUrl(after.issuer, app));
    expect((await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" })).status).toBe(403);
    expect((await decide(browser, page, { passcode: "Another-One", decision: "allow" })).get("code")).toBeTruthy();
    await after.stop();
  });
});

describe("two servers of one home", () => {
  it("accept each other's tokens, refresh each other's grants and see each other's revocations", async () => {
    const one = await start({ home });
    const two = await start({ home, resources: () => [{ spellings: [one.resource], audience }] });
    const app = await register(one.issuer);
    const first = await connect(one.issuer, app);
    expect(await one.embedded.jwks()).toEqual(await two.embedded.jwks());
    await verify(one, first.access);
    const [second, third] = await Promise.all([
      tokensOf(await refresh(two.issuer, app, first.refresh)),
      tokensOf(await refresh(one.issuer, app, first.refresh)),
    ]);
    expect(decodeProtectedHeader(second.access).kid).toBe(decodeProtectedHeader(third.access).kid);
    one.clock.aheadMs = two.clock.aheadMs = 120_000;
    expect((await record(await refresh(one.issuer, app, first.refresh)))["error"]).toBe("invalid_grant");
    for (const tokens of [second, third])
      expect((await record(await refresh(two.issuer, app, tokens.refresh)))["error"]).toBe("invalid_grant");
    await one.stop();
    await two.stop();
  });

  it("may be two processes that start at the same moment", async () => {
    const children = [1, 2].map(() => fork(join(import.meta.dirname, "neighbour.ts"), [home]));
    const keys = await Promise.all(children.map(async (child) => (await once(child, "message"))[0]));
    expect(keys[0]).toEqual(keys[1]);
    const ends = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("stop");
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0]);
  });
});

describe("the keys", () => {
  it("are replaced after 90 days without a restart: old tokens verify for a day more, cookies and pages still count", async () => {
    const server = await start({ home });
    const app = await register(server.issuer);
    const old = await server.embedded.mint({ audience, subject: "x", scopes: [], ttlSeconds: 86_400 });
    await connect(server.issuer, app);
    server.clock.aheadMs = 90 * dayMs;
    const again = await register(server.issuer);
    const next = await connect(server.issuer, again);
    const { keys } = await server.embedded.jwks();
    expect(keys.map(({ kid }) => kid)).toEqual([decodeProtectedHeader(next.access).kid, decodeProtectedHeader(old).kid]);
    await verify(server, old);
    await verify(server, next.access);
    server.clock.aheadMs = 91 * dayMs;
    expect((await server.embedded.jwks()).keys).toHaveLength(1);
    await expect(verify(server, old)).rejects.toThrow();
    await server.stop();
  });
});

describe("the file", () => {
  it("holds no code, refresh token or cookie that could be used", async () => {
    const server = await start({ home });
    const app = await register(server.issuer);
    const browser = openBrowser();
    const answer = await logIn(server.issuer, app, browser);
    const code = answer.get("code") ?? "";
    const tokens = await tokensOf(await exchange(server.issuer, app, code));
    const page = await openLoginPage(browser, authorizeUrl(server.issuer, app));
    const files = await Promise.all((await readdir(home)).map((name) => readFile(join(home, name), "latin1")));
    const everything = files.join("");
    expect(everything).toContain(app.clientId);
    const sessions = [...browser.jar]
      .filter(([name]) => name.startsWith("postern_session") && !name.includes(".sig"))
      .map(([, { value }]) => value);
    expect(sessions).toHaveLength(1);
    const secrets = {
      code,
      refresh: tokens.refresh,
      access: tokens.access,
      passcode,
      session: sessions[0] ?? "",
      csrf: page.csrf,
      verifier: app.verifier,
    };
    for (const [name, secret] of Object.entries(secrets)) expect([name, everything.includes(secret)]).toEqual([name, false]);
    await server.stop();
  });

  it("forgets an app that was never let in, and keeps one that was", async () => {
    const server = await start({ home });
    const [used, unused] = [await register(server.issuer), await register(server.issuer)];
    await connect(server.issuer, used);
    server.clock.aheadMs = 31 * dayMs;
    const statusOf = async (clientId: string) => (await openBrowser().get(authorizeUrl(server.issuer, { ...used, clientId }))).status;
    expect([await statusOf(used.clientId), await statusOf(unused.clientId)]).toEqual([303, 400]);
    await server.stop();
  });
});
