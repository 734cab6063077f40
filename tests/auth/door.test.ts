import { describe, expect, it } from "vitest";
import { prepareGateState } from "../../auth/gate.ts";
import { verifies } from "../requirements.ts";
import { chatgpt, claude, clients, local, openScene, outcomeOf, requestTo, type RequestChanges } from "./scene.ts";

const scene = openScene();
const ask = (changes: RequestChanges = {}, client = claude): string => outcomeOf(scene.door(requestTo(client, null, changes)));
const withHost = (host: string | null): string => ask({ headers: { host } });

describe("the request target", () => {
  it.each([
    "/mcp",
    "/mcp/",
    "/",
    "/mcp?x=1",
    "/a//b",
    "/mcp?next=//evil.example",
    "/mcp?x=/../y",
    "/.well-known/x",
    "/...",
    "/a..b",
    "/%EB%85%B8%ED%8A%B8",
  ])("%s is in origin form", (target) => expect(ask({ target })).toBe("door"));

  it.each([
    "",
    "mcp",
    "*",
    "http://evil.example/mcp",
    "https://mcp-claude.example.com/mcp",
    "//evil.example/mcp",
    "/../mcp",
    "/a/../mcp",
    "/mcp/.",
    "/%2e%2E/mcp",
    "/.%2e",
    "/./mcp?x",
    "/\\evil.example/mcp",
    "/mcp#x",
    "/mcp x",
    "evil.example:443",
    "?access_token=x",
  ])("%j is refused", (target) => expect(ask({ target })).toBe("bad_target"));

  it.each([
    "access_token",
    "token",
    "id_token",
    "refresh_token",
    "bearer",
    "bearer_token",
    "authorization",
    "jwt",
    "api_key",
    "apikey",
    "assertion",
    "ACCESS_TOKEN",
    "Token",
    "access-token",
    "accessToken",
    "access%5Ftoken",
    "%61ccess_token",
    "access_token[]",
    "token[0]",
    "+token",
    "Cf-Access-Jwt-Assertion",
  ])(`${verifies("oauth.token-in-query")}: a credential in the query (%s) is refused`, (name) => {
    for (const query of [`${name}=MARKER`, `x=1&${name}=MARKER`, `${name}`, `x;${name}=MARKER`])
      expect(ask({ target: `/mcp?${query}` })).toBe("token_in_query");
  });

  it("may name other parameters", () => {
    expect(ask({ target: "/oauth/authorize?response_type=code&code_challenge=token&state=access_token&id_token_hint=x" })).toBe("door");
    expect(ask({ target: "/mcp?tokens=1&my_token=1" })).toBe("door");
  });
});

describe("a repeated header", () => {
  it("is two Authorization headers, whatever they hold", () => {
    for (const authorization of ["Bearer a, Bearer b", "Bearer a,", ",", "Bearer a,Basic b"])
      expect(ask({ headers: { authorization } }, chatgpt)).toBe("repeated_authorization");
    // Although this client's credential stands elsewhere.
    expect(ask({ headers: { authorization: "Bearer a, Bearer b" } })).toBe("repeated_authorization");
  });
  it("is two Host headers, even if both are the same", () => {
    expect(withHost("mcp-claude.example.com, mcp-claude.example.com")).toBe("repeated_host");
    expect(withHost("evil.example, mcp-claude.example.com")).toBe("repeated_host");
  });
});

describe("the Host", () => {
  it.each([
    "mcp-claude.example.com",
    "MCP-Claude.Example.COM",
    "mcp-claude.example.com:443",
    "mcp-claude.example.com:8787",
    "mcp-claude.example.com.",
  ])("%s is the client's, on any port and in any case", (host) =>
    expect(scene.door(requestTo(claude, null, { headers: { host } }))).toMatchObject({
      kind: "door",
      host: "mcp-claude.example.com",
      client: claude,
    }),
  );

  it("may be an IPv6 address in brackets", () => {
    for (const host of ["[::1]", "[::1]:8787"])
      expect(scene.door(requestTo(local, null, { headers: { host } }))).toMatchObject({ kind: "door", host: "[::1]", client: local });
  });

  it.each([
    null,
    "",
    " ",
    ":8787",
    "internal:8000",
    "evil.example",
    "example.com",
    "x.mcp-claude.example.com",
    "mcp-claude.example.com.evil.example",
    "mcp-claude.example.com@evil.example",
    "evil.example@mcp-claude.example.com",
    "mcp-claude.example.com/",
    "mcp-claude.example.com:",
    "mcp-claude.example.com:443:443",
    "mcp-claude.example.com:x",
    "mcp-claude.example.com:999999",
    "http://mcp-claude.example.com",
    "mcp-claude.example.com..",
    ".mcp-claude.example.com",
    "::1",
    "[::1",
    "[::2]",
    "[::1%25eth0]",
    "127.0.0.2",
    "127.1",
    "0.0.0.0",
    "__proto__",
    "constructor",
  ])("%j is nobody's", (host) => expect(withHost(host)).toBe("unknown_host"));

  it("alone selects the client: what proxies forward is not looked at", () => {
    const forwarded = {
      host: "internal:8000",
      "x-forwarded-host": "mcp-claude.example.com",
      forwarded: "host=mcp-claude.example.com",
      "x-original-host": "mcp-claude.example.com",
      ":authority": "mcp-claude.example.com",
    };
    expect(scene.door(requestTo(claude, null, { headers: forwarded }))).toMatchObject({
      reason: "unknown_host",
      detail: expect.stringContaining("must pass Host on unchanged"),
    });
    expect(scene.door(requestTo(claude, null, { headers: { "x-forwarded-host": "mcp-chatgpt.example.com" } }))).toMatchObject({
      kind: "door",
      client: claude,
    });
  });

  it("that two clients share is no configuration", () => {
    const greedy = { ...chatgpt, hosts: ["mcp-claude.example.com"] };
    expect(() => prepareGateState({ generation: 1, clients: [claude, greedy], proxy: null })).toThrow("more than one client");
  });

  it("is refused with a detail that fits on a line of the log", () => {
    const refused = scene.door(requestTo(claude, null, { headers: { host: `x\n"${"y".repeat(5000)}` } }));
    const detail = refused.kind === "refusal" ? (refused.detail ?? "") : "";
    expect(detail.length).toBeLessThan(250);
    expect(detail).not.toContain("\n");
  });
});

describe("the order", () => {
  it("is target, query, Host, Authorization, client, Origin: the first problem is the one that counts", () => {
    const faults: [string, RequestChanges][] = [
      ["bad_target", { target: "//x" }],
      ["token_in_query", { target: "/mcp?token=1" }],
      ["repeated_host", { headers: { host: "a, b" } }],
      ["repeated_authorization", { headers: { authorization: "Bearer a, b" } }],
      ["unknown_host", { headers: { host: "evil.example" } }],
      ["origin_not_allowed", { headers: { origin: "https://evil.example" } }],
    ];
    faults.forEach(([reason, fault], at) => {
      const later = faults
        .slice(at)
        .reduceRight<RequestChanges>((all, [, one]) => ({ ...all, ...one, headers: { ...all.headers, ...one.headers } }), {});
      expect([ask(fault), ask(later)]).toEqual([reason, reason]);
    });
  });

  it("leaves the answer readable: an allowed origin is named in every refusal of its client", () => {
    const headers = { origin: "https://claude.ai" };
    for (const changes of [
      { headers, target: "//x" },
      { headers, target: "/mcp?token=1" },
      { headers: { ...headers, authorization: "a, b" } },
    ]) {
      expect(scene.door(requestTo(claude, null, changes))).toMatchObject({
        kind: "refusal",
        origin: "https://claude.ai",
        client: claude,
        host: "mcp-claude.example.com",
      });
    }
    expect(scene.door(requestTo(claude, null, { headers: { origin: "https://evil.example" } }))).toMatchObject({
      kind: "refusal",
      origin: null,
    });
  });

  it("is the same for every client and asks neither address nor credential", () => {
    for (const client of clients) expect(ask({ headers: { "cf-connecting-ip": "192.0.2.1" } }, client)).toBe("door");
    const revoked = openScene([{ ...claude, audience: { kind: "revoked", why: "its audience is empty" } }]);
    expect(outcomeOf(revoked.door(requestTo(claude, null)))).toBe("door");
  });
});
