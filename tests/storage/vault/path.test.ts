import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNotePath, checkPrefix, comparePaths, isNote, isWithin } from "../../../storage/vault/path.ts";
import { refusalOf, signal, vaultOf } from "./opened-vault.ts";

function verdict(path: string): string {
  const checked = checkNotePath(path, "paths.0");
  return checked.ok ? "ok" : `${checked.fault.code} ${String(checked.fault.details?.["rule"])}`;
}

describe("a path argument", () => {
  it("is accepted when it is relative, visible and Markdown, in any script", () => {
    for (const path of ["a.md", "maps/생활과-작업.md", "a b/c (d).MD", "x..y/z...md", "한/글.md".normalize("NFD"), "ab:c.md", "🦊/🦊.md"]) {
      expect(verdict(path)).toBe("ok");
    }
  });

  it("is refused before any filter looks at it when it leads elsewhere by parent, empty, absolute, backslash, drive or hidden segments", () => {
    const refused: Readonly<Record<string, string>> = {
      "/.obsidian/a.md": "absolute",
      "x/../.obsidian/a.md": "parent_segment",
      "../a.md": "parent_segment",
      "a/..": "parent_segment",
      "a//b.md": "empty_segment",
      "a/b.md/": "empty_segment",
      "": "empty_segment",
      "a\\b.md": "backslash",
      "..\\a.md": "backslash",
      "C:a.md": "drive_letter",
      "c:/a.md": "drive_letter",
      "./a.md": "hidden",
      "a/./b.md": "hidden",
      ".git/config.md": "hidden",
      "notes/.obsidian/workspace.md": "hidden",
      ".md": "hidden",
      "a.txt": "not_markdown",
      "a.md.png": "not_markdown",
      md: "not_markdown",
    };
    for (const [path, rule] of Object.entries(refused)) expect([path, verdict(path)]).toEqual([path, `PATH_NOT_ALLOWED ${rule}`]);
  });

  it("with NUL, a control character or half a surrogate pair is an invalid argument, and the vault goes on serving", async () => {
    const { vault } = await vaultOf({ "a.md": "text" });
    for (const path of [
      "a\u0000.md",
      "a\nb.md",
      "a\r.md",
      "\u001b[2J.md",
      "a\u007f.md",
      "a\u0085.md",
      "\ud800.md",
      "a\udc00/b.md",
      "\u0000",
    ]) {
      expect(refusalOf(await vault.read({ paths: [path] }, signal))).toMatch(/^INVALID_ARGUMENT /);
      expect(refusalOf(await vault.list({ prefix: path, limit: 5 }, signal))).toMatch(/^INVALID_ARGUMENT /);
    }
    expect(refusalOf(await vault.read({ paths: ["a.md"] }, signal))).toBe("ok");
  });

  it("never passes any of the rules in disguise, whatever the text", () => {
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "a", ".git", "a\\b", "C:", "x.md", "\u0000", "\ud800", "한글.md"),
      fc.string({ unit: "binary", maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        const path = segments.join("/");
        const checked = checkNotePath(path, "");
        if (!checked.ok) return;
        expect(checked.path).toBe(path);
        expect(path.isWellFormed()).toBe(true);
        expect(/\.md$/i.test(path)).toBe(true);
        expect(/^[A-Za-z]:/.test(path) || /[\\\u0000-\u001f\u007f-\u009f]/.test(path)).toBe(false);
        for (const part of path.split("/")) expect(part === "" || part.startsWith(".")).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it("gets through exactly when a plain reading of the rules lets it, and then means one segment after the other", () => {
    const piece = fc.constantFrom(
      "a",
      "한",
      "글.md",
      ".md",
      ".",
      "..",
      "/",
      "//",
      "\\",
      "C:",
      ":",
      "x.MD",
      " ",
      "\u0000",
      "\u0085",
      "\ud83e",
      "\udd8a",
      "~",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join("")),
        (path) => {
          const codes = Array.from(path, (point) => point.codePointAt(0) ?? 0);
          const isText = codes.every((code) => code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xe000));
          const segments = path.split("/");
          const isPlain = segments.every((segment) => segment.length > 0 && !segment.startsWith(".") && !segment.includes("\\"));
          const isDrive = path.charAt(1) === ":" && codes[0] !== undefined && /[a-z]/i.test(path.charAt(0));
          expect(checkNotePath(path, "").ok).toBe(isText && isPlain && !isDrive && path.toLowerCase().endsWith(".md"));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("reads the note of that very name or nothing, whatever the path, through the whole vault", async () => {
    const outside = { ".obsidian/a.md": "no", "a.txt": "no", "out/secret.md": "no", "in/link.md": { symlink: "../out/secret.md" } };
    const { vault } = await vaultOf({ ...outside, "in/a.md": "a.md", "in/한/b.md": "한/b.md" }, { root: "in" });
    const piece = fc.constantFrom(
      "..",
      ".",
      "",
      "in",
      "out",
      "a.md",
      "한",
      "b.md",
      "link.md",
      "secret.md",
      ".obsidian",
      "*",
      "HEAD:a.md",
      "%2e%2e",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
        const path = pieces.join("/");
        const answer = await vault.read({ paths: [path] }, signal);
        if (answer.ok) expect(answer.value.notes).toMatchObject([{ path, content: path }]);
        else expect(["PATH_NOT_ALLOWED", "NOT_FOUND"]).toContain(answer.fault.code);
        expect(answer.ok).toBe(path === "a.md" || path === "한/b.md");
      }),
      { numRuns: 500 },
    );
  });

  it("refuses a path longer than any real one", () => {
    expect(verdict(`${"a".repeat(4095)}.md`)).toBe("INVALID_ARGUMENT too_long");
  });
});

describe("a prefix", () => {
  it("contains by whole segments and not by letters", () => {
    expect(isWithin("docs/a.md", "doc")).toBe(false);
    expect(isWithin("docs/a.md", "docs")).toBe(true);
    expect(isWithin("docs", "docs")).toBe(true);
    expect(isWithin("a.md", "")).toBe(true);
  });

  it("may end in a slash and may be empty, and follows the rules of a path otherwise", () => {
    expect(checkPrefix("maps/")).toEqual({ ok: true, path: "maps" });
    expect(checkPrefix("")).toEqual({ ok: true, path: "" });
    for (const prefix of ["/", "/maps", "maps//", "..", "a/../b", ".obsidian", "a\\b", "C:"]) expect(checkPrefix(prefix).ok).toBe(false);
  });
});

describe("the order of paths", () => {
  it("is that of their UTF-8 bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        (left, right) => {
          expect(Math.sign(comparePaths(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
        },
      ),
      { numRuns: 2000 },
    );
    expect(comparePaths("\ufffd", "🦊")).toBeLessThan(0);
  });
});

describe("files that no argument could name", () => {
  it("are left out everywhere, and the operator is told how many", async () => {
    const { vault } = await vaultOf(
      new Map<string | Uint8Array, string>([
        ["new\nline.md", "needle"],
        ["back\\slash.md", "needle"],
        [Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2e, 0x6d, 0x64]), "needle"],
        [".obsidian/a.md", "needle"],
        ["notes/.trash/a.md", "needle"],
        ["a.txt", "needle"],
        ["a.md", "needle"],
      ]),
    );
    const paths = await vault.list({ limit: 20 }, signal);
    expect(paths.ok && paths.value.items.map(({ path }) => path)).toEqual(["a.md"]);
    const hits = await vault.search({ query: "needle", scope: "all", limit: 20 }, signal);
    expect(hits.ok && hits.value.items.map(({ path }) => path)).toEqual(["a.md"]);
    expect(vault.logged).toContain(JSON.stringify({ level: "warn", event: "vault_notes_left_out", vault: "notes", count: 2 }));
    expect(isNote("a.md")).toBe(true);
  });
});
