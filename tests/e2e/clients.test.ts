/** Real clients against the running product, each with a complete login through a real browser. */
import {
  Client as ClientV2,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleCommits } from "../../infra/sample-vault/create.ts";
import { startChromium } from "../services.ts";
import { startOAuthApp } from "../support/oauth-app.ts";
import { type Postern, startPostern } from "../support/postern.ts";

let postern: Postern;
let chromium: Awaited<ReturnType<typeof startChromium>>;
beforeAll(async () => {
  [postern, chromium] = await Promise.all([startPostern(), startChromium()]);
}, 120_000);
afterAll(async () => {
  await chromium.stop();
  await postern.stop();
});

type Called = { readonly structuredContent?: unknown };
type Walker = {
  readonly tools: () => Promise<readonly string[]>;
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Called>;
};

async function expectTheWholeWay({ tools, call }: Walker, era: string, revision: string): Promise<void> {
  expect(await tools()).toEqual(["ping", "vault_list", "vault_search", "vault_read"]);
  expect((await call("ping", {})).structuredContent).toMatchObject({ client: "local", era, revision });
  const commit = sampleCommits.b;
  expect((await call("vault_list", { prefix: "areas/라온" })).structuredContent).toMatchObject({
    commit,
    items: [{ title: "라온 사건 기록" }, { title: "라온 작업 계약" }, { title: "라온 진행" }],
    next_cursor: null,
  });
  expect((await call("vault_search", { query: "오후 정리" })).structuredContent).toMatchObject({
    commit,
    items: [{ path: "sources/푸른-연필.md" }],
  });
  const before = await call("vault_read", { paths: ["areas/라온/진행.md"], commit: sampleCommits.a });
  const after = await call("vault_read", { paths: ["areas/라온/진행.md"] });
  expect(before.structuredContent).toMatchObject({ commit: sampleCommits.a, notes: [{ content: expect.stringContaining("R2") }] });
  expect(after.structuredContent).toMatchObject({
    commit,
    notes: [{ content: expect.stringContaining("R3") }],
    origin: { kind: "vault", commit },
  });
}

describe("@modelcontextprotocol/sdk 1.32", () => {
  it("logs in through a browser and walks the whole way in the handshake era", async () => {
    const app = await startOAuthApp<OAuthClientInformationMixed, OAuthTokens>(chromium.browser, postern.passcode, "열쇠 <b>app</b>");
    const first = new TransportV1(new URL(postern.url), { authProvider: app.provider });
    await expect(new ClientV1({ name: "test", version: "1" }).connect(first)).rejects.toThrow("Unauthorized");
    await first.finishAuth(app.answer()?.get("code") ?? "");
    expect(app.pages.join()).toContain("열쇠 <b>app</b>");
    expect(app.pages.join()).toContain("127.0.0.1");

    const client = new ClientV1({ name: "test", version: "1" });
    await client.connect(new TransportV1(new URL(postern.url), { authProvider: app.provider }));
    const walker: Walker = {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => Object(await client.callTool({ name, arguments: args })),
    };
    await expectTheWholeWay(walker, "handshake", "2025-11-25");
    await client.close();
    await app.stop();
  });
});

describe("@modelcontextprotocol/client 2.4", () => {
  it.each([
    ["auto", "stateless", "2026-07-28"],
    ["legacy", "handshake", "2025-11-25"],
    [{ pin: "2026-07-28" }, "stateless", "2026-07-28"],
  ] as const)("in mode %j logs in through a browser and walks the whole way", async (mode, era, revision) => {
    const app = await startOAuthApp<StoredOAuthClientInformation, StoredOAuthTokens>(chromium.browser, postern.passcode);
    let discovery: OAuthDiscoveryState | undefined;
    const authProvider = {
      ...app.provider,
      saveDiscoveryState: (state: OAuthDiscoveryState) => void (discovery = state),
      discoveryState: () => discovery,
    };
    const open = () => new ClientV2({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const first = new TransportV2(new URL(postern.url), { authProvider });
    await expect(open().connect(first)).rejects.toThrow("Unauthorized");
    const answer = app.answer();
    expect(answer?.get("iss")).toBe(new URL(postern.url).origin);
    await first.finishAuth(answer ?? new URLSearchParams());

    const client = open();
    await client.connect(new TransportV2(new URL(postern.url), { authProvider }));
    const walker: Walker = {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }),
    };
    await expectTheWholeWay(walker, era, revision);
    await client.close();
    await app.stop();
  });
});
