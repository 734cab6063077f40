import { describe, expect, it } from "vitest";
import { renderMetadata, renderPreflight, renderRefusal } from "../../auth/challenge.ts";
import type { Client } from "../../auth/client.ts";
import { type Refusal, type RefusalReason, refusalStatus } from "../../auth/refusal.ts";
import { verifies } from "../requirements.ts";
import { chatgpt, claude, local } from "./scene.ts";

const all: readonly Client[] = [claude, chatgpt, local];
const refusal = (reason: RefusalReason, client?: Client, more: Partial<Refusal> = {}): Refusal => ({
  kind: "refusal",
  reason,
  origin: null,
  ...(client === undefined ? {} : { client, host: client.hosts[0] ?? "" }),
  ...more,
});

/** Status at a client behind Access, and at one that presents a bearer. A reason without a row does not compile. */
const expected: Readonly<Record<RefusalReason, readonly [access: number, bearer: number]>> = {
  bad_target: [400, 400],
  token_in_query: [400, 400],
  repeated_host: [400, 400],
  repeated_authorization: [400, 400],
  unknown_host: [421, 421],
  origin_not_allowed: [403, 403],
  caller_address_unreadable: [403, 403],
  outside_egress: [403, 403],
  revoked: [403, 403],
  credential_missing: [403, 401],
  token_too_long: [403, 401],
  too_many_failures: [429, 429],
  keys_unavailable: [503, 503],
  token_malformed: [403, 401],
  token_algorithm: [403, 401],
  token_type: [403, 401],
  token_key_unknown: [403, 401],
  token_signature: [403, 401],
  token_issuer: [403, 401],
  token_audience: [403, 401],
  token_expired: [403, 401],
  token_not_yet_valid: [403, 401],
  token_claims: [403, 401],
  identity_missing: [403, 403],
  identity_not_allowed: [403, 403],
  scope_missing: [403, 403],
};
const reasons = Object.keys(expected).filter((reason): reason is RefusalReason => reason in refusalStatus);

describe("a refusal", () => {
  it("has one status for each reason and kind of client", () => {
    for (const reason of reasons) {
      const statuses = all.map((client) => renderRefusal(refusal(reason, client)).status);
      const [access, bearer] = expected[reason];
      expect([reason, ...statuses]).toEqual([reason, access, bearer, bearer]);
    }
    expect(reasons).toHaveLength(Object.keys(refusalStatus).length);
  });

  it("tells the caller the same for every reason of one status", async () => {
    const texts = new Map<number, Set<string>>();
    for (const client of all) {
      for (const reason of reasons.filter((one) => one !== "scope_missing")) {
        const response = renderRefusal(refusal(reason, client, { detail: "marker-detail" }));
        const text = await response.text();
        expect(`${text}${JSON.stringify([...response.headers])}`).not.toContain("marker-detail");
        texts.set(response.status, (texts.get(response.status) ?? new Set()).add(text));
      }
    }
    for (const [status, variants] of texts) expect([status, variants.size]).toEqual([status, 1]);
  });

  it(`${verifies("oauth.no-challenge-on-403")}: carries no challenge unless a new login or a scope can cure it`, () => {
    for (const client of all) {
      for (const reason of reasons) {
        const response = renderRefusal(refusal(reason, client));
        const isCurable = response.status === 401 || reason === "scope_missing";
        expect([reason, response.headers.has("www-authenticate")]).toEqual([reason, isCurable]);
      }
    }
  });

  it(`${verifies("oauth.challenge-on-401", "oauth.challenge-names-metadata", "oauth.no-error-without-credentials")}: challenges once, each parameter once`, () => {
    const challenge = (reason: RefusalReason, client: Client): string =>
      renderRefusal(refusal(reason, client)).headers.get("www-authenticate") ?? "";
    expect(challenge("credential_missing", chatgpt)).toBe(
      'Bearer scope="mcp notes", resource_metadata="https://mcp-chatgpt.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    for (const client of [chatgpt, local]) {
      const text = challenge("token_expired", client);
      expect(text).toMatch(/^Bearer error="invalid_token", /);
      const names = [...text.matchAll(/(\w+)="/g)].map(([, name]) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it(`${verifies("oauth.insufficient-scope")}: names all scopes that are needed when one is missing`, async () => {
    const response = renderRefusal(refusal("scope_missing", chatgpt));
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="insufficient_scope", scope="mcp notes", resource_metadata=/);
    expect(await response.json()).toMatchObject({ error: "insufficient_scope" });
  });

  it("is readable for the browser it answers to, and for no other", () => {
    const allowed = renderRefusal(refusal("credential_missing", chatgpt, { origin: "https://chatgpt.com" })).headers;
    expect(allowed.get("access-control-allow-origin")).toBe("https://chatgpt.com");
    expect(allowed.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    const other = renderRefusal(refusal("origin_not_allowed", chatgpt)).headers;
    expect([other.get("access-control-allow-origin"), other.get("vary"), other.get("cache-control")]).toEqual([null, "Origin", "no-store"]);
  });

  it("says when to come back where that is known", () => {
    for (const reason of ["keys_unavailable", "too_many_failures"] as const)
      expect(renderRefusal(refusal(reason, chatgpt, { retryAfterSeconds: 17 })).headers.get("retry-after")).toBe("17");
  });
});

describe("the protected resource metadata", () => {
  const door = (client: Client, host = client.hosts[0] ?? "") => ({ kind: "door", client, host, origin: null }) as const;

  it(`${verifies("oauth.metadata-resource")}: names the resource as the person typed it, host by host`, async () => {
    const documents = await Promise.all(
      [
        door(claude),
        door(chatgpt),
        door(local, "localhost"),
        door({ ...claude, resources: { "mcp-claude.example.com": "https://mcp-claude.example.com:8443/other" } }),
      ].map(async (each): Promise<unknown> => renderMetadata(each, "GET").json()),
    );
    expect(documents).toMatchObject([
      { resource: "https://mcp-claude.example.com/mcp", authorization_servers: ["https://mcp-claude.example.com"] },
      {
        resource: "https://mcp-chatgpt.example.com/mcp",
        authorization_servers: ["https://sso.example/realms/home"],
        scopes_supported: ["mcp", "notes"],
      },
      { resource: "http://localhost:8787/mcp", authorization_servers: ["http://127.0.0.1:8787"] },
      { resource: "https://mcp-claude.example.com:8443/other" },
    ]);
    for (const document of documents) expect(document).toMatchObject({ bearer_methods_supported: ["header"] });
  });

  it("answers HEAD without a body, OPTIONS with what is allowed, anything else with 405", async () => {
    const head = renderMetadata(door(claude), "HEAD");
    expect([head.status, await head.text(), head.headers.get("content-type")]).toEqual([200, "", "application/json"]);
    expect([renderMetadata(door(claude), "OPTIONS").status, renderMetadata(door(claude), "POST").status]).toEqual([204, 405]);
    expect(renderMetadata(door(claude), "PUT").headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});

describe("a preflight", () => {
  it("allows what MCP clients send, and Mcp-Param headers as they are asked for", () => {
    const asked = "authorization, mcp-param-region, mcp-param-\u00e9, x-evil, Mcp-Param-Two";
    const response = renderPreflight(
      { kind: "preflight", client: claude, host: "mcp-claude.example.com", origin: "https://claude.ai" },
      () => asked,
    );
    expect(response.status).toBe(204);
    const headers = response.headers.get("access-control-allow-headers") ?? "";
    for (const name of [
      "Authorization",
      "Content-Type",
      "MCP-Protocol-Version",
      "Mcp-Session-Id",
      "Mcp-Method",
      "Mcp-Name",
      "mcp-param-region",
      "mcp-param-two",
    ])
      expect(headers.split(", ")).toContain(name);
    expect(headers).not.toMatch(/evil|\u00e9/);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://claude.ai");
  });
});
