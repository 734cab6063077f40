/** What every backend of `OAuthRecords` must do. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Now, OAuthRecords } from "../../storage/ports.ts";

/** Two handles on one store, as two processes have them. */
export type OpenedRecords = { readonly records: OAuthRecords; readonly other: OAuthRecords; close(): Promise<void> };

export function oauthRecordsContract(name: string, open: (now: Now) => Promise<OpenedRecords>): void {
  describe(`OAuth records in ${name}`, () => {
    let nowMs = 0;
    let opened: OpenedRecords;

    beforeEach(async () => {
      nowMs = Date.UTC(2026, 0, 1);
      opened = await open(() => nowMs);
    });
    afterEach(() => opened.close());

    it("gives back what was put, Korean text and nesting included", async () => {
      const payload = { clientName: "노트 앱 '); drop table", list: [1, null, { deep: true }], __proto__key: "x" };
      await opened.records.put("Client", "a", payload, null);
      expect(await opened.other.get("Client", "a")).toEqual({ payload, consumedAtMs: null });
    });

    it("knows nothing of an id under another model", async () => {
      await opened.records.put("Session", "a", {}, null);
      expect(await opened.records.get("Client", "a")).toBeNull();
      expect(await opened.records.get("Session", "A")).toBeNull();
    });

    it("replaces payload, uid, grant and expiry on a second put", async () => {
      await opened.records.put("Session", "a", { uid: "u1", grantId: "g1", n: 1 }, nowMs + 1_000);
      await opened.records.put("Session", "a", { uid: "u2", n: 2 }, nowMs + 9_000);
      expect(await opened.records.getByUid("Session", "u1")).toBeNull();
      expect((await opened.records.getByUid("Session", "u2"))?.payload["n"]).toBe(2);
      await opened.records.removeByGrant("g1");
      nowMs += 5_000;
      expect(await opened.records.get("Session", "a")).not.toBeNull();
    });

    it("keeps the first time of use, also through a later put", async () => {
      await opened.records.put("RefreshToken", "r", { n: 1 }, null);
      await opened.records.consume("RefreshToken", "r", nowMs);
      await opened.other.consume("RefreshToken", "r", nowMs + 500);
      await opened.records.put("RefreshToken", "r", { n: 2 }, null);
      expect(await opened.records.get("RefreshToken", "r")).toEqual({ payload: { n: 2 }, consumedAtMs: nowMs });
    });

    it("does not make a record by consuming one that is not there", async () => {
      await opened.records.consume("RefreshToken", "none", nowMs);
      expect(await opened.records.get("RefreshToken", "none")).toBeNull();
    });

    it("hides a record from the millisecond it expires, by id and by uid", async () => {
      await opened.records.put("Interaction", "a", { uid: "u" }, nowMs + 1_000);
      nowMs += 999;
      expect(await opened.records.get("Interaction", "a")).not.toBeNull();
      nowMs += 1;
      expect(await opened.records.get("Interaction", "a")).toBeNull();
      expect(await opened.records.getByUid("Interaction", "u")).toBeNull();
    });

    it("deletes what has expired when it writes, and nothing else", async () => {
      await opened.records.put("Interaction", "short", {}, nowMs + 1_000);
      await opened.records.put("Interaction", "long", {}, nowMs + 1_000_000);
      await opened.records.put("Client", "forever", {}, null);
      nowMs += 120_000;
      await opened.records.put("Client", "new", {}, null);
      nowMs -= 120_000;
      expect(await opened.records.get("Interaction", "short")).toBeNull();
      expect(await opened.records.get("Interaction", "long")).not.toBeNull();
      expect(await opened.records.get("Client", "forever")).not.toBeNull();
    });

    it("removes one record, and everything of one grant with the grant itself", async () => {
      await opened.records.put("Grant", "g", { clientId: "c" }, null);
      await opened.records.put("Grant", "h", { clientId: "c" }, null);
      await opened.records.put("RefreshToken", "r1", { grantId: "g" }, null);
      await opened.records.put("AuthorizationCode", "c1", { grantId: "g" }, null);
      await opened.records.put("RefreshToken", "r2", { grantId: "h" }, null);
      await opened.records.removeByGrant("g");
      for (const [model, id, stays] of [
        ["Grant", "g", false],
        ["RefreshToken", "r1", false],
        ["AuthorizationCode", "c1", false],
        ["Grant", "h", true],
        ["RefreshToken", "r2", true],
      ] as const) {
        expect([model, id, (await opened.other.get(model, id)) !== null]).toEqual([model, id, stays]);
      }
      await opened.records.remove("RefreshToken", "r2");
      expect(await opened.other.get("RefreshToken", "r2")).toBeNull();
    });

    it("loses nothing when two handles write at once", async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `id${index}`);
      await Promise.all(ids.map((id, index) => (index % 2 === 0 ? opened.records : opened.other).put("Client", id, { id }, null)));
      for (const id of ids) expect((await opened.records.get("Client", id))?.payload["id"]).toBe(id);
    });
  });
}
