import { describe, expect, it } from "vitest";
import { breathe, eachOf, untilAborted } from "../../../storage/vault/work.ts";

describe("long work", () => {
  it("lets a timer have its turn when it breathes", async () => {
    let fired = false;
    const timer = setTimeout(() => {
      fired = true;
    }, 1);
    for (let turn = 0; turn < 100_000 && !fired; turn += 1) await breathe();
    clearTimeout(timer);
    expect(fired).toBe(true);
  });

  it("visits every item once with so many at a time, and stops early when told", async () => {
    const seen: number[] = [];
    let present = 0;
    let most = 0;
    await eachOf([...Array(50).keys()], 4, new AbortController().signal, async (item) => {
      present += 1;
      most = Math.max(most, present);
      await Promise.resolve();
      present -= 1;
      seen.push(item);
      return true;
    });
    expect(seen.toSorted((left, right) => left - right)).toEqual([...Array(50).keys()]);
    expect(most).toBe(4);
    let visits = 0;
    await eachOf([...Array(50).keys()], 2, new AbortController().signal, async () => {
      visits += 1;
      return visits < 5;
    });
    expect(visits).toBeLessThan(8);
  });

  it("ends for one waiter without touching what the others wait for", async () => {
    const leaving = new AbortController();
    const shared = new Promise<string>((resolve) => {
      setImmediate(() => resolve("done"));
    });
    const left = untilAborted(shared, leaving.signal);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    expect(await untilAborted(shared, new AbortController().signal)).toBe("done");
    expect(() => untilAborted(shared, AbortSignal.abort(new Error("gone")))).toThrow("gone");
  });
});
