import { describe, expect, it } from "vitest";
import type { NoteLink } from "../../../storage/ports.ts";
import type { Planted } from "../../support/git-repository.ts";
import { read, vaultOf } from "./opened-vault.ts";

/** Links of `source` when it holds `text` beside the other files. */
async function linksOf(source: string, text: string, files: Readonly<Record<string, Planted>> = {}): Promise<readonly NoteLink[]> {
  const { vault } = await vaultOf({ ...files, [source]: text });
  return (await read(vault, [source])).notes[0]?.links ?? [];
}

describe("a link", () => {
  it("to a name that several notes have is ambiguous with all of them in byte order, and none is chosen", async () => {
    const files = { "notes/README.md": "", "00.projects/README.md": "", "_Inbox/README.md": "" };
    expect(await linksOf("a.md", "[[README]]", files)).toEqual([
      {
        target_path: "README",
        anchor: null,
        resolution: "ambiguous",
        kind: "note",
        candidates: ["00.projects/README.md", "_Inbox/README.md", "notes/README.md"],
        obsidian_choice: "notes/README.md",
      },
    ]);
  });

  it("that is ambiguous says which note Obsidian would open: the exact path, else its own folder, else the shortest path as text", async () => {
    const choice = async (source: string, text: string, files: Readonly<Record<string, Planted>>) =>
      (await linksOf(source, text, files))[0]?.obsidian_choice;
    expect(await choice("q/s.md", "[[Note]]", { "a/b/Note.md": "", "zzzz/Note.md": "" })).toBe("a/b/Note.md");
    expect(await choice("zzzz/s.md", "[[Note]]", { "a/b/Note.md": "", "zzzz/Note.md": "" })).toBe("zzzz/Note.md");
    expect(await choice("zzzz/s.md", "[[Note]]", { "Note.md": "", "zzzz/Note.md": "" })).toBe("Note.md");
    expect(await choice("zzzz/y/s.md", "[[Note]]", { "a/b/Note.md": "", "zzzz/Note.md": "" })).toBe("a/b/Note.md");
  });

  it("to one of two notes of the same name in different folders is never settled by the order of registration", async () => {
    const links = await linksOf("notes/s.md", "[[alpha]]", { "notes/alpha.md": "", "archive/alpha.md": "" });
    expect(links[0]).toMatchObject({
      resolution: "ambiguous",
      candidates: ["archive/alpha.md", "notes/alpha.md"],
      obsidian_choice: "notes/alpha.md",
    });
  });

  it("by an alias alone is missing, and names the note that has the alias", async () => {
    const files = { "people/b.md": "---\naliases: [AL, 다른 이름]\n---\n", "people/c.md": "---\naliases:\n  - AL\n---\n" };
    expect(await linksOf("a.md", "[[al]] [[다른 이름#H|x]] [[nobody]]", files)).toEqual([
      { target_path: "al", anchor: null, resolution: "missing", kind: "note", alias_of: "people/b.md" },
      { target_path: "다른 이름", anchor: "H", resolution: "missing", kind: "note", alias_of: "people/b.md" },
      { target_path: "nobody", anchor: null, resolution: "missing", kind: "note" },
    ]);
  });

  it("by the whole path from the root, by the end of a path, with or without .md, or in another case or normal form is resolved", async () => {
    const files = {
      "areas/라온/진행.md": "",
      "x/areas/other.md": "",
      "Log.md": "",
      "v1.2.md": "",
      [`n/${"학점".normalize("NFD")}.md`]: "",
    };
    const links = await linksOf(
      "a.md",
      "[[areas/라온/진행]] [[라온/진행.md#h]] [[log]] [[LOG.MD]] [[v1.2]] [[학점]] [[/Log]] [[areas/other]]",
      files,
    );
    expect(links.map(({ target_path, resolution }) => `${resolution} ${target_path}`)).toEqual([
      "resolved areas/라온/진행.md",
      "resolved areas/라온/진행.md",
      "resolved Log.md",
      "resolved v1.2.md",
      `resolved n/${"학점".normalize("NFD")}.md`,
      "resolved x/areas/other.md",
    ]);
  });

  it("by a whole path is not made ambiguous by a longer path that ends the same", async () => {
    const links = await linksOf("a.md", "[[notes/b]]", { "notes/b.md": "", "x/notes/b.md": "" });
    expect(links[0]).toMatchObject({ resolution: "resolved", target_path: "notes/b.md" });
  });

  it("that differs from two notes only in case is ambiguous, unless one is spelled exactly so", async () => {
    const files = { "Log.md": "", "log.md": "" };
    expect((await linksOf("a.md", "[[log]]", files))[0]).toMatchObject({ resolution: "resolved", target_path: "log.md" });
    expect((await linksOf("a.md", "[[LOG]]", files))[0]).toMatchObject({ resolution: "ambiguous", candidates: ["Log.md", "log.md"] });
  });

  it("to a heading of the note itself is resolved to the note", async () => {
    expect(await linksOf("x/a.md", "[[#H]] [y](#h%20i)")).toEqual([
      { target_path: "x/a.md", anchor: "H", resolution: "resolved", kind: "note" },
      { target_path: "x/a.md", anchor: "h i", resolution: "resolved", kind: "note" },
    ]);
  });

  it("written as a wiki link to an address is a note that is missing", async () => {
    expect(await linksOf("a.md", "[[https://x.example]]")).toEqual([
      { target_path: "https://x.example", anchor: null, resolution: "missing", kind: "note" },
    ]);
  });

  it("in Markdown is read from the note's own folder and from the root, and is ambiguous where those differ", async () => {
    const files = { "notes/b.md": "", "notes/notes/b.md": "", "notes/c d.md": "", "root.md": "", "deep/er/only.md": "" };
    const links = await linksOf(
      "notes/a.md",
      "[](notes/b.md) [](c%20d.md) [](./c%20d.md) [](../root.md) [](/root.md) [](only.md) [](../../out.md) [](gone.md)",
      files,
    );
    expect(links.map(({ target_path, resolution }) => `${resolution} ${target_path}`)).toEqual([
      "ambiguous notes/b.md",
      "resolved notes/c d.md",
      "resolved root.md",
      "resolved deep/er/only.md",
      "missing ../../out.md",
      "missing gone.md",
    ]);
    expect(links[0]).toMatchObject({ candidates: ["notes/b.md", "notes/notes/b.md"], obsidian_choice: "notes/b.md" });
  });

  it("to a file that is no note is an attachment; an address is not listed", async () => {
    const links = await linksOf(
      "a.md",
      "![[p.png]] ![](img/p.png) [[gone.pdf]] [x](data.xyz) [e](https://x.example/a?b#c) [m](mailto:me@x.example)",
      { "img/p.png": "x" },
    );
    expect(links.map(({ kind, target_path, resolution }) => `${kind} ${resolution} ${target_path}`)).toEqual([
      "attachment resolved img/p.png",
      "attachment missing gone.pdf",
      "attachment missing data.xyz",
    ]);
  });

  it("never leads to a hidden file, a symbolic link or out of the vault's root", async () => {
    const { vault } = await vaultOf(
      {
        "vault/a.md": "[[config]] [[link]] [[outside]] [](../outside.md)",
        "vault/.obsidian/config.md": "",
        "vault/link.md": { symlink: "a.md" },
        "outside.md": "",
      },
      { root: "vault" },
    );
    expect((await read(vault, ["a.md"])).notes[0]?.links.map(({ resolution }) => resolution)).toEqual([
      "missing",
      "missing",
      "missing",
      "missing",
    ]);
  });

  it("written twice is listed once, at the place of the first", async () => {
    const links = await linksOf("a.md", "[[b]] [[c]] [[B]] [[b#h]]", { "b.md": "", "c.md": "" });
    expect(links.map(({ target_path, anchor }) => [target_path, anchor])).toEqual([
      ["b.md", null],
      ["c.md", null],
      ["b.md", "h"],
    ]);
  });

  it("that could mean hundreds of notes lists twenty of them and says how many there are", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${String(index).padStart(2, "0")}/index.md`, ""]));
    const link = (await linksOf("a.md", "[[index]]", files))[0];
    expect(link).toMatchObject({ resolution: "ambiguous", candidates_total: 30, obsidian_choice: "00/index.md" });
    expect(link?.candidates).toEqual(Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, "0")}/index.md`));
  });

  it("with an escaped bar in prose leaves the text as it is", async () => {
    const { vault } = await vaultOf({ "a.md": "[[b\\|c]]", "b.md": "" });
    expect((await read(vault, ["a.md"])).notes[0]).toMatchObject({
      content: "[[b\\|c]]",
      links: [{ target_path: "b.md", resolution: "resolved" }],
    });
  });
});
