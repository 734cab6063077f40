/** Signing keys of the access tokens. Read from the store each time: a rotation, here or in another process of this home, is seen at once. */
import { importJWK, SignJWT, type JWK } from "jose";
import type { Now, SecretStore } from "../../storage/ports.ts";

export type PublicKey = {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: "ES256";
  readonly use: "sig";
};
export type SigningKey = { readonly public: PublicKey; readonly private: JWK };

export const signingAlgorithm = "ES256";

export type MintRequest = {
  readonly audience: string;
  /** The person, as the gate compares it. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** 1 to 86,400: an old key is accepted for one more day after its successor was made. */
  readonly ttlSeconds: number;
};

/** Newest first; the newest signs. */
export async function signingKeys(secrets: SecretStore): Promise<readonly SigningKey[]> {
  return (await secrets.list("token-signing")).map(({ value }) => parseKey(JSON.parse(value)));
}

function parseKey(jwk: JWK): SigningKey {
  const { kty, crv, x, y, d, kid } = jwk;
  if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined || d === undefined || kid === undefined) {
    throw new Error("a token-signing secret is not a private P-256 key");
  }
  const common = { kty: "EC", crv, x, y, kid, alg: signingAlgorithm, use: "sig" } as const;
  return { public: common, private: { ...common, d } };
}

/** A JWT access token (RFC 9068) without a login: for `postern token` and tests on this machine. `ids` makes the `jti`. */
export async function mintToken(
  { secrets, issuer, now, ids }: { readonly secrets: SecretStore; readonly issuer: string; readonly now: Now; readonly ids: () => string },
  { audience, subject, scopes, ttlSeconds }: MintRequest,
): Promise<string> {
  if (audience === "" || subject === "") throw new RangeError("a token needs an audience and a subject");
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > 86_400) throw new RangeError("a token lives 1 to 86,400 seconds");
  const [key] = await signingKeys(secrets);
  if (key === undefined) throw new Error("no signing key");
  const issuedAt = Math.floor(now() / 1_000);
  return new SignJWT({ scope: scopes.join(" "), client_id: "postern" })
    .setProtectedHeader({ alg: signingAlgorithm, typ: "at+jwt", kid: key.public.kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ttlSeconds)
    .setJti(ids())
    .sign(await importJWK(key.private, signingAlgorithm));
}
