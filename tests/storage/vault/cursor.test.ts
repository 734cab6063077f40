import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NoteSummary, Page } from "../../../storage/ports.ts";
import { openCursor, type Position, type Question, sealCursor } from "../../../storage/vault/cursor.ts";
import { createRepository } from "../../support/git-repository.ts";
import { openAt, refusalOf, signal, testSealer, valueOf, vaultOf } from "./opened-vault.ts";

const sealer = testSealer();
const question: Question = { tool: "vault_search", vault: "notes", terms: ["a", "b"], scope: "all", prefix: "maps" };
const position: Position = { commit: "0".repeat(40), group: "title", path: "maps/한글.md" };

describe("a cursor", () => {
  it("that is absent, empty or blank is the first page", async () => {
    for (const cursor of [undefined, "", " ", "\n\t"])
      expect(await openCursor(sealer, question, cursor, undefined)).toEqual({ ok: true, position: null });
  });

  it("opens for the question it was sealed for and for no other", async () => {
    const cursor = await sealCursor(sealer, question, position);
    expect(await openCursor(sealer, { ...question }, cursor, undefined)).toEqual({ ok: true, position });
    expect(await openCursor(sealer, question, cursor, position.commit)).toEqual({ ok: true, position });
    const others: readonly Partial<Question>[] = [
      { tool: "vault_list" },
      { vault: "other" },
      { terms: ["a"] },
      { terms: ["b", "a"] },
      { scope: "title" },
      { prefix: "" },
    ];
    for (const other of others) expect((await openCursor(sealer, { ...question, ...other }, cursor, undefined)).ok).toBe(false);
    expect((await openCursor(sealer, question, cursor, "1".repeat(40))).ok).toBe(false);
    expect((await openCursor(testSealer("two"), question, cursor, undefined)).ok).toBe(false);
  });

  it("survives whatever stands in query, prefix and path, and never mixes two questions up", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 });
    const questions = fc.record<Question>({
      tool: fc.constantFrom("vault_list", "vault_search"),
      vault: text,
      terms: fc.array(text, { maxLength: 3 }),
      scope: fc.constantFrom("title", "all"),
      prefix: text,
    });
    await fc.assert(
      fc.asyncProperty(questions, questions, text, async (mine, other, path) => {
        const cursor = await sealCursor(sealer, mine, { ...position, path });
        expect(await openCursor(sealer, mine, cursor, undefined)).toEqual({ ok: true, position: { ...position, path } });
        const isSame = JSON.stringify(mine) === JSON.stringify(other);
        expect((await openCursor(sealer, other, cursor, undefined)).ok).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  it("that is invented, cut, edited or of another purpose is refused, and never taken for the first page", async () => {
    const cursor = await sealCursor(sealer, question, position);
    const wrong = [
      "bogus",
      cursor.slice(0, -1),
      `${cursor}A`,
      ` ${cursor}`,
      cursor.toUpperCase(),
      sealer.seal("other", "[1]"),
      "null",
      "0",
      "\u0000",
    ];
    for (let at = 0; at < cursor.length; at += 1)
      wrong.push(`${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`);
    for (const text of wrong) {
      const opened = await openCursor(sealer, question, text, undefined);
      expect(opened.ok ? "opened" : opened.fault).toMatchObject({ code: "INVALID_CURSOR", field: "cursor" });
    }
    for (const payload of ["", "null", "{}", "[]", "[1]", '[2,"a","b","title","c"]', '[1,"a","b","all","c"]']) {
      expect((await openCursor(sealer, question, sealer.seal("vault-cursor", payload), undefined)).ok).toBe(false);
    }
  });
});

const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${String.fromCodePoint(97 + index)}.md`, `needle ${index}`]));

describe("pages", () => {
  it("of five, five and two hold each of twelve notes once and end with null", async () => {
    const { vault } = await vaultOf(twelve);
    const sizes: number[] = [];
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page<NoteSummary> = valueOf(await vault.list({ limit: 5, cursor }, signal));
      sizes.push(page.items.length);
      seen.push(...page.items.map(({ path }) => path));
      cursor = page.next_cursor;
    }
    expect(sizes).toEqual([5, 5, 2]);
    expect(seen).toEqual(Object.keys(twelve));
  });

  it("may change their size on the way", async () => {
    const { vault } = await vaultOf(twelve);
    const first = valueOf(await vault.search({ query: "needle", scope: "all", limit: 5 }, signal));
    const second = valueOf(await vault.search({ query: "needle", scope: "all", limit: 20, cursor: first.next_cursor ?? "" }, signal));
    expect([...first.items, ...second.items].map(({ path }) => path)).toEqual(Object.keys(twelve));
    expect(second.next_cursor).toBeNull();
  });

  it("stay at the commit of the first, and refuse another one, another query, scope, prefix, tool or vault", async () => {
    const repository = await createRepository();
    const commit = await repository.commit(twelve);
    const vault = await openAt(repository.path);
    const { next_cursor } = valueOf(await vault.search({ query: "needle", scope: "all", limit: 5 }, signal));
    const cursor = next_cursor ?? "";
    const later = await repository.commit({ "a0.md": "needle", "g.md": "nothing", "zz.md": "needle" });
    const second = valueOf(await vault.search({ query: " NEEDLE ", scope: "all", limit: 20, cursor }, signal));
    expect(second.commit).toBe(commit);
    expect(second.items.map(({ path }) => path)).toEqual(Object.keys(twelve).slice(5));
    const base = { query: "needle", scope: "all", limit: 5, cursor } as const;
    for (const change of [{ query: "need" }, { scope: "title" as const }, { prefix: "x" }, { commit: later }]) {
      expect(refusalOf(await vault.search({ ...base, ...change }, signal))).toBe("INVALID_CURSOR");
    }
    expect(refusalOf(await vault.search({ ...base, commit }, signal))).toBe("ok");
    expect(refusalOf(await vault.list({ limit: 5, cursor }, signal))).toBe("INVALID_CURSOR");
    const other = await openAt(repository.path, { name: "other" });
    expect(refusalOf(await other.search(base, signal))).toBe("INVALID_CURSOR");
  });

  it("of a commit that the branch no longer holds are not continued at another", async () => {
    const repository = await createRepository();
    const first = await repository.commit({ "base.md": "needle" });
    await repository.commit(twelve);
    const vault = await openAt(repository.path);
    const { next_cursor } = valueOf(await vault.list({ limit: 5 }, signal));
    await repository.git("update-ref", "refs/heads/main", first);
    expect(refusalOf(await vault.list({ limit: 5, cursor: next_cursor ?? "" }, signal))).toBe("COMMIT_UNAVAILABLE");
  });

  it("have one to twenty items, and anything else is an invalid argument", async () => {
    const { vault } = await vaultOf(twelve);
    for (const limit of [0, -1, 21, 2.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(refusalOf(await vault.list({ limit }, signal))).toBe("INVALID_ARGUMENT");
      expect(refusalOf(await vault.search({ query: "a", scope: "all", limit }, signal))).toBe("INVALID_ARGUMENT");
    }
  });
});
