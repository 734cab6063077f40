/** How the sealer lives with the rotation of its keys. */
import { describe, expect, it } from "vitest";
import { openSealer } from "../../../storage/backends/sealer.ts";
import type { Secret, SecretPurpose } from "../../../storage/ports.ts";

const minuteMs = 60_000;
const secret = (id: string, createdAtMs: number): Secret => ({ id, value: Buffer.alloc(32, id).toString("base64url"), createdAtMs });

/** A store whose answer the test sets. */
function listed(initial: readonly Secret[]) {
  let secrets = initial;
  return {
    store: { list: async (purpose: SecretPurpose) => secrets.map((each) => ({ ...each, id: `${each.id}-${purpose}` })) },
    set: (next: readonly Secret[]) => {
      secrets = next;
    },
  };
}

describe("the sealer and its keys", () => {
  it("seals with a new key only when every process has had time to load it", async () => {
    let nowMs = 100 * minuteMs;
    const { store, set } = listed([secret("old", 0)]);
    const sealer = await openSealer({ secrets: store, now: () => nowMs });
    const slow = await openSealer({ secrets: store, now: () => nowMs });
    set([secret("new", nowMs), secret("old", 0)]);
    await sealer.refresh();
    nowMs += 9 * minuteMs;
    const early = sealer.seal("cursor", "x");
    expect(early.startsWith("old-")).toBe(true);
    expect(slow.open("cursor", early)).toBe("x");
    nowMs += 1 * minuteMs;
    expect(sealer.seal("cursor", "x").startsWith("new-")).toBe(true);
    await slow.refresh();
    expect(slow.open("cursor", sealer.seal("cursor", "y"))).toBe("y");
  });

  it("opens with an old key until the store has dropped it", async () => {
    const { store, set } = listed([secret("old", 0)]);
    const sealer = await openSealer({ secrets: store, now: () => 100 * minuteMs });
    const sealed = sealer.seal("cursor", "x");
    set([secret("new", 50 * minuteMs), secret("old", 0)]);
    await sealer.refresh();
    expect(sealer.open("cursor", sealed)).toBe("x");
    set([secret("new", 50 * minuteMs)]);
    await sealer.refresh();
    expect(sealer.open("cursor", sealed)).toBeNull();
  });

  it("works from the first moment of the first start", async () => {
    const sealer = await openSealer({ secrets: listed([secret("first", 5)]).store, now: () => 5 });
    expect(sealer.open("cursor", sealer.seal("cursor", "x"))).toBe("x");
  });

  it("keeps its keys when they cannot be loaded again", async () => {
    let broken = false;
    const sealer = await openSealer({
      secrets: { list: async () => (broken ? Promise.reject(new Error("disk")) : [secret("only", 0)]) },
      now: () => 0,
    });
    const sealed = sealer.seal("cursor", "x");
    broken = true;
    await expect(sealer.refresh()).rejects.toThrow("disk");
    expect(sealer.open("cursor", sealed)).toBe("x");
  });

  it("never seals two texts into the same bytes twice", async () => {
    const sealer = await openSealer({ secrets: listed([secret("only", 0)]).store, now: () => 0 });
    expect(new Set(Array.from({ length: 100 }, () => sealer.seal("cursor", "same"))).size).toBe(100);
  });
});
