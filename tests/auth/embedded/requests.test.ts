/** What is made of a request before oidc-provider sees it. */
import { describe, expect, it } from "vitest";
import { attempts } from "../../../auth/embedded/attempts.ts";
import { normalizeAuthorize } from "../../../auth/embedded/authorize-request.ts";
import { parseRegistration } from "../../../auth/embedded/registration.ts";
import { canonicalResource, findResource, type Resource } from "../../../auth/embedded/resources.ts";

const resources: readonly Resource[] = [
  { spellings: ["http://127.0.0.1:8787/mcp", "http://localhost:8787/mcp"], audience: "a" },
  { spellings: ["https://h"], audience: "b" },
];

describe("a resource parameter", () => {
  it("means the endpoint under each of its spellings, and the first is remembered", () => {
    expect(canonicalResource(resources, "http://localhost:8787/mcp")).toBe("http://127.0.0.1:8787/mcp");
    expect(findResource(resources, "http://127.0.0.1:8787/mcp")?.audience).toBe("a");
  });

  it("may end in a slash only where there is no path", () => {
    expect(findResource(resources, "https://h/")?.audience).toBe("b");
    expect(canonicalResource(resources, "https://h/")).toBe("https://h");
    for (const other of [
      "http://127.0.0.1:8787/mcp/",
      "http://127.0.0.1:8787",
      "http://127.0.0.1:8787/",
      "https://h//",
      "https://h/?",
      "https://H",
      "https://h:443",
      "",
      "mcp",
    ]) {
      expect([other, findResource(resources, other)]).toEqual([other, null]);
      expect(canonicalResource(resources, other)).toBe(other);
    }
  });
});

describe("an authorization request", () => {
  const normal = (query: string) => normalizeAuthorize(new URLSearchParams(query), resources);

  it("asks for mcp whatever scopes it names, and for offline_access if it named that", () => {
    expect(normal("").get("scope")).toBe("mcp");
    expect(normal("scope=openid+profile+offline_access").get("scope")).toBe("mcp offline_access");
    expect(normal("scope=mcp+mcp").get("scope")).toBe("mcp");
  });

  it("always asks for consent, unless nothing may be asked", () => {
    expect(normal("").get("prompt")).toBe("consent");
    expect(normal("prompt=login").get("prompt")).toBe("login consent");
    expect(normal("prompt=select_account").get("prompt")).toBe("consent");
    expect(normal("prompt=none").get("prompt")).toBe("none");
  });

  it("keeps one spelling of a resource, and repeated parameters repeated", () => {
    expect(normal("resource=http://localhost:8787/mcp&resource=http://127.0.0.1:8787/mcp").getAll("resource")).toEqual([
      "http://127.0.0.1:8787/mcp",
    ]);
    expect(normal("redirect_uri=a&redirect_uri=b").getAll("redirect_uri")).toEqual(["a", "b"]);
  });

  it("drops what means nothing here", () => {
    expect([...normal("nonce=1&max_age=0&claims=x&login_hint=x&web_message_uri=x&id_token_hint=x").keys()].sort()).toEqual([
      "prompt",
      "scope",
    ]);
  });
});

describe("a registration", () => {
  const parse = (value: unknown) => parseRegistration(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));
  const fine = { redirect_uris: ["http://127.0.0.1/"] };

  it("is reduced to what there is: nothing that would be fetched or shown stays", () => {
    const result = parse({
      ...fine,
      client_name: "노트 앱",
      jwks_uri: "http://169.254.169.254/",
      logo_uri: "https://x/y.png",
      sector_identifier_uri: "http://169.254.169.254/",
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      scope: "mcp",
      client_id: "mine",
      application_type: "web",
      contacts: ["not an address"],
    });
    expect(result).toEqual({
      ok: true,
      metadata: {
        ...fine,
        client_name: "노트 앱",
        token_endpoint_auth_method: "client_secret_basic",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: "native",
      },
    });
  });

  it.each([
    ["no body", "", "invalid_client_metadata"],
    ["a list", [], "invalid_client_metadata"],
    ["no redirect", {}, "invalid_redirect_uri"],
    ["an empty list of redirects", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["21 redirects", { redirect_uris: Array.from({ length: 21 }, () => "http://127.0.0.1/") }, "invalid_redirect_uri"],
    ["a redirect that is no text", { redirect_uris: [1] }, "invalid_redirect_uri"],
    ["one bad redirect among good ones", { redirect_uris: ["http://127.0.0.1/", "javascript:alert(1)//"] }, "invalid_redirect_uri"],
    ["a name that is no text", { ...fine, client_name: {} }, "invalid_client_metadata"],
    ["a key-based method", { ...fine, token_endpoint_auth_method: "private_key_jwt" }, "invalid_client_metadata"],
  ])("with %s is refused", (_name, body, error) => {
    const result = parse(body);
    expect(result).toMatchObject({ ok: false, error });
    expect(JSON.stringify(result)).not.toContain("alert");
  });
});

describe("attempts in a minute", () => {
  it("are counted by name, and room comes back as they grow old", () => {
    let nowMs = 0;
    const { take } = attempts({ perMinute: 2, now: () => nowMs });
    expect([take("a"), take("b")]).toEqual([0, 0]);
    nowMs = 20_000;
    expect([take("a"), take("a"), take("b")]).toEqual([0, 40, 0]);
    nowMs = 59_999;
    expect(take("a")).toBe(1);
    nowMs = 60_000;
    expect([take("a"), take("a")]).toEqual([0, 20]);
  });

  it("forget the quietest name above ten thousand", () => {
    const { take } = attempts({ perMinute: 1, now: () => 0 });
    for (let n = 0; n <= 10_000; n += 1) take(`n${n}`);
    expect([take("n0"), take("n10000")]).toEqual([0, 60]);
  });
});
