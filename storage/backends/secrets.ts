/** The deployment's keys: made on first use, replaced by age, kept a while longer for what they already sealed or signed. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Now, Secret, SecretPurpose, SecretStore } from "../ports.ts";
import type { Database } from "./tables.ts";

const dayMs = 86_400_000;

/**
 * `rotateAfterMs`: a key of that age gets a successor. `overlapMs`: how long it is still accepted after the successor was made;
 * at least the longest life of what it protects (a cookie lives 14 days, a bearer at most 1 day).
 */
const rotation: Readonly<Record<SecretPurpose, { readonly rotateAfterMs: number; readonly overlapMs: number }>> = {
  cursor: { rotateAfterMs: 30 * dayMs, overlapMs: 7 * dayMs },
  "request-state": { rotateAfterMs: 30 * dayMs, overlapMs: 7 * dayMs },
  "token-signing": { rotateAfterMs: 90 * dayMs, overlapMs: dayMs },
  cookie: { rotateAfterMs: 30 * dayMs, overlapMs: 14 * dayMs },
};

/** Rotation happens inside `list`: nothing has to run in the background, and a deployment that was off for a year catches up by itself. */
export function secretStore({ database: { db, exclusively }, now }: { readonly database: Database; readonly now: Now }): SecretStore {
  return {
    async list(purpose) {
      const read = (source: Pick<typeof db, "selectFrom">) =>
        source
          .selectFrom("secrets")
          .select(["id", "value", "created_at_ms as createdAtMs"])
          .where("purpose", "=", purpose)
          .orderBy("created_at_ms", "desc")
          .orderBy("id")
          .execute();
      const plan = planFor(purpose, await read(db), now());
      if (!plan.due) return plan.keep;
      // Decided again under the lock: another process may have done it in between.
      return exclusively(async (transaction) => {
        const { makeNew, keep, drop } = planFor(purpose, await read(transaction), now());
        if (drop.length > 0) await transaction.deleteFrom("secrets").where("purpose", "=", purpose).where("id", "in", drop).execute();
        if (!makeNew) return keep;
        const made = makeSecret(purpose, now());
        await transaction
          .insertInto("secrets")
          .values({ purpose, id: made.id, value: made.value, created_at_ms: made.createdAtMs })
          .execute();
        return [made, ...keep];
      });
    },
  };
}

type Plan = { readonly due: boolean; readonly makeNew: boolean; readonly keep: readonly Secret[]; readonly drop: readonly string[] };

/** `stored` newest first. A key is dropped when its successor, the next newer one, is older than the overlap. */
function planFor(purpose: SecretPurpose, stored: readonly Secret[], nowMs: number): Plan {
  const { rotateAfterMs, overlapMs } = rotation[purpose];
  const [newest] = stored;
  const makeNew = newest === undefined || nowMs - newest.createdAtMs >= rotateAfterMs;
  const keep: Secret[] = [];
  const drop: string[] = [];
  for (const [index, secret] of stored.entries()) {
    const successor = stored[index - 1];
    if (successor !== undefined && nowMs - successor.createdAtMs >= overlapMs) drop.push(secret.id);
    else keep.push(secret);
  }
  return { due: makeNew || drop.length > 0, makeNew, keep, drop };
}

function makeSecret(purpose: SecretPurpose, createdAtMs: number): Secret {
  const id = randomBytes(9).toString("base64url");
  if (purpose !== "token-signing") return { id, value: randomBytes(32).toString("base64url"), createdAtMs };
  const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  return { id, value: JSON.stringify({ ...jwk, kid: id, alg: "ES256", use: "sig" }), createdAtMs };
}
