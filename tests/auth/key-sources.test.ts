import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Issuer } from "../../auth/client.ts";
import { keySource } from "../../auth/key-sources.ts";
import type { LoadedKeys } from "../../auth/keys.ts";
import { newSigner } from "./scene.ts";

const { jwk } = await newSigner("ES256", "one");
const json = { "content-type": "application/json" };
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A real issuer on loopback; every path answers what the test put there, others 404. */
let origin: string;
const answers = new Map<string, Answer>();
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  const answer = answers.get(request.url ?? "");
  if (answer === undefined) response.writeHead(404).end();
  else answer(request, response);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
beforeEach(() => {
  answers.clear();
  asked = [];
});

const says = (path: string, value: unknown, status = 200): void =>
  void answers.set(path, (_request, response) =>
    response.writeHead(status, json).end(typeof value === "string" ? value : JSON.stringify(value)),
  );
const load = (issuer: Issuer, deadlineMs = 5000): Promise<LoadedKeys> =>
  keySource(issuer, { send: fetch, deadline: () => AbortSignal.timeout(deadlineMs), embeddedKeys: async () => [jwk] })();
const oidc = (path = "", jwksUrl?: string): Issuer => ({
  kind: "oidc",
  name: "sso",
  issuer: `${origin}${path}`,
  scopes: [],
  identityClaim: "email",
  ...(jwksUrl === undefined ? {} : { jwksUrl }),
});

describe("where keys are found", () => {
  it("for Cloudflare Access: under the team's certs", async () => {
    says("/cdn-cgi/access/certs", { keys: [jwk], public_cert: { kid: "x", cert: "…" } });
    expect(await load({ kind: "cloudflare-access", name: "access", issuer: origin })).toMatchObject({ ok: true, keys: [{ kid: "one" }] });
  });

  it("for an identity provider: by either discovery document, whose issuer must be the configured one", async () => {
    says("/realms/home/.well-known/openid-configuration", { issuer: `${origin}/realms/home`, jwks_uri: `${origin}/keys` });
    says("/keys", { keys: [jwk] });
    expect(await load(oidc("/realms/home"))).toMatchObject({ ok: true });
    answers.delete("/realms/home/.well-known/openid-configuration");
    says("/.well-known/oauth-authorization-server/realms/home", { issuer: `${origin}/realms/home`, jwks_uri: `${origin}/keys` });
    expect(await load(oidc("/realms/home"))).toMatchObject({ ok: true });
    says("/.well-known/oauth-authorization-server/realms/home", { issuer: `${origin}/realms/other`, jwks_uri: `${origin}/keys` });
    expect(await load(oidc("/realms/home"))).toEqual({ ok: false, reason: "issuer_mismatch" });
  });

  it("for the built-in server: in the process itself", async () => {
    expect(await load({ kind: "embedded", name: "local", issuer: origin })).toMatchObject({ ok: true, keys: [{ kid: "one" }] });
    expect(asked).toEqual([]);
  });
});

describe("a key document", () => {
  it.each<readonly [string, unknown, number, string]>([
    ["that is not there", "", 404, "bad_status"],
    ["that is an error page", "<html>", 200, "not_json"],
    ["that is a list", [], 200, "not_json"],
    ["without keys", { keys: [] }, 200, "no_keys"],
    [
      "with keys of no use",
      { keys: [{ kty: "oct", kid: "a", k: "AAAA" }, { ...jwk, d: "x" }, { ...jwk, kid: undefined }, "key", null] },
      200,
      "no_keys",
    ],
    ["larger than 256 KiB", JSON.stringify({ keys: [jwk], padding: "x".repeat(300_000) }), 200, "too_large"],
  ])("%s brings no keys", async (_what, value, status, reason) => {
    says("/keys", value, status);
    expect(await load(oidc("", `${origin}/keys`))).toEqual({ ok: false, reason });
  });

  it("that lies elsewhere is not followed there", async () => {
    answers.set("/keys", (_request, response) => response.writeHead(302, { location: `${origin}/elsewhere` }).end());
    says("/elsewhere", { keys: [jwk] });
    expect(await load(oidc("", `${origin}/keys`))).toEqual({ ok: false, reason: "redirected" });
    expect(asked).toEqual(["/keys"]);
  });

  it("that never ends is given up at the deadline", async () => {
    answers.set("/keys", (_request, response) => void response.writeHead(200, json).write("{"));
    expect(await load(oidc("", `${origin}/keys`), 100)).toEqual({ ok: false, reason: "timeout" });
  });

  it.each(["http://keys.example/keys", "ftp://127.0.0.1/keys", "https://user:pw@keys.example/keys", "file:///etc/passwd", "nonsense"])(
    "at %s is not asked for",
    async (url) => expect(await load(oidc("", url))).toEqual({ ok: false, reason: "forbidden_url" }),
  );

  it("named by discovery is held to the same rules", async () => {
    says("/.well-known/openid-configuration", { issuer: origin, jwks_uri: "http://keys.example/keys" });
    expect(await load(oidc())).toEqual({ ok: false, reason: "forbidden_url" });
  });
});
