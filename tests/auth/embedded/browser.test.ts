/** The login page in a real browser, on a phone's screen and a desktop's, all the way to the app. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChromium, type Chromium } from "../../services.ts";
import { authorizeUrl, exchange, passcode, register, start, type App, type Started } from "./harness.ts";

let server: Started;
let browser: Browser;
let chromium: Chromium;
/** The app: answers its callback with a redirect to another origin, as real ones do. */
let app: Server;
let appPort = 0;
const received: string[] = [];

beforeAll(async () => {
  server = await start();
  app = createServer((request, response) => {
    received.push(request.url ?? "");
    if (request.url?.startsWith("/callback") === true) response.writeHead(302, { location: `http://localhost:${appPort}/done` }).end();
    else response.end("<title>done</title>");
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  const address = app.address();
  appPort = typeof address === "object" && address !== null ? address.port : 0;
  chromium = await startChromium();
  browser = chromium.browser;
});
afterAll(async () => {
  await chromium.stop();
  app.close();
  app.closeAllConnections();
  await server.stop();
});

async function openPage(
  phone: boolean,
): Promise<{ page: Awaited<ReturnType<Browser["newPage"]>>; client: App; redirect: string; complaints: string[] }> {
  const redirect = `http://127.0.0.1:${appPort}/callback`;
  const client = await register(server.issuer, { client_name: "메모 앱 <b>", redirect_uris: [redirect] });
  const context = await browser.newContext(
    phone ? { viewport: { width: 360, height: 780 }, isMobile: true } : { javaScriptEnabled: false },
  );
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  await page.goto(authorizeUrl(server.issuer, client, { redirect_uri: redirect }));
  return { page, client, redirect, complaints };
}

describe("the login page in a browser", () => {
  it("leads to the app with Enter, without JavaScript, and through the app's own redirect", async () => {
    const { page, client, redirect, complaints } = await openPage(false);
    await page.fill("#passcode", passcode);
    await page.press("#passcode", "Enter");
    await page.waitForURL(/\/done$/);
    const callback = new URL(received.find((url) => url.startsWith("/callback")) ?? "", redirect);
    expect(callback.searchParams.get("iss")).toBe(server.issuer);
    expect((await exchange(server.issuer, client, callback.searchParams.get("code") ?? "", { redirect_uri: redirect })).status).toBe(200);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("fits a phone without scrolling sideways, is read aloud in order, and says what was wrong", async () => {
    const { page, complaints } = await openPage(true);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await page.textContent("h1")).toBe("Let “메모 앱 <b>” in?");
    expect(await page.getByLabel("Passcode").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.getByLabel("Passcode").fill("wrong");
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("That is not the passcode.");
    received.length = 0;
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(/\/done$/);
    expect(received.some((url) => url.includes("error=access_denied"))).toBe(true);
    await page.context().close();
  });

  it("cannot be put into another page's frame", async () => {
    const { page } = await openPage(true);
    const login = page.url();
    const outer = await page.context().newPage();
    await outer.goto(`http://127.0.0.1:${appPort}/other`);
    await outer.setContent(`<iframe src="${login}"></iframe>`);
    const inner = outer.frames()[1];
    await inner?.waitForLoadState().catch(() => {});
    expect(await inner?.content()).not.toContain("passcode");
    await page.context().close();
  });
});
