/** An issuer on loopback with a real key document, for clients behind Cloudflare Access and behind an identity provider alike. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export type TestIssuer = {
  readonly url: string;
  /** A token signed with its key, good for ten minutes, but for the changes. */
  readonly sign: (claims: JWTPayload) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** `RS256` = Access (keys under /cdn-cgi/access/certs), `ES256` = an identity provider with discovery. */
export async function startIssuer(alg: "RS256" | "ES256"): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "test", alg, use: "sig" }] });
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(isDiscovery ? JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }) : keys);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    sign: (claims) =>
      new SignJWT({ email: "me@example.com", sub: "me", ...(alg === "RS256" ? { type: "app" } : { scope: "mcp" }), ...claims })
        .setProtectedHeader({ alg, kid: "test", typ: "JWT" })
        .setIssuer(claims.iss ?? url)
        .setIssuedAt()
        .setExpirationTime(claims.exp ?? "10m")
        .sign(privateKey),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
