/**
 * Verifies one token for one client. jose does the cryptography; what jose leaves open is closed here: audience and issuer
 * are always given, `exp` and `iat` are required, and a token from the future is refused (RFC 8725, RFC 9068 section 4).
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import type { Client, Issuer } from "./client.ts";
import type { Keys, KeySet } from "./keys.ts";
import type { RefusalReason } from "./refusal.ts";

/** What a verified token says. */
export type TokenFacts = {
  /** The issuer's name for the person (`sub`); stable, opaque. The identity where there is none. */
  readonly subject: string;
  /** Lower-case identity that is compared with the client's `identities`; `null` = the token names nobody. */
  readonly identity: string | null;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
};

export type TokenProblem = Extract<RefusalReason, `token_${string}`>;
export type Verification =
  | { readonly ok: true; readonly facts: TokenFacts }
  /** `detail`: a sentence for the log about a token whose signature is good, nothing else of it. */
  | { readonly ok: false; readonly reason: TokenProblem | "revoked" | "keys_unavailable"; readonly detail?: string };

/** Seconds that our clock and the issuer's may differ, for `exp`, `nbf` and `iat` alike. */
const clockToleranceSeconds = 30;

/** Asymmetric only: with a shared-secret algorithm a public key would be a signing key. Cloudflare documents RS256 alone. */
const algorithms: Readonly<Record<Issuer["kind"], readonly string[]>> = {
  "cloudflare-access": ["RS256"],
  oidc: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
  embedded: ["ES256"],
};

export async function verifyToken(
  token: string,
  client: Pick<Client, "issuer" | "audience">,
  keys: Keys,
  nowMs: number,
): Promise<Verification> {
  const { issuer } = client;
  const audiences = audiencesOf(client);
  // Asked here too, whoever calls: without an audience the library would take a token for anybody.
  if (audiences === null) return { ok: false, reason: "revoked" };
  const unsound = headerProblem(token, issuer);
  if (unsound !== null) return { ok: false, reason: unsound };
  const set = await keys.current();
  if (set === null) return { ok: false, reason: "keys_unavailable" };
  const first = await verifyWith(set, token, issuer, audiences, nowMs);
  if (first.ok || (first.reason !== "token_key_unknown" && first.reason !== "token_signature")) return first;
  // The issuer may have new keys, or another key under an old name.
  const newer = await keys.newerThan(set);
  return newer === null ? first : verifyWith(newer, token, issuer, audiences, nowMs);
}

async function verifyWith(
  { find }: KeySet,
  token: string,
  issuer: Issuer,
  audiences: readonly string[],
  nowMs: number,
): Promise<Verification> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, find, {
      algorithms: [...algorithms[issuer.kind]],
      issuer: issuer.issuer,
      audience: [...audiences],
      requiredClaims: ["exp", "iat"],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(nowMs),
    });
    if (isOtherKind(payload, protectedHeader.typ, issuer)) return { ok: false, reason: "token_type" };
    return judgeClaims(payload, issuer, nowMs);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    const detail = error instanceof errors.JWTClaimValidationFailed ? claimDetail(error, issuer, audiences) : null;
    return { ok: false, reason, ...(detail === null ? {} : { detail }) };
  }
}

/** The value, and for an origin its other spelling: `https://h` and `https://h/` are one resource, with a path every character counts (RFC 3986 section 6.2.3). */
function audiencesOf({ audience }: Pick<Client, "audience">): readonly string[] | null {
  // Fail closed also for a value that no configuration should let through.
  if (audience.kind !== "aud" || audience.value.trim() === "") return null;
  const origin = /^(https?:\/\/[^/?#]+)\/?$/.exec(audience.value)?.[1];
  return origin === undefined ? [audience.value] : [origin, `${origin}/`];
}

/** What can be told before any key is looked for. `kid` is required, so that a key is named and never tried out. */
function headerProblem(token: string, issuer: Issuer): TokenProblem | null {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return "token_malformed";
  try {
    const { alg, kid, typ } = decodeProtectedHeader(token);
    if (typeof alg !== "string" || !algorithms[issuer.kind].includes(alg)) return "token_algorithm";
    if (typeof kid !== "string" || kid === "") return "token_key_unknown";
    return isExpectedType(typ, issuer) ? null : "token_type";
  } catch {
    return "token_malformed";
  }
}

/** RFC 9068 says `at+jwt`; many issuers still say `JWT` or nothing. Our own server always says `at+jwt`. */
function isExpectedType(typ: unknown, issuer: Issuer): boolean {
  const type = mediaType(typ);
  if (issuer.kind === "embedded") return type === "at+jwt";
  return type === "jwt" || (issuer.kind === "oidc" && type === "at+jwt");
}

/** RFC 7515 section 4.1.9: case does not count, and `application/` may be left out. */
function mediaType(typ: unknown): string | null {
  if (typ === undefined) return "jwt";
  return typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : null;
}

/**
 * Whether this is another kind of token of the same issuer: an ID token, a refresh or a logout token, a team session. Some
 * issuers say what it is (`typ`: Keycloak, `token_use`: Cognito); of others only ID tokens carry hashes or a nonce.
 */
function isOtherKind(payload: JWTPayload, headerType: unknown, issuer: Issuer): boolean {
  if (issuer.kind === "cloudflare-access") return payload["type"] !== "app";
  if (mediaType(headerType) === "at+jwt") return false;
  const { typ, token_use: use } = payload;
  if (typ !== undefined && !(typeof typ === "string" && /^bearer$/i.test(typ))) return true;
  if (use !== undefined && use !== "access") return true;
  if (["at_hash", "c_hash", "s_hash", "events"].some((claim) => claim in payload)) return true;
  return "nonce" in payload && typ === undefined && use === undefined;
}

function judgeClaims(payload: JWTPayload, issuer: Issuer, nowMs: number): Verification {
  const { iat, exp, sub } = payload;
  if (typeof iat !== "number" || typeof exp !== "number") return { ok: false, reason: "token_claims" };
  if (iat > Math.floor(nowMs / 1000) + clockToleranceSeconds) return { ok: false, reason: "token_not_yet_valid" };
  const identity = identityOf(payload, issuer);
  const subject = typeof sub === "string" && sub !== "" ? sub : (identity ?? "");
  return { ok: true, facts: { subject, identity, scopes: scopesOf(payload), expiresAtMs: exp * 1000 } };
}

/** Scopes a token must carry, all of them. Access tokens of Cloudflare carry none. */
export function requiredScopes(issuer: Issuer): readonly string[] {
  if (issuer.kind === "oidc") return issuer.scopes;
  return issuer.kind === "embedded" ? ["mcp"] : [];
}

/** `scope` is a text in RFC 9068; `scp` is what other issuers write, as a text or a list. */
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
  const verified = payload["email_verified"];
  if (claim === "email" && verified !== undefined && verified !== true && verified !== "true") return null;
  return value.trim().toLowerCase();
}

/** Null = not a verdict on the token but a fault of ours. */
function reasonOf(error: unknown): TokenProblem | null {
  if (error instanceof errors.JWTExpired) return "token_expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "token_issuer";
    if (error.claim === "aud") return "token_audience";
    return error.claim === "nbf" && error.reason === "check_failed" ? "token_not_yet_valid" : "token_claims";
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return "token_signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "token_algorithm";
  // Two keys under one name: which one signed is anybody's guess, so neither counts.
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return "token_key_unknown";
  // TypeErrors are about the key the token named: too short, wrong curve, not importable.
  return error instanceof errors.JOSEError || error instanceof TypeError ? "token_malformed" : null;
}

/** Which setting to look at. jose reports claims only after the signature was found good, so these are the issuer's words. */
function claimDetail({ claim, payload }: errors.JWTClaimValidationFailed, issuer: Issuer, audiences: readonly string[]): string | null {
  if (claim === "aud") return `the token is for ${shown(payload.aud)}, this client's audience is ${shown(audiences[0])}`;
  if (claim === "iss") return `the token is from ${shown(payload.iss)}, this client's issuer is ${shown(issuer.issuer)}`;
  return `claim ${shown(claim)}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nobody").slice(0, 200);
}
