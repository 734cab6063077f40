import { describe, expect, it } from "vitest";
import { parseRedirect, redirectAllowed } from "../../../auth/embedded/redirects.ts";

const kindOf = (uri: string) => {
  const parsed = parseRedirect(uri);
  return parsed.ok ? parsed.redirect : null;
};

describe("a redirect URI", () => {
  it.each([
    ["https://claude.ai/api/mcp/auth_callback", { kind: "web", host: "claude.ai" }],
    ["https://vscode.dev/redirect?x=1", { kind: "web", host: "vscode.dev" }],
    ["http://127.0.0.1:33418/", { kind: "loopback", host: "127.0.0.1:33418" }],
    ["http://localhost:6274/oauth/callback", { kind: "loopback", host: "localhost:6274" }],
    ["http://[::1]:8080/cb", { kind: "loopback", host: "[::1]:8080" }],
    ["http://127.0.0.1", { kind: "loopback", host: "127.0.0.1" }],
    ["cursor://anysphere.cursor-mcp/oauth/callback", { kind: "app", scheme: "cursor" }],
    ["com.example.notes:/oauth", { kind: "app", scheme: "com.example.notes" }],
  ])("may be %s", (uri, redirect) => {
    expect(kindOf(uri)).toEqual(redirect);
  });

  it("shows an internationalised host in its ASCII form", () => {
    expect(kindOf("https://clаude.ai/cb")).toEqual({ kind: "web", host: "xn--clude-5ve.ai" });
  });

  it.each([
    "javascript:alert(1)//",
    "JavaScript:alert(1)",
    "java\tscript:alert(1)",
    "javascript://%0aalert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x/1",
    "about:blank",
    "view-source:https://x",
    "ms-msdt:/id",
    "ms-settings://x",
    "search-ms:query",
    "ws://127.0.0.1/x",
    "mailto:a@b.example",
    "intent://x#Intent;end",
    "http://evil.example/cb",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.1@evil.example/",
    "http://localhost.evil.example/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://127.0.0.2/",
    "http://127.0.0.1:123456/",
    "https://user@claude.ai/",
    "https://user:pw@claude.ai/",
    "https://claude.ai/#x",
    "http://127.0.0.1/#",
    "https:///x",
    "https:claude.ai",
    "https:\\\\claude.ai\\",
    "https://claude.ai/\\..",
    "https://claude.ai/ x",
    " https://claude.ai/",
    "https://claude.ai/\n",
    "https://claude.ai/\u0000",
    "",
    "/callback",
    "callback",
    "//claude.ai/cb",
    "://x",
    "1x://y",
    "urn:ietf:wg:oauth:2.0:oob",
    "app:x",
    "HTTPS://claude.ai/",
    `https://claude.ai/${"x".repeat(2_048)}`,
  ])("is never %s", (uri) => {
    expect(kindOf(uri)).toBeNull();
  });
});

describe("the redirect of a request", () => {
  it("must be registered, character for character", () => {
    const registered = ["https://claude.ai/api/mcp/auth_callback", "http://localhost:3118/callback", "cursor://x/cb"];
    for (const uri of registered) expect(redirectAllowed(registered, uri)).toBe(true);
    for (const uri of [
      "https://claude.ai/api/mcp/auth_callback/",
      "https://claude.ai/api/mcp/auth_callback?x=1",
      "https://claude.ai:443/api/mcp/auth_callback",
      "https://claude.com/api/mcp/auth_callback",
      "cursor://x/cb2",
    ]) {
      expect([uri, redirectAllowed(registered, uri)]).toEqual([uri, false]);
    }
  });

  it("may use any port of a loopback address, and of nothing else", () => {
    expect(redirectAllowed(["http://127.0.0.1/"], "http://127.0.0.1:59656/")).toBe(true);
    expect(redirectAllowed(["http://127.0.0.1:33418/cb?a=b"], "http://127.0.0.1:1/cb?a=b")).toBe(true);
    expect(redirectAllowed(["http://[::1]:33418/cb"], "http://[::1]/cb")).toBe(true);
    expect(redirectAllowed(["http://127.0.0.1:33418/cb"], "http://127.0.0.1:1/other")).toBe(false);
    expect(redirectAllowed(["http://127.0.0.1:33418/cb"], "http://[::1]:33418/cb")).toBe(false);
    expect(redirectAllowed(["http://localhost:3118/callback"], "http://localhost:3119/callback")).toBe(false);
    expect(redirectAllowed(["http://127.0.0.1/cb"], "http://localhost/cb")).toBe(false);
    expect(redirectAllowed(["https://claude.ai/cb"], "https://claude.ai:8443/cb")).toBe(false);
  });

  it("is checked by itself, even if it stands in the registration", () => {
    expect(redirectAllowed(["javascript:alert(1)//"], "javascript:alert(1)//")).toBe(false);
  });
});
