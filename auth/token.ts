/**
 * Verifies one token for one client. jose does the cryptography; what jose leaves open is closed here: audience and issuer
 * are always given, `exp` and `iat` are required, and a token from the future is refused (RFC 8725, RFC 9068 section 4).
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import type { Now } from "../storage/ports.ts";
import type { Client, Issuer } from "./client.ts";
import type { Keys } from "./keys.ts";
import type { RefusalReason } from "./refusal.ts";

/** What a verified token says. */
export type TokenFacts = {
  /** The issuer's name for the person; stable, opaque. */
  readonly subject: string;
  /** Lower-case identity that is compared with the client's `identities`. */
  readonly identity: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
};

export type Verification =
  | { readonly ok: true; readonly facts: TokenFacts }
  | { readonly ok: false; readonly reason: Exclude<RefusalReason, "keys_unavailable"> }
  | { readonly ok: false; readonly reason: "keys_unavailable"; readonly retryAfterSeconds: number };

/** Seconds that our clock and the issuer's may differ, for `exp`, `nbf` and `iat` alike. */
export const clockToleranceSeconds = 30;

/** Asymmetric only: with a shared-secret algorithm a public key would be a signing key. Cloudflare documents RS256 alone. */
const algorithms: Readonly<Record<Issuer["kind"], readonly string[]>> = {
  "cloudflare-access": ["RS256"],
  oidc: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
  embedded: ["ES256"],
};

export async function verifyToken(token: string, client: Client, keys: Keys, now: Now): Promise<Verification> {
  const { issuer, audience } = client;
  if (audience.kind === "revoked") return { ok: false, reason: "revoked" };
  const header = readHeader(token);
  if (header === null) return { ok: false, reason: "token_malformed" };
  if (!algorithms[issuer.kind].includes(header.alg)) return { ok: false, reason: "token_algorithm" };
  if (!isExpectedType(header.typ, issuer)) return { ok: false, reason: "token_type" };
  for (let attempt = 0; ; attempt += 1) {
    const found = await keys.find(header.kid, header.alg);
    if (found.kind === "unavailable") return { ok: false, reason: "keys_unavailable", retryAfterSeconds: found.retryAfterSeconds };
    if (found.kind === "unknown") return { ok: false, reason: "token_key_unknown" };
    try {
      const { payload } = await jwtVerify(token, found.key, {
        algorithms: [header.alg],
        issuer: issuer.issuer,
        audience: spellingsOf(audience.value),
        requiredClaims: ["exp", "iat"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
      });
      return judgeClaims(payload, issuer, now());
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      // A key may have been replaced under its old name: ask once more, as often as the refresher allows.
      if (reason === "token_signature" && attempt === 0 && (await keys.replaced(header.kid))) continue;
      return { ok: false, reason };
    }
  }
}

type Header = { readonly alg: string; readonly kid: string; readonly typ: string | null };

function readHeader(token: string): Header | null {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(token);
    return typeof alg === "string" && typeof kid === "string" && kid !== "" ? { alg, kid, typ: typ?.toLowerCase() ?? null } : null;
  } catch {
    return null;
  }
}

/** RFC 9068 says `at+jwt`; many issuers still say `JWT` or nothing. Our own server always says `at+jwt`. */
function isExpectedType(typ: string | null, issuer: Issuer): boolean {
  if (issuer.kind === "embedded") return typ === "at+jwt";
  if (issuer.kind === "cloudflare-access") return typ === null || typ === "jwt";
  return typ === null || typ === "jwt" || typ === "at+jwt" || typ === "application/at+jwt";
}

/** `https://h` and `https://h/` are one resource; with a path every character counts (RFC 3986 section 6.2.3). */
function spellingsOf(audience: string): string[] {
  const root = /^(https?:\/\/[^/?#]+)\/?$/.exec(audience);
  return root?.[1] === undefined ? [audience] : [root[1], `${root[1]}/`];
}

/** Claims that only other kinds of token carry. */
function isOtherKind(payload: JWTPayload, issuer: Issuer): boolean {
  if (issuer.kind === "cloudflare-access") return payload["type"] !== "app";
  const kind = payload["typ"];
  return "nonce" in payload || "at_hash" in payload || "c_hash" in payload || (typeof kind === "string" && !/^bearer$/i.test(kind));
}

function judgeClaims(payload: JWTPayload, issuer: Issuer, nowMs: number): Verification {
  const { iat, exp, sub } = payload;
  if (typeof iat !== "number" || typeof exp !== "number") return { ok: false, reason: "token_claims" };
  if (iat > nowMs / 1000 + clockToleranceSeconds) return { ok: false, reason: "token_not_yet_valid" };
  if (isOtherKind(payload, issuer)) return { ok: false, reason: "token_type" };
  const scopes = scopesOf(payload);
  if (!requiredScopes(issuer).every((scope) => scopes.includes(scope))) return { ok: false, reason: "scope_missing" };
  const identity = identityOf(payload, issuer);
  if (identity === null) return { ok: false, reason: "identity_missing" };
  return { ok: true, facts: { subject: typeof sub === "string" && sub !== "" ? sub : identity, identity, scopes, expiresAtMs: exp * 1000 } };
}

/** Scopes a token must carry, all of them. Access tokens of Cloudflare carry none. */
export function requiredScopes(issuer: Issuer): readonly string[] {
  if (issuer.kind === "oidc") return issuer.scopes;
  return issuer.kind === "embedded" ? ["mcp"] : [];
}

function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const written = scope ?? scp;
  if (typeof written === "string") return written.split(" ").filter((word) => word !== "");
  return Array.isArray(written) ? written.filter((word) => typeof word === "string") : [];
}

/** Null = nobody: a service token, or an address its issuer has not verified. */
function identityOf(payload: JWTPayload, issuer: Issuer): string | null {
  const claim = issuer.kind === "embedded" ? "sub" : issuer.kind === "oidc" ? issuer.identityClaim : "email";
  const value = payload[claim];
  if (typeof value !== "string" || value.trim() === "") return null;
  if (claim === "email" && payload["email_verified"] === false) return null;
  return value.trim().toLowerCase();
}

/** Null = not a verdict on the token but a fault of ours. */
function reasonOf(error: unknown): Exclude<RefusalReason, "keys_unavailable"> | null {
  if (error instanceof errors.JWTExpired) return "token_expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "token_issuer";
    if (error.claim === "aud") return "token_audience";
    return error.claim === "nbf" && error.reason === "check_failed" ? "token_not_yet_valid" : "token_claims";
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return "token_signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "token_algorithm";
  return error instanceof errors.JOSEError || error instanceof TypeError ? "token_malformed" : null;
}
