import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { chatgpt, claude, local, openScene, outcomeOf, requestTo, type RequestChanges } from "./scene.ts";

const scene = openScene();
const ask = (changes: RequestChanges = {}, client = claude): string => outcomeOf(scene.door(requestTo(client, null, changes)));
const withOrigin = (origin: string, client = claude): string => ask({ headers: { origin } }, client);

describe("the Origin", () => {
  it("may be absent", () => expect(ask()).toBe("door"));

  it("of the own host is allowed, and is the one to answer to", () => {
    expect(scene.door(requestTo(claude, null, { headers: { origin: "https://mcp-claude.example.com" } }))).toMatchObject({
      kind: "door",
      origin: "https://mcp-claude.example.com",
    });
  });

  it("of the vendor's pages is allowed, and only at the vendor's own client", () => {
    expect([withOrigin("https://claude.ai"), withOrigin("https://claude.com"), withOrigin("https://chatgpt.com", chatgpt)]).toEqual([
      "door",
      "door",
      "door",
    ]);
    expect([withOrigin("https://chatgpt.com"), withOrigin("https://claude.ai", chatgpt), withOrigin("https://gemini.google.com")]).toEqual(
      Array(3).fill("origin_not_allowed"),
    );
  });

  it("on the port of a configured resource is the own one", () => {
    const onPort = { ...claude, resources: { "mcp-claude.example.com": "https://mcp-claude.example.com:8443/mcp" } };
    const other = openScene([onPort]);
    expect(outcomeOf(other.door(requestTo(onPort, null, { headers: { origin: "https://mcp-claude.example.com:8443" } })))).toBe("door");
    expect(outcomeOf(other.door(requestTo(onPort, null, { headers: { origin: "https://mcp-claude.example.com:8444" } })))).toBe(
      "origin_not_allowed",
    );
  });

  it.each([
    "",
    "null",
    "https://evil.example",
    "http://mcp-claude.example.com",
    "https://mcp-claude.example.com:8443",
    "https://mcp-claude.example.com/",
    "https://mcp-claude.example.com.evil.example",
    "HTTPS://CLAUDE.AI",
    "https://claude.ai.evil.example",
    "https://evil.example?https://claude.ai",
    "https://claude.ai, https://claude.ai",
    "https://www.claude.ai",
    "claude.ai",
    "*",
    "file://",
    "http://localhost:6274",
    "http://127.0.0.1",
    "https://mcp-chatgpt.example.com",
  ])(`${verifies("mcp.origin-refused")}: %j is refused at a public client`, (origin) =>
    expect(withOrigin(origin)).toBe("origin_not_allowed"),
  );

  it.each(["http://localhost:6274", "http://127.0.0.1:8787", "http://[::1]:3000", "https://localhost:8443", "http://localhost"])(
    "%s may call the client of this machine",
    (origin) => expect(withOrigin(origin, local)).toBe("door"),
  );

  it.each([
    "null",
    "http://evil.example",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example:80",
    "http://127.0.0.2",
    "http://localhost:6274/",
    "http://evil.example:80@localhost",
    "http://localhost:123456",
    "http://0.0.0.0:1",
    "chrome-extension://x",
  ])("%s may not call the client of this machine", (origin) => expect(withOrigin(origin, local)).toBe("origin_not_allowed"));
});

describe("OPTIONS", () => {
  it("from an allowed origin ends as a preflight, before any credential or address is asked for", async () => {
    const request = requestTo(claude, null, {
      method: "OPTIONS",
      headers: { origin: "https://claude.ai", "cf-connecting-ip": "192.0.2.1" },
    });
    expect(scene.door(request)).toMatchObject({ kind: "preflight", origin: "https://claude.ai" });
    expect(await scene.admit(request)).toMatchObject({ kind: "preflight", origin: "https://claude.ai" });
  });
  it("from any other origin is refused", () =>
    expect(ask({ method: "OPTIONS", headers: { origin: "https://evil.example" } })).toBe("origin_not_allowed"));
  it("without an origin is a request like any other", async () => {
    expect(ask({ method: "OPTIONS" })).toBe("door");
    expect(outcomeOf(await scene.admit(requestTo(claude, null, { method: "OPTIONS" })))).toBe("credential_missing");
  });
});
