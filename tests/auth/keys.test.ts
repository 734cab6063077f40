import { describe, expect, it } from "vitest";
import { createKeys, type Keys, type LoadedKeys } from "../../auth/keys.ts";
import { newSigner } from "./scene.ts";

const first = (await newSigner("ES256", "one")).jwk;
const second = (await newSigner("ES256", "two")).jwk;
const seconds = (count: number): number => count * 1000;
const minutes = (count: number): number => count * 60_000;
const hours = (count: number): number => count * 3_600_000;

type Source = {
  readonly keys: Keys;
  readonly pass: (ms: number) => void;
  readonly fetches: () => number;
  /** What the source says from now on; a promise holds every attempt up until it settles. */
  says: LoadedKeys | Promise<LoadedKeys>;
};

function open(says: LoadedKeys | Promise<LoadedKeys> = { ok: true, keys: [first] }): Source {
  let nowMs = 1_000_000;
  let fetches = 0;
  const source: { says: LoadedKeys | Promise<LoadedKeys> } = { says };
  const load = async (): Promise<LoadedKeys> => {
    fetches += 1;
    return source.says;
  };
  const keys = createKeys({ load, now: () => nowMs, random: () => 0 });
  return Object.assign(source, { keys, pass: (ms: number) => void (nowMs += ms), fetches: () => fetches });
}
const down: LoadedKeys = { ok: false, reason: "unreachable" };

describe("the keys of an issuer", () => {
  it("are fetched on first use, once however many wait", async () => {
    const { keys, fetches } = open();
    expect([keys.version(), fetches()]).toEqual([0, 0]);
    const sets = await Promise.all(Array.from({ length: 50 }, () => keys.current()));
    expect(new Set(sets).size).toBe(1);
    expect([sets[0]?.version, fetches()]).toEqual([1, 1]);
  });

  it("are refreshed in the background: nobody waits while there are keys at hand", async () => {
    const source = open();
    const before = await source.keys.current();
    source.says = new Promise(() => undefined);
    source.pass(minutes(10));
    expect(await source.keys.current()).toBe(before);
    expect(await source.keys.current()).toBe(before);
    expect(source.fetches()).toBe(2);
  });

  it("keep their version, and with it every verified token, when a refresh brings the same ones", async () => {
    const source = open();
    await source.keys.current();
    source.pass(minutes(10));
    await source.keys.current();
    await Promise.resolve();
    expect([source.fetches(), source.keys.version()]).toEqual([2, 1]);
  });

  it("serve on for 24 hours while the source is down, and not a moment longer", async () => {
    const source = open();
    await source.keys.current();
    source.says = down;
    source.pass(hours(24) - 1);
    expect(await source.keys.current()).not.toBeNull();
    expect(source.keys.health()).toMatchObject({ ok: true, ageSeconds: 86_400 });
    source.pass(minutes(6));
    expect(await source.keys.current()).toBeNull();
    expect(source.keys.health()).toMatchObject({ ok: false, reason: "unreachable" });
  });

  it("that never came are asked for again after 30 s, then ever more slowly, at most every 5 minutes", async () => {
    const source = open(down);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      expect(await source.keys.current()).toBeNull();
      const fetched = source.fetches();
      waits.push(source.keys.retryAfterSeconds());
      source.pass(seconds(source.keys.retryAfterSeconds()) - 1);
      expect(await source.keys.current()).toBeNull();
      expect(source.fetches()).toBe(fetched);
      source.pass(1);
    }
    expect(waits).toEqual([30, 60, 120, 240, 300, 300, 300]);
    source.says = { ok: true, keys: [first] };
    expect((await source.keys.current())?.version).toBe(1);
  });

  it.each([
    ["an empty set", { ok: true, keys: [] } as const],
    ["a failure", down],
  ])("are not replaced by %s", async (_what, says) => {
    const source = open();
    await source.keys.current();
    source.says = says;
    source.pass(minutes(10));
    await source.keys.current();
    await Promise.resolve();
    expect(await source.keys.current()).not.toBeNull();
  });

  it("survive a source that throws", async () => {
    const source = open(Promise.reject(new Error("https://secret.example")));
    expect(await source.keys.current()).toBeNull();
    expect(source.keys.health()).toEqual({ ageSeconds: null, ok: false, reason: "unreachable" });
  });

  it("are fetched anew when an attempt was given up by its runtime", async () => {
    const source = open(new Promise(() => undefined));
    void source.keys.current();
    source.pass(seconds(30));
    source.says = { ok: true, keys: [first] };
    expect(await source.keys.current()).not.toBeNull();
  });
});

describe("after a failure that other keys might cure", () => {
  it("at most one fetch is made in 30 s, however many tokens provoke it", async () => {
    const source = open();
    const seen = await source.keys.current();
    if (seen === null) throw new Error("no keys");
    for (let token = 0; token < 100; token += 1) expect(await source.keys.newerThan(seen)).toBeNull();
    expect(source.fetches()).toBe(1);
    source.pass(seconds(30));
    await Promise.all(Array.from({ length: 100 }, () => source.keys.newerThan(seen)));
    expect(source.fetches()).toBe(2);
    source.pass(seconds(30) - 1);
    await source.keys.newerThan(seen);
    expect(source.fetches()).toBe(2);
  });

  it("a rotation is noticed, and whoever failed in the meantime profits without a fetch of its own", async () => {
    const source = open();
    const seen = await source.keys.current();
    if (seen === null) throw new Error("no keys");
    source.says = { ok: true, keys: [first, second] };
    source.pass(seconds(30));
    expect((await source.keys.newerThan(seen))?.version).toBe(2);
    expect((await source.keys.newerThan(seen))?.version).toBe(2);
    expect(source.fetches()).toBe(2);
  });

  it("the back-off counts while the source is down", async () => {
    const source = open();
    const seen = await source.keys.current();
    if (seen === null) throw new Error("no keys");
    source.says = down;
    for (const [wait, fetches] of [
      [30, 2],
      [30, 3],
      [30, 3],
      [30, 4],
    ] as const) {
      source.pass(seconds(wait));
      await source.keys.newerThan(seen);
      expect(source.fetches()).toBe(fetches);
    }
  });
});
