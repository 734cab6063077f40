/** Records of the built-in authorization server in the database: any model, one row each. */
import type { Now, OAuthRecord, OAuthRecords } from "../ports.ts";
import type { Database } from "./tables.ts";

/** Expired rows are invisible at once and deleted at most this often. */
const sweepEveryMs = 60_000;

/**
 * `put` replaces payload and expiry and keeps an earlier mark of use. `payload.uid` and `payload.grantId` are what
 * `getByUid` and `removeByGrant` look for. `removeByGrant` takes every record that names the grant, and the grant itself.
 */
export function oauthRecords({ database: { db }, now }: { readonly database: Database; readonly now: Now }): OAuthRecords {
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  async function sweep(): Promise<void> {
    const nowMs = now();
    if (nowMs - sweptAtMs < sweepEveryMs) return;
    sweptAtMs = nowMs;
    await db.deleteFrom("oauth_records").where("expires_at_ms", "<=", nowMs).execute();
  }

  const living = () =>
    db
      .selectFrom("oauth_records")
      .select(["payload", "consumed_at_ms"])
      .where((row) => row.or([row("expires_at_ms", "is", null), row("expires_at_ms", ">", now())]));

  return {
    async put(model, id, payload, expiresAtMs) {
      await sweep();
      const content = {
        payload: JSON.stringify(payload),
        uid: textOf(payload["uid"]),
        grant_id: textOf(payload["grantId"]),
        expires_at_ms: expiresAtMs,
      };
      await db
        .insertInto("oauth_records")
        .values({ model, id, ...content, consumed_at_ms: null })
        .onConflict((conflict) => conflict.columns(["model", "id"]).doUpdateSet(content))
        .execute();
    },
    async get(model, id) {
      return recordOf(await living().where("model", "=", model).where("id", "=", id).executeTakeFirst());
    },
    async getByUid(model, uid) {
      return recordOf(await living().where("model", "=", model).where("uid", "=", uid).executeTakeFirst());
    },
    async consume(model, id, atMs) {
      await db
        .updateTable("oauth_records")
        .set({ consumed_at_ms: atMs })
        .where("model", "=", model)
        .where("id", "=", id)
        .where("consumed_at_ms", "is", null)
        .execute();
    },
    async remove(model, id) {
      await db.deleteFrom("oauth_records").where("model", "=", model).where("id", "=", id).execute();
    },
    async removeByGrant(grantId) {
      await db
        .deleteFrom("oauth_records")
        .where((row) => row.or([row("grant_id", "=", grantId), row.and([row("model", "=", "Grant"), row("id", "=", grantId)])]))
        .execute();
    },
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function recordOf(row: { readonly payload: string; readonly consumed_at_ms: number | null } | undefined): OAuthRecord | null {
  if (row === undefined) return null;
  const payload: unknown = JSON.parse(row.payload);
  if (typeof payload !== "object" || payload === null) throw new Error("an OAuth record holds no JSON object");
  return { payload: { ...payload }, consumedAtMs: row.consumed_at_ms };
}
