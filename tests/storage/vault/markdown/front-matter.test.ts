import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { coreScalar } from "../../../../storage/vault/markdown/core-scalar.ts";
import { readFrontMatter } from "../../../../storage/vault/markdown/front-matter.ts";
import { readPlainYaml } from "../../../../storage/vault/markdown/plain-yaml.ts";
import { listed, read, signal, valueOf, vaultOf } from "../opened-vault.ts";

const note = (yaml: string, body = "body\n"): string => `---\n${yaml}\n---\n${body}`;

describe("front matter", () => {
  it("that repeats a key leaves the note readable, says so, uses none of its values, and says the same the second time", async () => {
    const { vault } = await vaultOf({ "a.md": note("title: T\na: 1\na: 2") });
    const first = await read(vault, ["a.md"]);
    expect(first.notes[0]).toEqual({
      path: "a.md",
      content: note("title: T\na: 1\na: 2"),
      type: null,
      status: null,
      verified: null,
      metadata_error: "Line 4 of the front matter repeats a key.",
      links: [],
    });
    expect(await read(vault, ["a.md"])).toEqual(first);
    const list = valueOf(await vault.list({ limit: 5 }, signal));
    expect(list.items[0]).toMatchObject({ path: "a.md", title: "a", metadata_error: "Line 4 of the front matter repeats a key." });
    expect(valueOf(await vault.list({ limit: 5 }, signal))).toEqual(list);
  });

  it("indented with a tab is reported on its note, which is neither lost nor changed", async () => {
    const { vault } = await vaultOf({ "a.md": note("tags:\n\t- x"), "b.md": "b" });
    expect((await read(vault, ["a.md"])).notes[0]).toMatchObject({
      content: note("tags:\n\t- x"),
      metadata_error: "Line 3 of the front matter is indented with a tab.",
    });
    expect(await listed(vault)).toEqual(["a.md", "b.md"]);
  });

  it("keeps dates, times, digits with underscores and the word no as the text they are", () => {
    const values = ["2026-03-16", "2026-05-13T20:00:00-04:00", "12:30", "1_000", "no", "yes", "on", "0b1", "1e", "v1.2"];
    for (const value of values) expect(readFrontMatter(note(`status: ${value}`)).status).toBe(value);
    expect(readFrontMatter(note("status: 0123")).status).toBe(123);
    expect(readFrontMatter(note("status: 0o17\ntype: 0x1F\nverified: TRUE")).status).toBe(15);
    expect(readFrontMatter(note("title: 2026-03-16")).title).toBe("2026-03-16");
    expect(readFrontMatter(note("title: 1.10")).title).toBe("1.10");
  });

  it("keeps numbers that JSON cannot carry as the text they are", () => {
    for (const value of ["12345678901234567890", ".inf", "-.INF", ".nan", "1e999", "0xFFFFFFFFFFFFFFFF"]) {
      expect(readFrontMatter(note(`status: ${value}`)).status).toBe(value);
    }
  });

  it("is found behind a byte order mark, which stays in the text", async () => {
    const text = "\ufeff---\ntitle: T\n---\n# H";
    const { vault } = await vaultOf({ "a.md": text });
    expect(valueOf(await vault.list({ limit: 5 }, signal)).items[0]?.title).toBe("T");
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe(text);
  });

  it("is never run: a block opened with ---js is text", async () => {
    const text = '---js\n{title: "x"+1, type: process.exit(1)}\n---\n';
    const { vault } = await vaultOf({ "a.md": text });
    expect((await read(vault, ["a.md"])).notes[0]).toEqual({
      path: "a.md",
      content: text,
      type: null,
      status: null,
      verified: null,
      links: [],
    });
    expect(readFrontMatter(text).bodyAt).toBe(0);
  });

  it("without a closing line, or not at the very beginning, is text", () => {
    for (const text of [
      "---\ntitle: T\n",
      "\n---\ntitle: T\n---\n",
      " ---\ntitle: T\n---\n",
      "----\ntitle: T\n---\n",
      "---\ntitle: T\n--- x\n",
    ]) {
      expect(readFrontMatter(text)).toMatchObject({ bodyAt: 0, title: null, error: null });
    }
  });

  it("with Windows line ends, nothing in it, or comments is read like any other", () => {
    expect(readFrontMatter("---\r\ntitle: T\r\nstatus: a b\r\n---\r\nbody")).toMatchObject({
      title: "T",
      status: "a b",
      bodyAt: 33,
      error: null,
    });
    expect(readFrontMatter("---\n---\nbody")).toMatchObject({ title: null, bodyAt: 8, error: null });
    expect(readFrontMatter(note("# comment\ntitle: T # comment"))).toMatchObject({ title: "T", error: null });
  });

  it("that is no list of keys and values, too long, or nested without end is reported and not thrown", () => {
    expect(readFrontMatter(note("just text")).error).toBe("The front matter is not a list of keys and values.");
    expect(readFrontMatter(note(`title: ${"x".repeat(70_000)}`)).error).toBe("The front matter is longer than 65536 characters.");
    expect(readFrontMatter(note("[".repeat(30_000))).error).not.toBeNull();
    expect(readFrontMatter(note(`title: ${"{a: ".repeat(9000)}`)).error).not.toBeNull();
    expect(readFrontMatter(note("a: &a [x]\nb: *a\ntitle: *missing")).title).toBeNull();
  });

  it("names aliases as a list or as one text", () => {
    expect(readFrontMatter(note("aliases: [A L, b]")).aliases).toEqual(["A L", "b"]);
    expect(readFrontMatter(note("aliases:\n- A L\n- 'b: c'\n-")).aliases).toEqual(["A L", "b: c"]);
    expect(readFrontMatter(note("alias: one")).aliases).toEqual(["one"]);
  });
});

describe("the title of a note", () => {
  it("is that of its front matter, else its first heading, else its file name", async () => {
    const { vault } = await vaultOf({
      "a.md": note("title: ' From  front matter '", "# Heading"),
      "b.md": note("title: ''", "text\n\n## **Heading** two ##\n# Later"),
      "c.md": "```\n# code\n```\n<!-- # comment -->\nUnderlined\n===\n",
      "노트 이름.md": "#tag\n#\ntext",
      "e.md": note("title: [a]", ""),
    });
    expect(valueOf(await vault.list({ limit: 20 }, signal)).items.map(({ title }) => title)).toEqual([
      "From front matter",
      "**Heading** two",
      "Underlined",
      "e",
      "노트 이름",
    ]);
  });
});

describe("the short way of reading YAML", () => {
  it("knows a block only if the whole parser reads the same", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "a",
        "b c",
        "true",
        "Null",
        "12",
        "1.5e3",
        "0x1f",
        "a: b",
        "a #b",
        "a#b",
        "- x",
        "[a, b]",
        "[ ]",
        '"q"',
        "'it''s'",
        "'x y'",
        "a:b",
        "한글 메모",
        "~",
        "|",
        "> x",
        "&x y",
        "*x",
        "!t v",
        "{a: 1}",
        "x:",
        "@a",
        "%b",
        "`c`",
        "a, b",
        "a]b",
        "1:2:3",
        "2026-03-16",
        "no",
        "\u00a0x",
        "x\u00a0",
        "--- x",
        "? y",
        "a\tb",
        "\u2028",
        "''",
        '""',
        "- - x",
        "'a' b",
        "<<",
        "=",
        ".",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    const line = fc.oneof(
      fc.tuple(fc.constantFrom("title", "status", "a-b", "true", "x_1"), word).map(([key, value]) => `${key}: ${value}`),
      fc.constantFrom(
        "aliases:",
        "tags:  ",
        "# c",
        "",
        "  ",
        "- x",
        "  - y z",
        " - 1",
        "   -",
        "key",
        "\ttab: x",
        "title:x",
        "...",
        "a: 1\r",
      ),
      word.map((value) => `- ${value}`),
      word.map((value) => `  - ${value}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const yaml = `${lines.join("\n")}\n`;
        const plain = readPlainYaml(yaml);
        if (plain === null) return;
        const document = parseDocument(yaml, { version: "1.2", schema: "core", logLevel: "silent" });
        expect(document.errors).toEqual([]);
        const values = new Map<unknown, unknown>();
        if (isMap(document.contents)) {
          for (const { key, value } of document.contents.items) {
            values.set(
              isScalar(key) ? key.value : key,
              isSeq(value)
                ? value.items.map((item) => (isScalar(item) ? (typeof item.value === "string" ? item.value : item.source) : item))
                : isScalar(value)
                  ? typeof value.value === "string"
                    ? value.value
                    : coreScalar(value.source ?? "")
                  : value,
            );
          }
        }
        expect(new Map([...plain].map(([key, value]) => [key, value.kind === "list" ? value.sources : value.scalar]))).toEqual(values);
      }),
      { numRuns: 5000 },
    );
  });

  it("reads plain scalars as the core schema of the whole parser does", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+.0-9eExXo_a-fnNilLuUTtrR~]{0,8}$/), (source) => {
        const document = parseDocument(`k: ${source}`, { version: "1.2", schema: "core", logLevel: "silent" });
        const value: unknown = document.errors.length === 0 ? document.get("k", true) : undefined;
        if (!isScalar(value) || value.type !== "PLAIN" || value.source !== source) return;
        const isExact =
          typeof value.value !== "number" ||
          (Number.isFinite(value.value) && (Number.isSafeInteger(value.value) || !Number.isInteger(value.value) || /[.eE]/.test(source)));
        expect(coreScalar(source)).toEqual(isExact ? value.value : source);
      }),
      { numRuns: 5000 },
    );
  });
});
