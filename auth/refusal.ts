/** Every way the gate says no, with its status. Reasons go to the log and to metrics; the caller sees a constant text. */
import type { Client } from "./client.ts";

/** HTTP status per reason; `bearer` = 401 with a challenge for clients that present a bearer, 403 behind Cloudflare Access. */
export const refusalStatus = {
  bad_target: 400,
  token_in_query: 400,
  repeated_authorization: 400,
  repeated_host: 400,
  unknown_host: 421,
  origin_not_allowed: 403,
  caller_address_unreadable: 403,
  outside_egress: 403,
  revoked: 403,
  credential_missing: "bearer",
  token_too_long: "bearer",
  token_malformed: "bearer",
  token_algorithm: "bearer",
  token_key_unknown: "bearer",
  token_signature: "bearer",
  token_issuer: "bearer",
  token_audience: "bearer",
  token_expired: "bearer",
  token_not_yet_valid: "bearer",
  token_type: "bearer",
  token_claims: "bearer",
  scope_missing: 403,
  identity_missing: 403,
  identity_not_allowed: 403,
  too_many_failures: 429,
  keys_unavailable: 503,
} as const;

export type RefusalReason = keyof typeof refusalStatus;

export type Refusal = {
  readonly kind: "refusal";
  readonly reason: RefusalReason;
  /** Absent when no host matched. */
  readonly client?: Client;
  readonly host?: string;
  /** The allowed Origin to answer to, else null. */
  readonly origin: string | null;
  readonly retryAfterSeconds?: number;
  /** For the log alone; never holds a credential. */
  readonly detail?: string;
};

export function statusOf({ reason, client }: Pick<Refusal, "reason" | "client">): number {
  const status = refusalStatus[reason];
  if (status !== "bearer") return status;
  return client?.issuer.kind === "cloudflare-access" ? 403 : 401;
}
