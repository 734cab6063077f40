import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page, SearchHit } from "../../../storage/ports.ts";
import { fold } from "../../../storage/vault/fold.ts";
import { createRepository } from "../../support/git-repository.ts";
import { found, openAt, refusalOf, search, signal, valueOf, vaultOf } from "./opened-vault.ts";

describe("search", () => {
  it("finds both spellings of a name, composed and decomposed, by either, and returns the exact paths", async () => {
    const nfc = "학점.md";
    const nfd = "학점.md".normalize("NFD");
    const { vault } = await vaultOf({ [nfc]: "", [nfd]: "" });
    for (const query of ["학점", "학점".normalize("NFD")]) expect(await found(vault, query)).toEqual([nfd, nfc]);
  });

  it("finds decomposed text in bodies, too", async () => {
    const { vault } = await vaultOf({ "a.md": "제목\n\n메모".normalize("NFD") });
    expect(await found(vault, "메모")).toEqual(["a.md"]);
  });

  it("finds Korean, Chinese and Latin text inside a word, down to a single character", async () => {
    const { vault } = await vaultOf({ "a.md": "대한민국 설계", "b.md": "重跑gen-itgc后", "c.md": "interrupt" });
    for (const query of ["민국", "국", "설계", "계"]) expect(await found(vault, query)).toEqual(["a.md"]);
    for (const query of ["itgc", "跑", "ITGC后"]) expect(await found(vault, query)).toEqual(["b.md"]);
    expect(await found(vault, "terrupt")).toEqual(["c.md"]);
  });

  it("compares by full case folding, and cuts the snippet from the text as written", async () => {
    const text = "İstanbul Işık ΣΊΣΥΦΟΣ STRASSE ﬁ";
    const { vault } = await vaultOf({ "a.md": text });
    for (const query of ["istanbul", "σίσυφος", "straße", "FI"])
      expect((await search(vault, query)).map(({ snippet }) => snippet)).toEqual([text]);
  });

  it("wants every term, in the title or the body, and puts notes first whose title has them all", async () => {
    const { vault } = await vaultOf({
      "a.md": "---\ntitle: Tea\n---\ngreen leaves",
      "b.md": "# Green tea\n",
      "c.md": "green only",
      "d.md": "tea, then green",
      "e/green tea.md": "",
    });
    const hits = await search(vault, "green  TEA");
    expect(hits.map(({ path, match_location }) => `${path} ${match_location}`)).toEqual([
      "b.md title",
      "e/green tea.md title",
      "a.md body",
      "d.md body",
    ]);
    expect(await found(vault, "tea", { scope: "title" })).toEqual(["a.md", "b.md", "e/green tea.md"]);
    expect(await found(vault, "green", { scope: "title" })).toEqual(["b.md", "e/green tea.md"]);
  });

  it("reads the front matter as part of the note", async () => {
    const { vault } = await vaultOf({ "a.md": "---\ntags: [garden]\n---\nbody" });
    expect(await search(vault, "garden")).toEqual([
      { path: "a.md", title: "a", snippet: "---\ntags: [garden]\n---\nbody", match_location: "body" },
    ]);
  });

  it("stays below a prefix by whole segments", async () => {
    const { vault } = await vaultOf({ "doc/a.md": "x", "docs/a.md": "x", [`${"학".normalize("NFD")}/a.md`]: "x" });
    expect(await found(vault, "x", { prefix: "doc" })).toEqual(["doc/a.md"]);
    expect(await found(vault, "x", { prefix: "학/" })).toEqual([`${"학".normalize("NFD")}/a.md`]);
    expect(await found(vault, "x", { prefix: "do" })).toEqual([]);
    expect(await found(vault, "x", { prefix: "DOC" })).toEqual([]);
  });

  it("takes everything but white space literally", async () => {
    const { vault } = await vaultOf({ "a.md": 'a.*b [c] "d" OR -e $& %s', "b.md": "axxb" });
    for (const query of ["a.*b", "[c]", '"d"', "-e", "$&", "%s"]) expect(await found(vault, query)).toEqual(["a.md"]);
  });

  it("with no hit is an empty last page that names its commit", async () => {
    const { vault, commit } = await vaultOf({ "a.md": "text" });
    expect(valueOf(await vault.search({ query: "absent", scope: "all", limit: 5 }, signal))).toEqual({
      commit,
      items: [],
      next_cursor: null,
    });
  });

  it("refuses a blank, endless or broken query", async () => {
    const { vault } = await vaultOf({ "a.md": "text" });
    for (const query of ["", " \n\t\u3000", "x".repeat(1001), "a \ud800"]) {
      expect(refusalOf(await vault.search({ query, scope: "all", limit: 5 }, signal))).toBe("INVALID_ARGUMENT");
    }
  });

  it("finds what a naive scan finds, in its order, through pages of any size", async () => {
    const word = fc.constantFrom("가", "나다", "ab", "AB", "ß", "ss", "İ", "i", "é", "é".normalize("NFD"), "ﬁ", "🦊", "-", "ς");
    const text = fc.array(fc.oneof(word, fc.constant(" "), fc.constant("\n")), { maxLength: 8 }).map((words) => words.join(""));
    const notes = fc.dictionary(
      fc.constantFrom("a.md", "b.md", "가.md", "가/나.md", "a/ab.md", "ss.md", "🦊.md", "\uffee.md"),
      fc.tuple(fc.option(word, { nil: null }), text),
      { minKeys: 1 },
    );
    await fc.assert(
      fc.asyncProperty(
        notes,
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("title" as const, "all" as const),
        fc.integer({ min: 1, max: 3 }),
        async (tree, terms, scope, limit) => {
          const files = Object.fromEntries(
            Object.entries(tree).map(([path, [title, body]]) => [path, title === null ? body : `---\ntitle: "${title}"\n---\n${body}`]),
          );
          const { vault } = await vaultOf(files);
          const wanted = terms.map(fold);
          const has = (haystack: string, needles: readonly string[]): boolean => needles.every((needle) => haystack.includes(needle));
          const byPath = Object.keys(files).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
          const titleOf = (path: string): string => fold(tree[path]?.[0] ?? path.replace(/^.*\//, "").replace(/\.md$/, ""));
          const inTitle = byPath.filter((path) => has(titleOf(path), wanted));
          const inBody = byPath.filter(
            (path) =>
              !inTitle.includes(path) && wanted.every((term) => titleOf(path).includes(term) || fold(files[path] ?? "").includes(term)),
          );
          const seen: string[] = [];
          for (let cursor: string | null = ""; cursor !== null;) {
            const page: Page<SearchHit> = valueOf(await vault.search({ query: terms.join(" "), scope, limit, cursor }, signal));
            for (const hit of page.items) {
              expect(files[hit.path]).toContain(hit.snippet);
              expect(Array.from(hit.snippet).length).toBeLessThanOrEqual(160);
            }
            seen.push(...page.items.map(({ path }) => path));
            cursor = page.next_cursor;
          }
          expect(seen).toEqual(scope === "title" ? inTitle : [...inTitle, ...inBody]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("answers many at once over one pair of processes, each with its own commit", async () => {
    const repository = await createRepository();
    const commits = [await repository.commit({ "a.md": "one" }), await repository.commit({ "a.md": "two" })];
    const vault = await openAt(repository.path);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        valueOf(
          await vault.search({ query: index % 2 === 0 ? "one" : "two", scope: "all", limit: 5, commit: commits[index % 2] ?? "" }, signal),
        ),
      ),
    );
    for (const [index, answer] of answers.entries()) expect([answer.commit, answer.items.length]).toEqual([commits[index % 2], 1]);
  });
});

describe("a snippet", () => {
  it("is cut between characters, never inside one, and holds at most 160 code points", async () => {
    const fox = "🦊";
    const { vault } = await vaultOf({
      "a.md": `a${fox.repeat(90)}needle${fox.repeat(200)}`,
      "b.md": `${"x".repeat(300)}needle`,
      "c.md": `b${fox.repeat(30)}needle`,
    });
    const hits = await search(vault, "needle");
    for (const { snippet } of hits) {
      expect(snippet.isWellFormed()).toBe(true);
      expect(Array.from(snippet).length).toBeLessThanOrEqual(160);
      expect(snippet).toContain("needle");
    }
    expect(hits[0]?.snippet).toBe(`${fox.repeat(40)}needle${fox.repeat(114)}`);
  });

  it("of a note that only its title matched is the first line of its body", async () => {
    const { vault } = await vaultOf({
      "tea.md": "---\ntitle: Green tea\nkind: tea\n---\n\n  \nFirst line, long enough.\nSecond",
      "empty tea.md": "",
    });
    expect((await search(vault, "green tea")).map(({ snippet, match_location }) => [snippet, match_location])).toEqual([
      ["First line, long enough.", "title"],
    ]);
    expect((await search(vault, "empty")).map(({ snippet }) => snippet)).toEqual([""]);
  });

  it("shows the body before the front matter when both have the term", async () => {
    const { vault } = await vaultOf({ "a.md": "---\ntags: [tea]\n---\nIt is tea." });
    expect((await search(vault, "tea"))[0]?.snippet).toBe("It is tea.");
  });
});
