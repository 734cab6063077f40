/** The gate of the running product: three clients, one of each issuer kind, over real sockets, with real key documents. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { startIssuer, type TestIssuer } from "../support/issuer.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, type RawReply, type RawRequest, send } from "../support/rpc.ts";

let access: TestIssuer;
let sso: TestIssuer;
let postern: Postern;
const accessTag = "4f".repeat(32);
const claudeHost = "mcp-claude.example.com";
const chatgptHost = "mcp-chatgpt.example.com";
const chatgptAudience = `https://${chatgptHost}/mcp`;
const inside: Readonly<Record<string, string>> = { [claudeHost]: "160.79.104.10", [chatgptHost]: "203.0.113.7" };

const config = (port: number): string => `
operations: null
proxy: { trusted: [127.0.0.1/32], header: cf-connecting-ip }
operators: [me@example.com]
issuers:
  access: { kind: cloudflare-access, team: '${access.url}' }
  sso: { kind: oidc, issuer: '${sso.url}', scopes: [mcp] }
  local: { kind: embedded }
clients:
  claude: { vendor: claude, host: ${claudeHost}, issuer: access, audience: ${accessTag}, egress: [160.79.104.0/21] }
  chatgpt: { vendor: chatgpt, host: ${chatgptHost}, issuer: sso, audience: '${chatgptAudience}', egress: [203.0.113.0/24] }
  local: { host: [127.0.0.1, localhost], issuer: local, audience: 'http://127.0.0.1:${port}/mcp', egress: [127.0.0.0/8] }
`;

beforeAll(async () => {
  [access, sso] = await Promise.all([startIssuer("RS256"), startIssuer("ES256")]);
  postern = await startPostern({ config });
});
afterAll(async () => {
  await Promise.all([postern.stop(), access.stop(), sso.stop()]);
});

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
type Headers = NonNullable<RawRequest["headers"]>;
const ask = (host: string, headers: Headers = {}, more: RawRequest = {}): Promise<RawReply> =>
  send(postern.url, {
    ...(more.method === undefined ? { body: call(1, "ping") } : {}),
    ...more,
    headers: { ...json, host, "cf-connecting-ip": inside[host] ?? "127.0.0.1", ...headers },
  });
const asClaude = async (headers: Headers = {}, more: RawRequest = {}): Promise<RawReply> =>
  ask(claudeHost, { "cf-access-jwt-assertion": await access.sign({ aud: accessTag }), ...headers }, more);
const asChatgpt = async (headers: Headers = {}, more: RawRequest = {}): Promise<RawReply> =>
  ask(chatgptHost, { authorization: `Bearer ${await sso.sign({ aud: chatgptAudience })}`, ...headers }, more);
const refusals = async (): Promise<readonly unknown[]> =>
  (await postern.logs()).filter(({ event }) => event === "refused").map(({ reason }) => reason);

describe("three doors", () => {
  it("open to their own client, which the tool then sees", async () => {
    const local = await ask(`127.0.0.1:${postern.port}`, { authorization: `Bearer ${await postern.token()}`, "cf-connecting-ip": [] });
    const clients = [await asClaude(), await asChatgpt(), local].map((reply) => [
      reply.status,
      reply.json().result.structuredContent["client"],
    ]);
    expect(clients).toEqual([
      [200, "claude"],
      [200, "chatgpt"],
      [200, "local"],
    ]);
  });

  it("take no token of another client, wherever it is put", async () => {
    const bearer = await sso.sign({ aud: chatgptAudience });
    const assertion = await access.sign({ aud: accessTag });
    expect((await ask(claudeHost, { authorization: `Bearer ${bearer}`, "cf-access-jwt-assertion": bearer })).status).toBe(403);
    expect((await ask(chatgptHost, { authorization: `Bearer ${assertion}`, "cf-access-jwt-assertion": assertion })).status).toBe(401);
    expect((await asChatgpt({ authorization: `Bearer ${await postern.token()}` })).status).toBe(401);
    expect((await ask(`127.0.0.1:${postern.port}`, { authorization: `Bearer ${bearer}`, "cf-connecting-ip": [] })).status).toBe(401);
  });

  it("are closed to addresses outside, and to a proxy's word that is no address", async () => {
    expect((await asClaude({ "cf-connecting-ip": "203.0.113.7" })).status).toBe(403);
    expect((await asChatgpt({ "cf-connecting-ip": "203.0.113.7, 203.0.113.7" })).status).toBe(403);
    expect((await asChatgpt({ "cf-connecting-ip": ["203.0.113.7", "203.0.113.7"] })).status).toBe(403);
    expect((await asChatgpt({ "x-forwarded-for": "198.51.100.9", forwarded: "for=198.51.100.9" })).status).toBe(200);
  });
});

describe("a request's form", () => {
  it.each<readonly [string, string, number, string]>([
    ["a token in the query", "/mcp?access_token=marker-query", 400, "token_in_query"],
    ["an absolute target", "http://mcp-claude.example.com/mcp", 400, "bad_target"],
    ["two slashes", "//mcp", 400, "bad_target"],
  ])("with %s is refused before its client is known", async (_what, target, status, reason) => {
    expect((await asChatgpt({}, { target })).status).toBe(status);
    expect(await refusals()).toContain(reason);
  });

  it("with a host of nobody is 421 on every path, and always in the log", async () => {
    const before = (await postern.logs()).length;
    for (const [index, path] of ["/mcp", "/", "/.well-known/oauth-protected-resource", "/oauth/authorize"].entries())
      expect((await ask(`nobody-${index}.example`, {}, { target: path })).status).toBe(421);
    const seen = (await postern.logs()).slice(before);
    expect(seen).toMatchObject([
      { reason: "unknown_host", status: 421, client: "none", detail: expect.stringContaining("nobody-0.example") },
    ]);
  });

  it("with two Authorization headers is refused even if both are good", async () => {
    const token = `Bearer ${await sso.sign({ aud: chatgptAudience })}`;
    expect((await ask(chatgptHost, { authorization: `${token}, ${token}` })).status).toBe(400);
  });

  it("with another forwarded host still belongs to the host it called", async () => {
    const forwarded = {
      "x-forwarded-host": claudeHost,
      forwarded: `host=${claudeHost}`,
      "x-original-host": claudeHost,
      "x-host": claudeHost,
    };
    expect((await asChatgpt(forwarded)).json().result.structuredContent["client"]).toBe("chatgpt");
    expect((await ask("unknown.example", { ...forwarded })).status).toBe(421);
  });
});

describe("what an app that is not logged in finds", () => {
  it("is a challenge that names the metadata, whose resource is the address the person typed", async () => {
    const reply = await ask(chatgptHost, {});
    expect(reply.status).toBe(401);
    const url = /resource_metadata="([^"]+)"/.exec(String(reply.headers["www-authenticate"]))?.[1] ?? "";
    expect(url).toBe(`https://${chatgptHost}/.well-known/oauth-protected-resource/mcp`);
    const document = await ask(chatgptHost, {}, { method: "GET", target: new URL(url).pathname });
    expect(JSON.parse(document.text)).toMatchObject({ resource: chatgptAudience, authorization_servers: [sso.url] });
  });

  it(`${verifies("oauth.metadata-path")}: is the same metadata at every address clients try, from everywhere, without a login`, async () => {
    const places = ["", "/mcp", "/mcp/"].map((suffix) => `/.well-known/oauth-protected-resource${suffix}`);
    const texts = await Promise.all(
      places.map(async (target) => (await ask(chatgptHost, { "cf-connecting-ip": "198.51.100.9" }, { method: "GET", target })).text),
    );
    expect(new Set(texts).size).toBe(1);
    for (const target of places) {
      expect((await ask(chatgptHost, {}, { method: "HEAD", target })).status).toBe(200);
      expect((await ask(chatgptHost, {}, { method: "OPTIONS", target })).status).toBe(204);
      expect((await ask(chatgptHost, {}, { method: "POST", target })).status).toBe(405);
    }
  });

  it("takes nothing from headers into what it says", async () => {
    const spoofed = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "ftp",
      forwarded: "host=evil.example",
      host: `${chatgptHost}:1234`,
    };
    const document = await ask(chatgptHost, spoofed, { method: "GET", target: "/.well-known/oauth-protected-resource" });
    const refused = await ask(chatgptHost, spoofed);
    expect(`${document.text}${JSON.stringify(refused.headers)}`).not.toMatch(/evil|1234|ftp/);
    expect(refused.status).toBe(401);
  });

  it("is no authorization server of ours at a public host", async () => {
    for (const target of [
      "/.well-known/oauth-authorization-server",
      "/.well-known/openid-configuration",
      "/oauth/authorize",
      "/oauth/register",
    ])
      expect((await ask(chatgptHost, {}, { method: "GET", target })).status).toBe(404);
  });
});

describe("what real connectors do first", () => {
  it.each(["/", "/favicon.ico", "/robots.txt", "/sse", "/register"])(
    "GET and HEAD of %s are 404 at once, never a login page or a redirect",
    async (target) => {
      for (const method of ["GET", "HEAD"]) {
        const reply = await ask(claudeHost, {}, { method, target });
        expect([reply.status, reply.headers["location"]]).toEqual([404, undefined]);
      }
    },
  );

  it("is refused by no name of their programs", async () => {
    for (const agent of ["Claude-User", "python-httpx/0.28.1", "Google", "openai-mcp/1.0.0", "curl/8", ""])
      expect((await asChatgpt({ "user-agent": agent })).status).toBe(200);
  });

  it("learns of an expired or foreign token by a 401 with JSON, never by a tool result", async () => {
    for (const claims of [{ exp: 1 }, { aud: "https://elsewhere.example/mcp" }, { aud: "" }]) {
      const reply = await asChatgpt({ authorization: `Bearer ${await sso.sign({ aud: chatgptAudience, ...claims })}` });
      expect([reply.status, JSON.parse(reply.text).error]).toEqual([401, "invalid_token"]);
      expect(reply.headers["www-authenticate"]).toContain('error="invalid_token"');
    }
  });

  it("with a service token of Access, which names nobody, is refused", async () => {
    const assertion = await access.sign({ aud: accessTag, common_name: "x.access", sub: "", email: undefined });
    expect((await asClaude({ "cf-access-jwt-assertion": assertion })).status).toBe(403);
    expect(await refusals()).toContain("identity_missing");
  });

  it("from an IPv6 address is outside where only IPv4 ranges are written", async () => {
    for (const address of ["2607:6bc0::1", "::ffff:160.79.112.1"])
      expect((await asClaude({ "cf-connecting-ip": address })).status).toBe(403);
    expect((await asClaude({ "cf-connecting-ip": "::ffff:160.79.104.9" })).status).toBe(200);
  });
});

describe("a browser", () => {
  it("may ask from the vendor's pages and reads refusals as well as answers", async () => {
    const origin = "https://claude.ai";
    const preflight = await ask(claudeHost, { origin, "access-control-request-method": "POST" }, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, origin]);
    const refused = await ask(claudeHost, { origin });
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([403, origin]);
    const answered = await asClaude({ origin });
    expect([answered.status, answered.headers["access-control-allow-origin"]]).toEqual([200, origin]);
  });

  it.each(["https://evil.example", "null", "https://claude.ai.evil.example", `https://${chatgptHost}`])(
    "at %s is refused, also before a request",
    async (origin) => {
      expect((await asClaude({ origin })).status).toBe(403);
      expect((await ask(claudeHost, { origin }, { method: "OPTIONS" })).status).toBe(403);
    },
  );
});

describe("GET and DELETE", () => {
  it("pass the gate first, then answer 405", async () => {
    for (const method of ["GET", "DELETE"]) {
      expect((await asClaude({}, { method })).status).toBe(405);
      expect((await ask(claudeHost, {}, { method })).status).toBe(403);
      expect((await ask(chatgptHost, {}, { method })).status).toBe(401);
    }
  });
});

describe("an edit of the configuration", () => {
  const write = async (text: string): Promise<void> => {
    await writeFile(join(postern.folder, "postern.yaml"), text);
    await postern.reload();
  };
  const statuses = async (): Promise<readonly number[]> => [(await asClaude()).status, (await asChatgpt()).status];

  it("that clears one audience shuts that app out and no other; writing it back lets it in", async () => {
    const text = config(postern.port);
    expect(await statuses()).toEqual([200, 200]);
    await write(text.replace(`audience: ${accessTag}`, "audience: ''"));
    expect(await statuses()).toEqual([403, 200]);
    await write(text);
    expect(await statuses()).toEqual([200, 200]);
  });

  it("that clears an audience and breaks something else shuts that app out all the same", async () => {
    const text = config(postern.port);
    await write(text.replace(`audience: ${accessTag}`, "audience: ''").replace("operators:", "operatos:"));
    expect(await statuses()).toEqual([403, 200]);
    expect(await postern.logs()).toContainEqual(expect.objectContaining({ event: "clients_closed", clients: ["claude"] }));
    await write(text.replace("operators:", "operatos:"));
    expect(await statuses()).toEqual([403, 200]);
    await write(text);
    expect(await statuses()).toEqual([200, 200]);
  });

  it("that clears an audience beside a vault that is not there shuts that app out all the same", async () => {
    const text = config(postern.port);
    await write(`${text.replace(`audience: ${accessTag}`, "audience: ''")}vault: { repository: /nowhere/at/all }\n`);
    expect(await statuses()).toEqual([403, 200]);
    expect(await postern.logs()).toContainEqual(
      expect.objectContaining({ event: "configuration_refused", detail: expect.stringContaining("/nowhere/at/all") }),
    );
    await write(text);
    expect(await statuses()).toEqual([200, 200]);
  });
});

it("no token, code, claim or query value is ever in the log or in an answer", async () => {
  const marked = await sso.sign({ aud: chatgptAudience, email: "me@example.com", sub: "marker-sub", nonce: "marker-nonce" });
  const foreign = await sso.sign({ aud: "marker-audience", iss: "https://another-issuer.example" });
  const replies = [
    await asChatgpt({ authorization: `Bearer ${marked}` }),
    await asChatgpt({ authorization: `Bearer ${foreign}` }),
    await asChatgpt({ authorization: "Bearer marker.token.value" }),
    await asChatgpt({ "cf-access-jwt-assertion": "marker-assertion", cookie: "marker-cookie=1" }),
    await asChatgpt({}, { target: "/mcp?token=marker-query" }),
    await asChatgpt({}, { target: "/marker-free?code=marker-code" }),
    await asChatgpt({}, { body: call(1, "vault_search", { query: "marker-argument" }) }),
    await asChatgpt({}, { body: call(1, "vault_search", { "marker-key": 1 }) }),
  ];
  const everything = `${JSON.stringify(await postern.logs())}${replies
    .slice(0, 6)
    .map(({ text, headers }) => text + JSON.stringify(headers))
    .join("")}`;
  expect(everything.replaceAll("/marker-free", "")).not.toContain("marker");
  for (const token of [marked, foreign]) for (const part of token.split(".")) expect(everything).not.toContain(part);
});
