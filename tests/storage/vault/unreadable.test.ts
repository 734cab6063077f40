import { chmod, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault, Outcome } from "../../../storage/ports.ts";
import { firstBadByte } from "../../../storage/vault/decode-note.ts";
import { createRepository, type TestRepository } from "../../support/git-repository.ts";
import { found, listed, openAt, read, refusalOf, signal, valueOf, vaultOf } from "./opened-vault.ts";

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
const latin = Buffer.from("const x\ncaf\u00e9\n", "latin1");

function faultOf(outcome: Outcome<unknown>): Fault {
  if (outcome.ok) throw new Error("it was not refused");
  return outcome.fault;
}

async function objectFile(repository: TestRepository, name: string): Promise<string> {
  const id = await repository.git("rev-parse", name);
  const file = join(repository.gitDir, "objects", id.slice(0, 2), id.slice(2));
  await chmod(file, 0o644);
  return file;
}

describe("a note that is not UTF-8, a Git LFS pointer or over the index limit", () => {
  const files = { "a.md": "needle", "bad.md": latin, "big.md": "needle ".repeat(200), "lfs.md": pointer };
  const reasons = [
    { path: "bad.md", reason: "not_utf8", offset: 11 },
    { path: "big.md", reason: "over_index_limit" },
    { path: "lfs.md", reason: "lfs_pointer" },
  ];

  it("fails every list and search that would have left it out, and is named with its reason", async () => {
    const { vault } = await vaultOf(files, { indexLimitBytes: 1024 });
    for (let round = 0; round < 2; round += 1) {
      for (const outcome of [
        await vault.list({ limit: 5 }, signal),
        await vault.search({ query: "needle", scope: "title", limit: 5 }, signal),
      ]) {
        expect(faultOf(outcome)).toMatchObject({
          code: "UPSTREAM_UNAVAILABLE",
          details: { reason: "unreadable_notes", unreadable: reasons, unreadable_total: 3 },
        });
      }
    }
  });

  it("does not stand in the way of a call that it is no part of", async () => {
    const { vault } = await vaultOf({ "ok/a.md": "needle", "other/bad.md": latin });
    expect(await listed(vault, { prefix: "ok" })).toEqual(["ok/a.md"]);
    expect(await found(vault, "needle", { prefix: "ok" })).toEqual(["ok/a.md"]);
    expect((await read(vault, ["ok/a.md"])).notes).toHaveLength(1);
  });

  it("is listed in every reply instead where the operator chose so, and never served or searched", async () => {
    const { vault } = await vaultOf(files, { indexLimitBytes: 1024, unreadable: "report" });
    expect(valueOf(await vault.list({ limit: 5 }, signal))).toMatchObject({
      items: [{ path: "a.md" }],
      next_cursor: null,
      unreadable: reasons,
    });
    expect(valueOf(await vault.search({ query: "needle", scope: "all", limit: 5 }, signal))).toMatchObject({
      items: [{ path: "a.md" }],
      unreadable: reasons,
    });
    expect(valueOf(await vault.search({ query: "sha256", scope: "all", limit: 5 }, signal))).toMatchObject({
      items: [],
      unreadable: reasons,
    });
    expect(await read(vault, ["lfs.md", "a.md", "bad.md"])).toMatchObject({
      notes: [{ path: "a.md" }],
      unreadable: [reasons[2], reasons[0]],
    });
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.md`, Uint8Array.of(0xff)]));
    const crowded = valueOf(
      await (await vaultOf({ ...many, "good.md": "needle" }, { unreadable: "report" })).vault.list({ limit: 5 }, signal),
    );
    expect([crowded.items.length, crowded.unreadable?.length, crowded.unreadable_total]).toEqual([1, 50, 60]);
    const fine = await vaultOf({ "a.md": "x" }, { unreadable: "report" });
    expect(valueOf(await fine.vault.list({ limit: 5 }, signal)).unreadable).toEqual([]);
  });

  it("fails the read that names it with a code that says what to do", async () => {
    const { vault } = await vaultOf(files, { indexLimitBytes: 1024 });
    expect(faultOf(await vault.read({ paths: ["a.md", "bad.md"] }, signal))).toMatchObject({
      code: "INVALID_ARGUMENT",
      details: { offset: 11, unreadable: [reasons[0]] },
    });
    expect(faultOf(await vault.read({ paths: ["big.md"] }, signal))).toMatchObject({
      code: "RESPONSE_TOO_LARGE",
      details: { limit_bytes: 1024, unreadable: [reasons[1]] },
    });
    expect(faultOf(await vault.read({ paths: ["lfs.md"] }, signal))).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      details: { unreadable: [reasons[2]] },
    });
    expect(faultOf(await vault.read({ paths: ["bad.md"], range: { start: 0, end: 4 } }, signal)).code).toBe("INVALID_ARGUMENT");
  });

  it("is told from text that merely looks like it", async () => {
    const { vault } = await vaultOf(
      {
        "a.md": `${pointer}\n${"x".repeat(1024)}`,
        "b.md": "version https://git-lfs.github.com/spec/v1\nis how a pointer begins",
        "c.md": Buffer.alloc(1024, "y"),
        "d.md": "\u0000 \ufffd",
      },
      { indexLimitBytes: 1200 },
    );
    expect(await listed(vault)).toEqual(["a.md", "b.md", "c.md", "d.md"]);
  });
});

describe("the first bad byte", () => {
  it("is counted from 0, and is the one at which a strict decoder gives up", () => {
    expect(firstBadByte(Buffer.from([0xff]))).toBe(0);
    for (const [bad, at] of [
      [[0x61, 0xc0, 0x80], 1],
      [[0xe0, 0x80, 0x80], 0],
      [[0xed, 0xa0, 0x80], 0],
      [[0xf4, 0x90, 0x80, 0x80], 0],
      [[0x61, 0xe2, 0x82], 1],
      [[0xf0, 0x9f, 0xa6, 0x8a, 0x80], 4],
    ] as const) {
      expect(firstBadByte(Buffer.from(bad))).toBe(at);
    }
    const units = fc.oneof(
      fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0xed, 0xa0, 0xf4, 0x90, 0x80, 0xbf),
      fc.integer({ min: 0, max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(units, { maxLength: 12 }), (array) => {
        const bytes = Uint8Array.from(array);
        const at = firstBadByte(bytes);
        const decodes = (part: Uint8Array): boolean => {
          try {
            new TextDecoder("utf-8", { fatal: true }).decode(part);
            return true;
          } catch {
            return false;
          }
        };
        expect(decodes(bytes.subarray(0, at))).toBe(true);
        expect(decodes(bytes)).toBe(at === bytes.length);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("a repository with broken or missing objects", () => {
  it("names the notes it lost instead of finding less, and finds them again once they are restored", async () => {
    const { vault, repository, commit } = await vaultOf({ "a.md": "needle one", "b.md": "needle two", "c.md": "needle three" });
    const file = await objectFile(repository, "main:b.md");
    await rm(file);
    const lost = [{ path: "b.md", reason: "object_missing" }];
    expect(faultOf(await vault.search({ query: "needle", scope: "all", limit: 5 }, signal)).details).toMatchObject({ unreadable: lost });
    expect(faultOf(await vault.read({ paths: ["a.md", "b.md"] }, signal))).toMatchObject({
      code: "UPSTREAM_UNAVAILABLE",
      details: { unreadable: lost },
    });
    expect((await read(vault, ["a.md"])).commit).toBe(commit);
    await repository.commit({ "b.md": "needle two" }, "restored");
    expect(await found(vault, "needle")).toEqual(["a.md", "b.md", "c.md"]);
  });

  it("names corrupt objects, and goes on with the others over the same processes", async () => {
    const text = (word: string): string => Array.from({ length: 4000 }, (_, index) => `${word} ${index * 7919}`).join("\n");
    const { vault, repository } = await vaultOf(
      { "a.md": "fine", "b.md": text("cut"), "c.md": text("cut too"), "d.md": "garbage", "e.md": "fine" },
      { unreadable: "report" },
    );
    await truncate(await objectFile(repository, "main:b.md"), 3000);
    await truncate(await objectFile(repository, "main:c.md"), 3000);
    await writeFile(await objectFile(repository, "main:d.md"), "not zlib");
    const broken = [
      { path: "b.md", reason: "object_corrupt" },
      { path: "c.md", reason: "object_corrupt" },
      { path: "d.md", reason: "object_missing" },
    ];
    for (let round = 0; round < 3; round += 1) {
      const [list, hits] = await Promise.all([
        vault.list({ limit: 5 }, signal),
        vault.search({ query: "fine", scope: "all", limit: 5 }, signal),
      ]);
      expect(valueOf(list)).toMatchObject({ items: [{ path: "a.md" }, { path: "e.md" }], unreadable: broken });
      expect(valueOf(hits)).toMatchObject({ items: [{ path: "a.md" }, { path: "e.md" }], unreadable: broken });
    }
    expect(refusalOf(await (await openAt(repository.path)).list({ limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE unreadable_notes");
  });

  it("without its newest commit or its tree is unavailable, not empty", async () => {
    const repository = await createRepository();
    const first = await repository.commit({ "a.md": "1" });
    await repository.commit({ "a.md": "2" });
    await rm(await objectFile(repository, "main^{tree}"));
    const vault = await openAt(repository.path);
    expect(refusalOf(await vault.list({ limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE git_failed");
    expect((await read(vault, ["a.md"], { commit: first })).notes[0]?.content).toBe("1");
    await rm(await objectFile(repository, "main"));
    const after = await openAt(repository.path);
    expect(refusalOf(await after.search({ query: "x", scope: "all", limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE tip_unreadable");
  });
});
