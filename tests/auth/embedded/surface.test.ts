/** What the built-in authorization server answers, to whom, and what it says of itself. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { providerSource } from "../../../auth/embedded/provider.ts";
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../requirements.ts";
import { operator, redirectUri, send, start, type Started } from "./harness.ts";

let server: Started;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.stop());

describe("discovery", () => {
  const documents = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration/mcp",
  ];

  it.each(documents)(
    `${verifies("oauth.server-metadata", "oauth.pkce")}: answers at %s with the same document, whatever local name is used`,
    async (path) => {
      for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, "localhost"]) {
        const { status, headers, body } = await send(server, path, { host });
        expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
        expect(JSON.parse(body)).toEqual(server.embedded.metadata());
        expect(JSON.parse(body)).toMatchObject({ issuer: server.issuer, code_challenge_methods_supported: ["S256"] });
        expect(headers["cache-control"]).toBe("public, max-age=300");
      }
      expect((await send(server, path, { host: "localhost" }, "HEAD")).status).toBe(200);
      expect(server.embedded.owns(path)).toBe(true);
    },
  );

  it("says what oidc-provider would say of itself, where both say something", async () => {
    const { database, issuer, clock } = server;
    const now = () => Date.now() + clock.aheadMs;
    const provider = await providerSource({
      issuer,
      resources: () => [],
      operator: () => operator,
      records: oauthRecords({ database, now }),
      secrets: secretStore({ database, now }),
      now,
      log: () => {},
    })();
    const theirs = createServer(provider.callback()).listen(0, "127.0.0.1");
    await new Promise((resolve) => theirs.once("listening", resolve));
    const address = theirs.address();
    const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const text = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).text();
    theirs.close();
    theirs.closeAllConnections();
    const ours: Record<string, unknown> = { ...server.embedded.metadata() };
    const document = JSON.parse(text.replaceAll(origin, issuer));
    // Ours is narrower in the first (checked below), oidc-provider does not know of `mcp` in the second.
    const { response_modes_supported: _modes, scopes_supported: _scopes, ...comparable } = document;
    for (const [name, value] of Object.entries(comparable)) {
      if (!(name in ours)) continue;
      const sorted = (each: unknown) => (Array.isArray(each) ? [...each].sort() : each);
      expect([name, sorted(ours[name])]).toEqual([name, sorted(value)]);
    }
    expect(Object.keys(ours).filter((name) => !(name in document))).toEqual([
      "revocation_endpoint_auth_methods_supported",
      "client_id_metadata_document_supported",
    ]);
  });

  it("publishes keys without their private part", async () => {
    const { keys } = await server.embedded.jwks();
    expect(await (await fetch(`${server.issuer}/oauth/jwks`)).json()).toEqual({ keys });
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });
});

describe("starting", () => {
  it("does not load oidc-provider until an app registers or a person comes", async () => {
    const child = fork(join(import.meta.dirname, "late.ts"));
    const [seen] = await once(child, "message");
    await once(child, "exit");
    expect(seen).toEqual({ afterDocumentsAndTokens: false, afterRegistration: true });
  });
});

describe("who may speak to it", () => {
  const paths = ["/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/jwks", "/oauth/login/abc"];

  it.each(paths)("refuses %s under a foreign Host or through a proxy", async (path) => {
    for (const headers of [
      { host: "evil.example" },
      { host: `127.0.0.1:${server.port}`, "cf-connecting-ip": "1.2.3.4" },
      { host: "localhost", "x-forwarded-for": "127.0.0.1" },
      { host: "localhost", forwarded: "for=x" },
    ] as Record<string, string>[]) {
      const { status, body } = await send(server, path, headers);
      expect([status, body]).toEqual([404, '{"error":"not_found"}']);
    }
  });

  it("refuses two Host headers, an absolute target, and a caller that leaves in the middle does no harm", async () => {
    const talk = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let answer = "";
        const socket = connect(server.port, "127.0.0.1", () => socket.end(text));
        socket.setEncoding("utf8").on("data", (chunk) => (answer += chunk));
        socket.on("close", () => resolve(answer)).on("error", reject);
      });
    expect(await talk("GET /oauth/jwks HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")).toMatch(/^HTTP\/1\.1 40/);
    expect(await talk("GET http://evil.example/oauth/jwks HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1\.1 404/);
    await talk("POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ngrant_type=");
    expect((await fetch(`${server.issuer}/oauth/jwks`)).status).toBe(200);
    expect(server.lines.join()).not.toContain("oauth_failed");
  });

  it("lets pages of this machine call it, and no others", async () => {
    const host = `127.0.0.1:${server.port}`;
    for (const origin of ["http://localhost:6274", `http://127.0.0.1:${server.port}`]) {
      const preflight = await send(
        server,
        "/oauth/token",
        { host, origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type,mcp-protocol-version" },
        "OPTIONS",
      );
      expect([
        preflight.status,
        preflight.headers["access-control-allow-origin"],
        preflight.headers["access-control-allow-methods"],
      ]).toEqual([204, origin, "POST"]);
      for (const [path, method] of [
        ["/oauth/token", "POST"],
        ["/oauth/register", "POST"],
        ["/oauth/jwks", "GET"],
        ["/.well-known/openid-configuration", "GET"],
      ] as const) {
        const response = await send(
          server,
          path,
          { host, origin, "content-type": "application/json" },
          method,
          method === "POST" ? "{}" : "",
        );
        expect([path, response.headers["access-control-allow-origin"], response.headers["vary"]]).toEqual([path, origin, "Origin"]);
      }
    }
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"]) {
      for (const method of ["POST", "OPTIONS"]) {
        const response = await send(
          server,
          "/oauth/register",
          { host, origin, "content-type": "application/json" },
          method,
          method === "POST" ? JSON.stringify({ redirect_uris: [redirectUri] }) : "",
        );
        expect([response.status, response.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
      }
    }
  });

  it("answers 404 for everything it does not have and 405 with Allow for a wrong method", async () => {
    for (const path of [
      "/oauth",
      "/oauth/",
      "/oauth/userinfo",
      "/oauth/register/some-client",
      "/oauth/introspect",
      "/session/end",
      "/oauth/login",
      "/oauth/login/a/b",
      "/oauth/../oauth/jwks",
      "//oauth/jwks",
    ]) {
      expect([path, (await send(server, path, { host: "localhost" })).status]).toEqual([path, 404]);
    }
    const response = await send(server, "/oauth/token", { host: "localhost" });
    expect([response.status, response.headers["allow"]]).toEqual([405, "POST"]);
  });

  it("answers nothing at all when the listener is open to the network", async () => {
    const open = await start({ listenerIsLoopback: false });
    for (const path of ["/.well-known/oauth-authorization-server", "/oauth/jwks", "/oauth/token"])
      expect((await fetch(open.issuer + path)).status).toBe(404);
    await open.stop();
  });
});
