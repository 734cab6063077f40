import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstHeading, scanLinks } from "../../../../storage/vault/markdown/scan-note.ts";

/** Targets with their anchors, in order. */
function links(text: string): readonly string[] {
  return scanLinks(text, 0).map(({ target, anchor }) => (anchor === null ? target : `${target}#${anchor}`));
}

describe("wiki links", () => {
  it("name a note, a heading, nested headings or a block, may be embedded and may show another text", () => {
    expect(links("[[a]] [[폴더/노트|보이는 글]] [[c#H]] [[#H]] ![[d.png|100]] [[e#^b-1|x]] [[f#H1#H2]] [[ g ]]")).toEqual([
      "a",
      "폴더/노트",
      "c#H",
      "#H",
      "d.png",
      "e#^b-1",
      "f#H1#H2",
      "g",
    ]);
  });

  it("in a table end their target at the escaped bar, and so they do in prose", () => {
    expect(links("| [[notes/a\\|A]] | x |\n|---|---|\n| ![[b\\|100]] | [[c|C]] |\n\nprose [[a\\|b]] text")).toEqual([
      "notes/a",
      "b",
      "c",
      "a",
    ]);
  });

  it("do not end at a single bracket and do not cross lines", () => {
    expect(links("[[a]b]] [[x\ny]] [[[c]] [[ [[d]] [[]] [[|e]] [[#]]")).toEqual(["a]b", "c", "d"]);
  });

  it("escaped with a backslash are text", () => {
    expect(links("\\[[a]] \\[x](b.md) [[c]]")).toEqual(["c"]);
  });

  it("of a shell test in a fence, inline code, indented code, comments or formulas are none", () => {
    expect(links('```bash\nif [[ -n "$a" ]]; then [[ -f x ]]; fi\n```\n\n`[[page]]` ``[[a]] ` [[b]]`` [[yes]]')).toEqual(["yes"]);
    expect(links("~~~\n[[no]]\n```\n[[no]]\n~~~\n[[yes]]")).toEqual(["yes"]);
    expect(links("text\n\n    [[no]]\n\n\t[[no]]\n\n[[yes]]\n    [[still the paragraph]]")).toEqual(["yes", "still the paragraph"]);
    expect(links("<!-- [[no]] --> [[a]] <!--\n\n[[no]]\n\n--> [[b]] <!-->[[c]]")).toEqual(["a", "b", "c"]);
    expect(links("%%[[no]]%% [[a]]\n\n%%\n[[no]]\n\n```\n%%\n[[b]]")).toEqual(["a", "b"]);
    expect(links("$[[no]]$ $$[[no]]$$ [[a]]\n\n$$\n[[no]]\n\n[[no]]\n$$\n[[b]]")).toEqual(["a", "b"]);
    expect(links("<pre>\n[[no]]\n\n[[no]]</pre> [[yes]]")).toEqual(["yes"]);
  });

  it("stand where a mark only looks like the beginning of code, a comment or a formula", () => {
    expect(links("costs $5 [[a]] and $6, 100%% [[b]], an ` alone [[c]], <! -- [[d]]")).toEqual(["a", "b", "c", "d"]);
    expect(links("\\`[[a]]` [[b]]")).toEqual(["a", "b"]);
  });

  it("are found in quotes and lists, and not in the code those hold", () => {
    expect(links("> [[a]]\n> ```\n> [[no]]\n\n[[b]]\n- [[c]]\n\n  [[d]]\n\n      [[no]]\n- ```\n  [[no]]\n\n  [[no]]\n[[e]]")).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
    expect(links("1. a\n   ```\n   [[no]]\n   ```\n2. [[b]]\n\n   - [[c]]\n\n     [[d]]")).toEqual(["b", "c", "d"]);
    expect(links("> - > [[a]]\n>   ~~~\n>   [[no]]\n>   ~~~\n> [[b]]")).toEqual(["a", "b"]);
    expect(links("````\n```\n[[no]]\n```\n````\n[[yes]]\n```not a fence` [[yes2]]")).toEqual(["yes", "yes2"]);
  });

  it("keep working after a fence that is never closed has swallowed the rest", () => {
    expect(links("[[a]]\n```\n[[no]]\n\n[[no]]")).toEqual(["a"]);
  });
});

describe("Markdown links", () => {
  it("are read inline, in angle brackets, with titles, as images, inside each other, as definitions and as addresses", () => {
    expect(links("[x](a.md) [y](<b c.md> \"t\") [z](d.md 't') ![i](p.png) [w](e.md (t))")).toEqual([
      "a.md",
      "b c.md",
      "d.md",
      "p.png",
      "e.md",
    ]);
    expect(links("[![alt](q.png)](r.md)")).toEqual(["r.md", "q.png"]);
    expect(links("[a][ref]\n\n[ref]: some/where.md 'T'\n[^1]: not.md\n")).toEqual(["some/where.md"]);
    expect(links("[e](https://x.example/(z)#h) <https://auto.example/> <me@x.example>")).toEqual([
      "https://x.example/(z)#h",
      "https://auto.example/",
    ]);
  });

  it("are decoded, and keep what cannot be decoded", () => {
    expect(links("[x](%ED%95%9C%20a.md#h%20i) [y](100%.md) [z](a\\(b\\).md)")).toEqual(["한 a.md#h i", "100%.md", "a(b).md"]);
  });

  it("with a space in the bare destination or without an end are text", () => {
    expect(links("[t](a b.md) [t](a.md [t] (a.md) [](\n\nb.md) []() [x](#h)")).toEqual(["#h"]);
  });
});

describe("the first heading", () => {
  it("is found in either style and in quotes, and not in code or comments", () => {
    expect(firstHeading("# Title #\ntext", 0)).toBe("Title");
    expect(firstHeading("<!--\n\n# no\n-->\n\nTitle two\n=====\n", 0)).toBe("Title two");
    expect(firstHeading("```\n# no\n```\n    # no\n> ## Quoted `x`\n", 0)).toBe("Quoted `x`");
    expect(firstHeading("---\n\nabc\n---\n", 0)).toBe("abc");
    expect(firstHeading("#\n\n#tag\n####### seven\n\n##   Real  ##", 0)).toBe("Real");
    expect(firstHeading("%%\n# no\n%%\ntext", 0)).toBeNull();
  });
});

describe("scanning", () => {
  const piece = fc.constantFrom(
    "[[",
    "]]",
    "[",
    "](",
    ")",
    "a",
    "\n",
    "\n\n",
    "`",
    "```",
    "~~~",
    "    ",
    "\t",
    "> ",
    "- ",
    "1. ",
    "<!--",
    "-->",
    "%%",
    "$",
    "$$",
    "\\",
    "|",
    "#",
    "# ",
    "<",
    ">",
    "]:",
    "![[",
    "---",
    "<pre>",
    "</pre>",
    "\r\n",
    "\ud800",
    "한",
  );

  it("never throws, and finds links only where they are written", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat(8), (pieces, from) => {
        const text = pieces.join("");
        firstHeading(text, Math.min(from, text.length));
        for (const link of scanLinks(text, 0)) {
          expect(["[", "<"]).toContain(text[link.start]);
          expect(link.target !== "" || link.anchor !== null).toBe(true);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("finds no link twice", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const starts = scanLinks(pieces.join(""), 0).map(({ start }) => start);
        expect(new Set(starts).size).toBe(starts.length);
      }),
      { numRuns: 5000 },
    );
  });

  it("stays linear on notes full of openings without an end", () => {
    const size = 262_144;
    const hostile = [
      "[[",
      "[",
      "](a",
      "`",
      "``` ",
      "$a ",
      "<!--",
      "%%",
      "> ",
      "- ",
      "[[a|",
      "\\",
      "[a](",
      "<a:b",
      "~~~\n",
      "[[a]]",
      "$$",
      "``a`b",
      "<pre>",
      "[ref]: ",
      "1. ",
      "\t",
      "# ",
      "-\n",
      "|",
    ];
    const started = performance.now();
    for (const unit of hostile) scanLinks(unit.repeat(Math.floor(size / unit.length)), 0);
    scanLinks("[".repeat(size / 4) + "](a".repeat(size / 4), 0);
    // A quarter of a mebibyte each; one quadratic case alone would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
