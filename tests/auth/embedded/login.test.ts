/** The login and consent page: who may decide, what it shows, and that one decision lets in one app. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consentPage } from "../../../auth/embedded/login-page.ts";
import {
  authorizeUrl,
  connect,
  decide,
  exchange,
  gist,
  logIn,
  open,
  openBrowser,
  openLoginPage,
  operator,
  passcode,
  record,
  redirectUri,
  refresh,
  register,
  start,
  type Started,
} from "./harness.ts";

let server: Started;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

const pageFor = async (more: Record<string, unknown> = {}, changes: Record<string, string | null> = {}, browser = openBrowser()) => {
  const app = await register(server.issuer, more);
  return { app, browser, page: await openLoginPage(browser, authorizeUrl(server.issuer, app, changes)) };
};

describe("the page", () => {
  it("names the app as the app's own claim, where the answer goes, what it may do, and as whom", async () => {
    const { page } = await pageFor({ client_name: "메모 앱" });
    const text = gist(page.html);
    expect(text).toContain("Let “메모 앱” in? This is what the app calls itself. Postern cannot check it.");
    expect(text).toContain("A program on this computer (127.0.0.1:33418)");
    expect(text).toContain("Search and read the notes in your vault");
    expect(text).toContain(operator);
    expect(text).toContain(`${server.issuer}/mcp`);
  });

  it("names the host of a web redirect and the scheme of an app's own", async () => {
    const web = await pageFor({ redirect_uris: ["https://claude.ai/cb"] }, { redirect_uri: "https://claude.ai/cb" });
    expect(gist(web.page.html)).toContain("The answer goes to claude.ai It");
    const app = await pageFor({ redirect_uris: ["cursor://x/cb"] }, { redirect_uri: "cursor://x/cb" });
    expect(gist(app.page.html)).toContain("The app on this device that opens cursor: links");
  });

  it("shows a hostile name as text, without what turns or hides other words, and cut", async () => {
    const { page } = await pageFor({
      client_name: `</title><script>alert(1)</script>"'>&<img src=x onerror=alert(1)>\u202e\u200b\u0000\n${"x".repeat(500)}`,
    });
    expect(page.html).not.toMatch(/<script|<img|<[^>]*onerror|[\u202e\u200b\u0000]/);
    expect(page.html.match(/x{30,}/)?.[0] ?? "").toHaveLength(0);
    expect(page.html).toContain("&#60;script&#62;");
    const abilities = consentPage({
      action: '"><x',
      csrf: '"><x',
      clientName: undefined,
      redirect: { kind: "web", host: '"><x' },
      resource: "<x",
      abilities: ["<x"],
      operator: "<x",
      needsPasscode: true,
      problem: "<x",
    }).html;
    expect(abilities).not.toContain("<x");
    expect(gist(abilities)).toContain("Let an app without a name in? It gave no name.");
  });

  it("loads nothing, is framed by nobody, is not kept, and has no script", async () => {
    const { browser, page } = await pageFor();
    const { headers } = await browser.get(page.url);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(page.html).not.toMatch(/<script|<link|src=|url\(|@import/);
  });

  it("gives its cookies to itself only, and out of reach of scripts", async () => {
    const app = await register(server.issuer);
    const response = await openBrowser().get(authorizeUrl(server.issuer, app));
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThanOrEqual(2);
    for (const cookie of cookies) expect(cookie).toMatch(/; path=\/oauth\/.*; samesite=lax; httponly/i);
  });
});

describe("the decision", () => {
  it("to deny tells the app so, and needs no passcode", async () => {
    const { browser, page } = await pageFor();
    const answer = await decide(browser, page, { decision: "deny" });
    expect([answer.get("error"), answer.get("state"), answer.get("iss"), answer.get("code")]).toEqual([
      "access_denied",
      "MARKERSTATE",
      server.issuer,
      null,
    ]);
  });

  it("is not taken with a wrong passcode or none; the right one counts with spaces, without dashes and in capitals", async () => {
    const { browser, page } = await pageFor();
    for (const wrong of ["", "nope", passcode.slice(1), `${passcode}x`]) {
      const response = await browser.post(page.url, { csrf: page.csrf, passcode: wrong, decision: "allow" }, { origin: server.issuer });
      expect([response.status, response.headers.get("refresh")]).toEqual([403, null]);
      expect(gist(await response.text())).toContain("That is not the passcode.");
    }
    expect(
      (await decide(browser, page, { passcode: ` ${passcode.replaceAll("-", " ").toUpperCase()} `, decision: "allow" })).get("code"),
    ).toBeTruthy();
    server.clock.aheadMs += 60_000;
  });

  it("cannot be found by guessing: five wrong ones a minute, from all browsers together, then not even the right one", async () => {
    const pages = await Promise.all(Array.from({ length: 6 }, () => pageFor()));
    for (const [index, { browser, page }] of pages.entries()) {
      const response = await browser.post(page.url, { csrf: page.csrf, passcode: "guess", decision: "allow" });
      expect([index, response.status]).toEqual([index, index < 5 ? 403 : 429]);
    }
    const [first] = pages;
    if (first === undefined) throw new Error("unreachable");
    const response = await first.browser.post(first.page.url, { csrf: first.page.csrf, passcode, decision: "allow" });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(gist(await response.text())).toMatch(/Too many tries\. Wait \d+ s/);
    server.clock.aheadMs += 60_000;
    expect((await decide(first.browser, first.page, { passcode, decision: "allow" })).get("code")).toBeTruthy();
  });

  it("is not taken from a form that is neither Allow nor Deny", async () => {
    const { browser, page } = await pageFor();
    for (const fields of [{}, { decision: "yes" }] as Record<string, string>[]) {
      const response = await browser.post(page.url, { csrf: page.csrf, passcode, ...fields });
      expect([response.status, response.headers.get("refresh")]).toEqual([400, null]);
    }
  });

  it("is taken once: the page is worth nothing afterwards", async () => {
    const { browser, page } = await pageFor();
    await decide(browser, page, { passcode, decision: "allow" });
    expect((await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" })).status).toBe(400);
    expect((await browser.get(page.url)).status).toBe(400);
  });

  it("ends with the page's ten minutes", async () => {
    const { browser, page } = await pageFor();
    server.clock.aheadMs += 600_000;
    const response = await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" });
    expect(response.status).toBe(400);
    expect(gist(await response.text())).toContain("This page is not valid any more");
    server.clock.aheadMs -= 600_000;
  });
});

describe("somebody else's decision", () => {
  it("is not taken from a second browser, with or without the page's own secret, even by one that is signed in", async () => {
    const { page } = await pageFor();
    const stranger = openBrowser();
    await logIn(server.issuer, await register(server.issuer), stranger);
    for (const browser of [openBrowser(), stranger]) {
      expect((await browser.get(page.url)).status).toBe(400);
      const response = await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" });
      expect([response.status, response.headers.get("refresh")]).toEqual([400, null]);
    }
  });

  it("is not taken without the page's own secret, or with that of another page", async () => {
    const { browser, page } = await pageFor();
    const other = await pageFor({}, {}, browser);
    for (const csrf of ["", "x", other.page.csrf]) {
      const response = await browser.post(page.url, { csrf, passcode, decision: "allow" }, { origin: server.issuer });
      expect([response.status, response.headers.get("refresh")]).toEqual([403, null]);
    }
  });

  it("is not taken with the cookies of another page", async () => {
    const { browser, page } = await pageFor();
    const other = await pageFor();
    const cookie = [...other.browser.jar].map(([name, { value }]) => `${name.split("|")[0]}=${value}`).join("; ");
    const fields = new URLSearchParams({ csrf: page.csrf, passcode, decision: "allow" });
    const response = await fetch(page.url, { method: "POST", headers: { cookie, origin: server.issuer }, body: fields });
    expect([response.status, response.headers.get("refresh")]).toEqual([400, null]);
    expect((await fetch(page.url, { headers: { cookie } })).status).toBe(400);
    expect((await decide(browser, page, { decision: "deny" })).get("error")).toBe("access_denied");
  });

  it("is not taken when another page sent the form, whatever it knows", async () => {
    const { browser, page } = await pageFor();
    const port = server.port + 1;
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${port}` },
      { origin: `http://localhost:${server.port}` },
      { origin: server.issuer, "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ] as Record<string, string>[]) {
      const response = await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" }, headers);
      expect([headers, response.status, response.headers.get("refresh")]).toEqual([headers, 403, null]);
    }
    expect((await decide(browser, page, { passcode, decision: "allow" })).get("code")).toBeTruthy();
  });

  it("cannot be finished by a browser that holds only the way back", async () => {
    const { browser, page } = await pageFor();
    const response = await browser.post(page.url, { csrf: page.csrf, passcode, decision: "allow" });
    const back = /url=(.+)$/.exec(response.headers.get("refresh") ?? "")?.[1] ?? "";
    const stolen = await open(openBrowser(), server.issuer + back);
    expect(stolen.url.startsWith(server.issuer)).toBe(true);
    expect(stolen.response.status).toBe(400);
  });
});

describe("a browser that gave the passcode", () => {
  it("is asked again for every app and every time, but only to decide", async () => {
    const browser = openBrowser();
    const first = await register(server.issuer, { client_name: "First" });
    await logIn(server.issuer, first, browser);
    const second = await pageFor({ client_name: "Second" }, {}, browser);
    expect(second.page.html).not.toContain('name="passcode"');
    expect(gist(second.page.html)).toContain("Let “Second” in?");
    const answer = await decide(browser, second.page, { decision: "allow" });
    expect((await exchange(server.issuer, second.app, answer.get("code") ?? "")).status).toBe(200);
    const again = await openLoginPage(browser, authorizeUrl(server.issuer, first));
    expect(gist(again.html)).toContain("Let “First” in?");
  });

  it("gives it again when the app asks for that, or after twelve hours", async () => {
    const browser = openBrowser();
    const app = await register(server.issuer);
    await logIn(server.issuer, app, browser);
    expect((await openLoginPage(browser, authorizeUrl(server.issuer, app, { prompt: "login" }))).html).toContain('name="passcode"');
    expect((await openLoginPage(browser, authorizeUrl(server.issuer, app))).html).not.toContain('name="passcode"');
    server.clock.aheadMs += 12 * 3_600_000;
    expect((await openLoginPage(browser, authorizeUrl(server.issuer, app))).html).toContain('name="passcode"');
    server.clock.aheadMs -= 12 * 3_600_000;
  });

  it("is refused silently when nothing may be asked", async () => {
    const browser = openBrowser();
    const app = await register(server.issuer);
    await logIn(server.issuer, app, browser);
    const { url } = await open(browser, authorizeUrl(server.issuer, app, { prompt: "none" }));
    expect(new URL(url).searchParams.get("code")).toBeNull();
    expect(new URL(url).searchParams.get("error")).toBe("interaction_required");
  });

  it("keeps two pages apart", async () => {
    const browser = openBrowser();
    const one = await pageFor({ client_name: "One" }, {}, browser);
    const two = await pageFor({ client_name: "Two" }, {}, browser);
    const answer = await decide(browser, two.page, { passcode, decision: "allow" });
    expect((await exchange(server.issuer, two.app, answer.get("code") ?? "")).status).toBe(200);
    expect((await decide(browser, one.page, { decision: "deny" })).get("error")).toBe("access_denied");
  });
});

describe("another operator", () => {
  it("is signed in nowhere yet, and refresh tokens of the one before give nothing", async () => {
    let who = "first@example.com";
    const changing = await start({ operator: () => who });
    const browser = openBrowser();
    const app = await register(changing.issuer);
    const code = (await logIn(changing.issuer, app, browser)).get("code") ?? "";
    const tokens = await record(await exchange(changing.issuer, app, code));
    who = "second@example.com";
    expect((await record(await refresh(changing.issuer, app, String(tokens["refresh_token"]))))["error"]).toBe("invalid_grant");
    expect((await openLoginPage(browser, authorizeUrl(changing.issuer, app))).html).toContain('name="passcode"');
    await changing.stop();
  });

  it("can shut an endpoint: a cleared audience gives no more tokens", async () => {
    let open = true;
    const changing = await start();
    const shutting = await start({
      resources: () => (open ? [{ spellings: [`http://127.0.0.1:${shutting.port}/mcp`], audience: "a" }] : []),
    });
    const app = await register(shutting.issuer);
    const tokens = await connect(shutting.issuer, app);
    open = false;
    expect((await record(await refresh(shutting.issuer, app, tokens.refresh)))["error"]).toBe("invalid_target");
    const answer = await openBrowser().get(authorizeUrl(shutting.issuer, app));
    expect(answer.headers.get("location")).toMatch(new RegExp(`^${redirectUri}\\?error=invalid_target`));
    await changing.stop();
    await shutting.stop();
  });
});
