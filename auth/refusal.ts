/** Every way the gate says no, with its status. Reasons go to the log and to metrics; the caller sees a constant text. */
import type { Client } from "./client.ts";

/** HTTP status per reason; `bearer` = 401 with a challenge for clients that present a bearer, 403 behind Cloudflare Access. */
export const refusalStatus = {
  // 0: the form of the request
  bad_target: 400,
  token_in_query: 400,
  repeated_host: 400,
  repeated_authorization: 400,
  // 1, 2
  unknown_host: 421,
  origin_not_allowed: 403,
  // 3
  caller_address_unreadable: 403,
  outside_egress: 403,
  // 4
  revoked: 403,
  // 5
  credential_missing: "bearer",
  // 6
  token_too_long: "bearer",
  too_many_failures: 429,
  keys_unavailable: 503,
  token_malformed: "bearer",
  token_algorithm: "bearer",
  token_type: "bearer",
  token_key_unknown: "bearer",
  token_signature: "bearer",
  token_issuer: "bearer",
  token_audience: "bearer",
  token_expired: "bearer",
  token_not_yet_valid: "bearer",
  token_claims: "bearer",
  // 7
  identity_missing: 403,
  identity_not_allowed: 403,
  scope_missing: 403,
} as const;

export type RefusalReason = keyof typeof refusalStatus;

export type Refusal = {
  readonly kind: "refusal";
  readonly reason: RefusalReason;
  /** Absent when no host matched. */
  readonly client?: Client;
  readonly host?: string;
  /** Who called, as far as that was established before the refusal. */
  readonly callerAddress?: string;
  /** The allowed Origin to answer to, as in every other answer to it; else null. */
  readonly origin: string | null;
  /** With 429 and 503 only. */
  readonly retryAfterSeconds?: number;
  /** One sentence with the particulars, for the log alone; never holds a credential or a part of one. */
  readonly detail?: string;
};

export function statusOf({ reason, client }: Pick<Refusal, "reason" | "client">): number {
  const status = refusalStatus[reason];
  if (status !== "bearer") return status;
  return client?.issuer.kind === "cloudflare-access" ? 403 : 401;
}
