/**
 * Reference (a): what an authenticated call costs at the least on this stack. Hono on @hono/node-server, ES256 tokens
 * verified by jose and remembered until they expire, JSON-RPC written by hand: no host, no egress list, no origin, no
 * limits, no log. Prints `bearer TOKEN`, then `ready URL`; the port is argument 1.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { exportJWK, createLocalJWKSet, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { pingResult } from "./ping-result.ts";

type Message = {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly name: string; readonly _meta?: Readonly<Record<string, string>> };
};

const port = Number(process.argv[2]);
const url = `http://127.0.0.1:${port}/mcp`;
const issuer = `http://127.0.0.1:${port}`;

const pair = await generateKeyPair("ES256");
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: "reference", alg: "ES256" }] });
const bearer = await new SignJWT({ email: "me@example.com" })
  .setProtectedHeader({ alg: "ES256", kid: "reference", typ: "at+jwt" })
  .setIssuer(issuer)
  .setAudience(url)
  .setIssuedAt()
  .setExpirationTime("2h")
  .sign(pair.privateKey);

const expiresAtByToken = new Map<string, number>();

async function isVerified(token: string): Promise<boolean> {
  if ((expiresAtByToken.get(token) ?? 0) > Date.now()) return true;
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: url, algorithms: ["ES256"], typ: "at+jwt" });
    expiresAtByToken.set(token, (payload.exp ?? 0) * 1000);
    return true;
  } catch {
    return false;
  }
}

const serverInfo = { name: "bare", version: "1.0.0" };
const app = new Hono();
app.post("/mcp", async (context) => {
  const authorization = context.req.header("authorization") ?? "";
  if (!authorization.startsWith("Bearer ") || !(await isVerified(authorization.slice(7))))
    return context.json({ error: "invalid_token" }, 401);
  const { id, method, params } = await context.req.json<Message>();
  if (method !== "tools/call" || params.name !== "ping")
    return context.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
  const revision = params._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (revision === undefined) {
    const result = pingResult({ client: "local", era: "handshake", revision: context.req.header("mcp-protocol-version") ?? "2025-03-26" });
    return context.json({ jsonrpc: "2.0", id, result });
  }
  const result = pingResult({ client: "local", era: "stateless", revision });
  return context.json({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", ...result, _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } },
  });
});

serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => process.stdout.write(`bearer ${bearer}\nready ${url}\n`));
