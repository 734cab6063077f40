import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutBytes } from "../../../storage/vault/byte-range.ts";
import { createRepository } from "../../support/git-repository.ts";
import { listed, openAt, read, refusalOf, search, signal, valueOf, vaultOf } from "./opened-vault.ts";

const link = "120000 is the mode";

describe("reading", () => {
  it("returns every byte of the notes, in the order asked, with their facts, at one commit", async () => {
    const body = `---\ntype: source\nstatus: unadopted\nverified: true\n---\r\n본문 ${"🦊".repeat(2000)}\u0000\u2028끝`;
    const { vault, commit } = await vaultOf({ "b.md": body, "a.md": "a\n" });
    expect(await read(vault, ["b.md", "a.md"])).toEqual({
      commit,
      notes: [
        { path: "b.md", content: body, type: "source", status: "unadopted", verified: true, links: [] },
        { path: "a.md", content: "a\n", type: null, status: null, verified: null, links: [] },
      ],
    });
  });

  it("of a symbolic link, a submodule, or anything behind one is refused by the mode in the tree, and neither is listed or searched", async () => {
    const { vault } = await vaultOf({
      "notes/x.md": { symlink: "/etc/passwd" },
      out: { symlink: "/etc" },
      "sub.md": { gitlink: "1".repeat(40) },
      "big.md": { symlink: link.repeat(200) },
      "a.md": "a",
    });
    for (const path of ["notes/x.md", "out/passwd.md", "sub.md", "sub.md/a.md", "big.md"]) {
      expect([path, refusalOf(await vault.read({ paths: ["a.md", path] }, signal))]).toEqual([path, "PATH_NOT_ALLOWED link"]);
    }
    expect(await listed(vault)).toEqual(["a.md"]);
    expect(await search(vault, "passwd")).toEqual([]);
  });

  it("fails as a whole when one note is missing, and names every missing path", async () => {
    const { vault } = await vaultOf({ "a.md": "a", "b/c.md": "c" });
    const refused = await vault.read({ paths: ["a.md", "x.md", "b.md"] }, signal);
    expect(refused.ok ? null : refused.fault).toMatchObject({ code: "NOT_FOUND", field: "paths", details: { missing: ["x.md", "b.md"] } });
  });

  it("takes one to five paths and each note once, however it is spelled", async () => {
    const { vault } = await vaultOf({ "학.md": "", "a.md": "", "b.md": "", "c.md": "", "d.md": "", "e.md": "" });
    for (const paths of [[], ["a.md", "a.md"], ["학.md", "학.md".normalize("NFD")], ["a.md", "b.md", "c.md", "d.md", "e.md", "학.md"]]) {
      expect(refusalOf(await vault.read({ paths }, signal))).toBe("INVALID_ARGUMENT");
    }
    expect(refusalOf(await vault.read({ paths: ["a.md", "b.md", "c.md", "d.md", "e.md"] }, signal))).toBe("ok");
  });

  it("finds a path by its exact bytes first, then in another normal form, and never in another case", async () => {
    const nfd = "학.md".normalize("NFD");
    const both = await vaultOf({ "학.md": "composed", [nfd]: "decomposed" });
    expect((await read(both.vault, ["학.md"])).notes[0]?.content).toBe("composed");
    expect((await read(both.vault, [nfd])).notes[0]?.content).toBe("decomposed");
    const one = await vaultOf({ [nfd]: "decomposed", "A.md": "" });
    expect((await read(one.vault, ["학.md"])).notes[0]).toMatchObject({ path: nfd, content: "decomposed" });
    expect(refusalOf(await one.vault.read({ paths: ["a.md"] }, signal))).toBe("NOT_FOUND");
  });

  it("stays at the given commit while the branch moves on", async () => {
    const repository = await createRepository();
    const before = await repository.commit({ "a.md": "old", "gone.md": "x" });
    const after = await repository.commit({ "a.md": "new", "gone.md": null });
    const vault = await openAt(repository.path);
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe("new");
    expect(await read(vault, ["a.md", "gone.md"], { commit: before })).toMatchObject({
      commit: before,
      notes: [{ content: "old" }, { content: "x" }],
    });
    expect(refusalOf(await vault.read({ paths: ["gone.md"] }, signal))).toBe("NOT_FOUND");
    expect((await read(vault, ["a.md"], { commit: after })).notes[0]?.content).toBe("new");
  });

  it("limits a vault to its root folder, and paths are relative to it", async () => {
    const { vault } = await vaultOf({ "vault/a.md": "in", "vaulted/b.md": "out", "c.md": "out" }, { root: "/vault/" });
    expect(await listed(vault)).toEqual(["a.md"]);
    expect(refusalOf(await vault.read({ paths: ["vault/a.md"] }, signal))).toBe("NOT_FOUND");
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe("in");
  });

  it("ends for a caller that leaves, and for nobody else", async () => {
    const { vault } = await vaultOf(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.md`, `needle ${index}`])));
    const leaving = new AbortController();
    const left = vault.search({ query: "needle", scope: "all", limit: 5 }, leaving.signal);
    const staying = Array.from({ length: 5 }, () => vault.search({ query: "needle 299", scope: "all", limit: 5 }, signal));
    setImmediate(() => leaving.abort(new Error("left")));
    await expect(left).rejects.toThrow("left");
    for (const answer of await Promise.all(staying)) expect(valueOf(answer).items.map(({ path }) => path)).toEqual(["299.md"]);
    await expect(vault.read({ paths: ["1.md"] }, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect((await read(vault, ["7.md"])).notes[0]?.content).toBe("needle 7");
  });
});

describe("reading a part", () => {
  it("marks it, moves inwards to whole characters, says where to go on, and lists the links that begin in it", async () => {
    const { vault } = await vaultOf({ "a.md": "가나다[[b]]라마 [[c]]", "b.md": "", "c.md": "" });
    const [note] = (await read(vault, ["a.md"], { range: { start: 1, end: 18 } })).notes;
    expect(note).toMatchObject({ content: "나다[[b]]라", partial: true, range: { start: 3, end: 17, total: 26, next_start: 17 } });
    expect(note?.links.map(({ target_path }) => target_path)).toEqual(["b.md"]);
  });

  it("that covers the note is the whole note and says nothing of parts", async () => {
    const { vault } = await vaultOf({ "a.md": "abc" });
    expect((await read(vault, ["a.md"], { range: { start: 0 } })).notes[0]).not.toHaveProperty("partial");
    expect((await read(vault, ["a.md"], { range: { start: 0, end: 99 } })).notes[0]).not.toHaveProperty("range");
    expect((await read(vault, ["a.md"], { range: { start: 2 } })).notes[0]).toMatchObject({ content: "c", range: { next_start: null } });
  });

  it("is refused for several notes, behind the end, backwards, or when it holds no whole character", async () => {
    const { vault } = await vaultOf({ "a.md": "가나", "b.md": "", "c.md": "c" });
    const refused = async (paths: readonly string[], start: number, end?: number) =>
      refusalOf(await vault.read({ paths, range: { start, ...(end === undefined ? {} : { end }) } }, signal));
    expect(await refused(["a.md", "b.md"], 0)).toBe("INVALID_ARGUMENT");
    for (const [start, end] of [[6], [7], [-1], [0.5], [2, 2], [3, 1], [1, 3], [0, 2], [0, 1.5]])
      expect(await refused(["a.md"], start ?? 0, end)).toBe("INVALID_ARGUMENT");
    expect(await refused(["b.md"], 0)).toBe("ok");
    const fault = await vault.read({ paths: ["c.md"], range: { start: 9 } }, signal);
    expect(fault.ok ? null : fault.fault).toMatchObject({ field: "start", details: { total_bytes: 1 } });
  });

  it("one after the other gives the note back byte for byte, whatever the steps", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).filter((text) => text.isWellFormed()),
        fc.integer({ min: 4, max: 20 }),
        (text, step) => {
          const bytes = new TextEncoder().encode(text);
          let joined = "";
          for (let start: number | null = 0; start !== null;) {
            const cut = cutBytes(bytes, start, start + step);
            if (!cut.ok) throw new Error(cut.fault.message);
            expect(text.slice(cut.part.textStart, cut.part.textEnd)).toBe(cut.part.content);
            joined += cut.part.content;
            start = cut.part.nextStart;
          }
          expect(createHash("sha256").update(joined).digest("hex")).toBe(createHash("sha256").update(text).digest("hex"));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
