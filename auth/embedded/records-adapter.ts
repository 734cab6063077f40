/** oidc-provider's storage on `OAuthRecords`. */
import { createHash } from "node:crypto";
import type { Adapter } from "oidc-provider";
import type { Now, OAuthRecord, OAuthRecords } from "../../storage/ports.ts";

/**
 * How long a refresh token may be used again after its first use. Hosted apps refresh from several places at once
 * (bursts of 33 to 76 s were seen); without this the second one loses the login. After it, reuse ends the whole grant.
 */
const refreshGraceMs = 60_000;

/** An app that registered and was never let in is forgotten after this long. */
const unusedClientMs = 30 * 86_400_000;

/** Models whose id is not a secret but is looked for elsewhere: a client's id, and a grant's in `removeByGrant`. */
const openIds: ReadonlySet<string> = new Set(["Client", "Grant"]);

/** Codes, refresh tokens and session cookies are stored under their hash: who reads the database cannot use them. */
function recordId(model: string, id: string): string {
  return openIds.has(model) ? id : createHash("sha256").update(id).digest("base64url");
}

export function recordsAdapter({ records, now }: { readonly records: OAuthRecords; readonly now: Now }): (model: string) => Adapter {
  return (model) => {
    function restore(record: OAuthRecord | null, id?: string): Record<string, unknown> | undefined {
      if (record === null) return undefined;
      const { payload, consumedAtMs } = record;
      const forgiven = model === "RefreshToken" && consumedAtMs !== null && now() - consumedAtMs < refreshGraceMs;
      return {
        ...payload,
        ...(id === undefined || model === "Client" ? {} : { jti: id }),
        ...(consumedAtMs === null || forgiven ? {} : { consumed: Math.floor(consumedAtMs / 1_000) }),
      };
    }
    return {
      async upsert(id, payload, expiresInSeconds) {
        // The id is never written in clear; `consumed` has its own place and is kept there.
        const { jti: _id, consumed: _used, session, ...rest } = payload;
        // An open page remembers who opened it, the session's cookie among it, which nothing reads again.
        const kept = session === undefined ? rest : { ...rest, session: { ...session, cookie: undefined } };
        const livesMs = model === "Client" ? unusedClientMs : (expiresInSeconds ?? 0) * 1_000;
        await records.put(model, recordId(model, id), kept, livesMs === 0 ? null : now() + livesMs);
      },
      async find(id) {
        return restore(await records.get(model, recordId(model, id)), id);
      },
      async findByUid(uid) {
        return restore(await records.getByUid(model, uid));
      },
      async findByUserCode() {
        return undefined;
      },
      async consume(id) {
        await records.consume(model, recordId(model, id), now());
      },
      async destroy(id) {
        await records.remove(model, recordId(model, id));
      },
      async revokeByGrantId(grantId) {
        await records.removeByGrant(grantId);
      },
    };
  };
}
