/** What every backend of `SecretStore` must do. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Now, SecretPurpose, SecretStore } from "../../storage/ports.ts";

const dayMs = 86_400_000;

/** Two handles on one store, as two processes have them. */
export type OpenedSecrets = { readonly secrets: SecretStore; readonly other: SecretStore; close(): Promise<void> };

export function secretStoreContract(name: string, open: (now: Now) => Promise<OpenedSecrets>): void {
  describe(`secrets in ${name}`, () => {
    let nowMs = 0;
    let opened: OpenedSecrets;
    const ids = async (purpose: SecretPurpose) => (await opened.secrets.list(purpose)).map(({ id }) => id);

    beforeEach(async () => {
      nowMs = Date.UTC(2026, 0, 1);
      opened = await open(() => nowMs);
    });
    afterEach(() => opened.close());

    it.each(["cursor", "request-state", "cookie"] as const)("makes 32 random bytes for %s on first use and keeps them", async (purpose) => {
      const [secret, ...others] = await opened.secrets.list(purpose);
      expect(others).toEqual([]);
      expect(Buffer.from(secret?.value ?? "", "base64url")).toHaveLength(32);
      expect(secret?.createdAtMs).toBe(nowMs);
      expect(await opened.other.list(purpose)).toEqual([secret]);
    });

    it("makes a private P-256 JWK whose kid is the id of the secret for token-signing", async () => {
      const [secret] = await opened.secrets.list("token-signing");
      expect(JSON.parse(secret?.value ?? "")).toMatchObject({
        kty: "EC",
        crv: "P-256",
        alg: "ES256",
        use: "sig",
        kid: secret?.id,
        d: expect.any(String),
      });
    });

    it("keeps the purposes apart", async () => {
      const values = await Promise.all(
        (["cursor", "request-state", "cookie", "token-signing"] as const).map((purpose) => opened.secrets.list(purpose)),
      );
      expect(new Set(values.flat().map(({ value }) => value)).size).toBe(4);
    });

    it("makes one secret and not two when two processes start at once", async () => {
      const lists = await Promise.all([
        opened.secrets.list("cursor"),
        opened.other.list("cursor"),
        opened.secrets.list("cursor"),
        opened.other.list("cursor"),
      ]);
      expect(new Set(lists.map((list) => list.map(({ id }) => id).join())).size).toBe(1);
    });

    it.each([
      ["cursor", 30, 7],
      ["request-state", 30, 7],
      ["token-signing", 90, 1],
      ["cookie", 30, 14],
    ] as const)("replaces %s after %d days and accepts the old one %d more", async (purpose, rotateDays, overlapDays) => {
      const [first] = await ids(purpose);
      nowMs += rotateDays * dayMs - 1;
      expect(await ids(purpose)).toEqual([first]);
      nowMs += 1;
      const [second, ...older] = await ids(purpose);
      expect(second).not.toBe(first);
      expect(older).toEqual([first]);
      nowMs += overlapDays * dayMs - 1;
      expect(await ids(purpose)).toEqual([second, first]);
      nowMs += 1;
      expect(await ids(purpose)).toEqual([second]);
    });

    it("gives the old one its full overlap when the deployment was off for a year", async () => {
      const [first] = await ids("cursor");
      nowMs += 365 * dayMs;
      expect((await ids("cursor"))[1]).toBe(first);
      nowMs += 7 * dayMs;
      expect(await ids("cursor")).not.toContain(first);
    });
  });
}
