import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRepository, temporaryFolder } from "../../support/git-repository.ts";
import { openRepository } from "../../../storage/vault/git/open-repository.ts";
import { createVault } from "../../../storage/vault/open-vault.ts";
import type { Repository } from "../../../storage/vault/repository.ts";
import { listed, openAt, read, refusalOf, signal, testSealer, valueOf, vaultOf } from "./opened-vault.ts";

async function everyCall(vault: Awaited<ReturnType<typeof openAt>>, commit?: string): Promise<readonly string[]> {
  const at = commit === undefined ? {} : { commit };
  return [
    refusalOf(await vault.list({ limit: 5, ...at }, signal)),
    refusalOf(await vault.search({ query: "x", scope: "all", limit: 5, ...at }, signal)),
    refusalOf(await vault.read({ paths: ["a.md"], ...at }, signal)),
  ];
}

const thrice = (text: string): readonly string[] => [text, text, text];

describe("the commit argument", () => {
  it("is a full object id and nothing else that git would understand", async () => {
    const { vault, commit } = await vaultOf({ "a.md": "x" });
    const wrong = [
      "--output=x",
      "HEAD",
      "HEAD~1",
      ":/A",
      "HEAD@{0}",
      "main",
      commit.slice(0, 7),
      commit.toUpperCase(),
      `${commit}\n`,
      ` ${commit}`,
      `${commit}^{tree}`,
      "",
      `${commit}0`,
      "-".repeat(40),
    ];
    for (const text of wrong) expect([text, await everyCall(vault, text)]).toEqual([text, thrice("INVALID_ARGUMENT")]);
    expect(await everyCall(vault, commit)).toEqual(thrice("ok"));
  });

  it("names a commit: not a tree, a blob, a tag or nothing", async () => {
    const { vault, repository } = await vaultOf({ "a.md": "x" });
    await repository.git("tag", "-a", "-m", "tag", "v1", "main");
    const others = ["main^{tree}", "main:a.md", "v1"].map((name) => repository.git("rev-parse", name));
    for (const id of [...(await Promise.all(others)), "0".repeat(40), "f".repeat(64)])
      expect(await everyCall(vault, id)).toEqual(thrice("COMMIT_UNAVAILABLE"));
  });

  it("is part of the configured branch's history: another branch, a dangling and a rewritten commit are not", async () => {
    const repository = await createRepository();
    const base = await repository.commit({ "a.md": "x" });
    const rewritten = await repository.commit({ "a.md": "secret" });
    await repository.git("update-ref", "refs/heads/main", base);
    await repository.git("update-ref", "refs/heads/other", base);
    const other = await repository.commit({ "a.md": "other" }, "other");
    const tip = await repository.commit({ "a.md": "y" });
    const vault = await openAt(repository.path);
    expect(await everyCall(vault, rewritten)).toEqual(thrice("COMMIT_UNAVAILABLE"));
    expect(await everyCall(vault, other)).toEqual(thrice("COMMIT_UNAVAILABLE"));
    expect(await everyCall(vault, base)).toEqual(thrice("ok"));
    expect(await everyCall(vault, tip)).toEqual(thrice("ok"));
    const onOther = await openAt(repository.path, { branch: "other" });
    expect(await everyCall(onOther, other)).toEqual(thrice("ok"));
    expect(await everyCall(onOther, tip)).toEqual(thrice("COMMIT_UNAVAILABLE"));
  });

  it("of a history that was pushed over and collected is unavailable, and the new tip is readable", async () => {
    const repository = await createRepository({ bare: true });
    const base = await repository.commit({ "a.md": "base" });
    const old = await repository.commit({ "a.md": "old" });
    const vault = await openAt(repository.path);
    expect((await read(vault, ["a.md"])).commit).toBe(old);
    await repository.git("update-ref", "refs/heads/main", base);
    const next = await repository.commit({ "a.md": "new" });
    await repository.git("reflog", "expire", "--expire=now", "--all");
    await repository.git("gc", "--quiet", "--prune=now");
    expect(await everyCall(vault, old)).toEqual(thrice("COMMIT_UNAVAILABLE"));
    expect(await read(vault, ["a.md"])).toMatchObject({ commit: next, notes: [{ content: "new" }] });
    const again = await openAt(repository.path);
    expect(await everyCall(again, old)).toEqual(thrice("COMMIT_UNAVAILABLE"));
    expect(await everyCall(again, base)).toEqual(thrice("ok"));
  });

  it("older than a shallow clone holds is unavailable", async () => {
    const repository = await createRepository();
    const first = await repository.commit({ "a.md": "1" });
    await repository.commit({ "a.md": "2" });
    const clone = await temporaryFolder();
    await repository.git("clone", "--quiet", "--bare", "--depth=1", `file://${repository.path}`, clone);
    const vault = await openAt(clone);
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe("2");
    expect(await everyCall(vault, first)).toEqual(thrice("COMMIT_UNAVAILABLE"));
  });

  it("is refused when the commit was pushed away and pruned while Postern ran, and the newest one stays readable", async () => {
    const repository = await createRepository();
    const base = await repository.commit({ "a.md": "base" });
    const lost = await repository.commit({ "a.md": "lost" });
    await repository.git("gc", "--quiet");
    const vault = await openAt(repository.path);
    expect(await everyCall(vault, lost)).toEqual(thrice("ok"));
    await repository.git("update-ref", "refs/heads/main", base);
    await repository.git("reflog", "expire", "--expire=now", "--all");
    await repository.git("gc", "--quiet", "--prune=now");
    expect(await everyCall(vault, lost)).toEqual(thrice("COMMIT_UNAVAILABLE"));
    expect(await everyCall(vault, base)).toEqual(thrice("ok"));
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe("base");
  });

  it("left out means the newest commit, resolved once and seen at once after a push, a pack and a collection", async () => {
    const repository = await createRepository();
    const first = await repository.commit({ "a.md": "1" });
    const vault = await openAt(repository.path);
    expect((await read(vault, ["a.md"])).commit).toBe(first);
    const second = await repository.commit({ "a.md": "2", "b.md": "2" });
    expect(await read(vault, ["a.md", "b.md"])).toMatchObject({ commit: second, notes: [{ content: "2" }, { content: "2" }] });
    await repository.git("pack-refs", "--all");
    await repository.git("gc", "--quiet", "--prune=now");
    expect((await read(vault, ["a.md"])).commit).toBe(second);
    const third = await repository.commit({ "a.md": "3" });
    expect((await read(vault, ["a.md"])).commit).toBe(third);
  });

  it("left out stays what it was when others commit in the middle of the call, at whatever step", async () => {
    const repository = await createRepository();
    const files = (text: string) => ({ "a.md": `needle ${text} [[b]]`, "b.md": `needle ${text}`, "sub/c.md": `needle ${text}` });
    let current = await repository.commit(files("0"));
    const opened = await openRepository({ path: repository.path, now: Date.now });
    if (!opened.ok) throw new Error(opened.refusal.message);
    const real = opened.value;
    onTestFinished(() => real.close());
    let round = 0;
    let tips = 0;
    // Every step after the tip was read finds a newer tip, with other texts and without the note that a link names.
    const commitNext = async (): Promise<void> => {
      round += 1;
      current = await repository.commit({ ...files(String(round)), "b.md": round % 2 === 1 ? null : `needle ${round}` });
    };
    // Notes are read side by side; the pushes come one after the other.
    let pushed = Promise.resolve();
    const push = (): Promise<void> => (pushed = pushed.then(commitNext));
    const racing: Repository = {
      ...real,
      tip: async (at) => {
        tips += 1;
        const tip = await real.tip(at);
        await push();
        return tip;
      },
      tree: async (commit, at) => {
        const tree = await real.tree(commit, at);
        await push();
        return tree;
      },
      blob: async (oid, at) => {
        await push();
        return real.blob(oid, at);
      },
    };
    const vault = createVault({ name: "notes", sealer: testSealer(), now: Date.now, log: () => undefined }, racing);
    for (let turn = 0; turn < 3; turn += 1) {
      for (const ask of [
        async () => valueOf(await vault.list({ limit: 20 }, signal)),
        async () => valueOf(await vault.search({ query: "needle", scope: "all", limit: 20 }, signal)),
        async () => valueOf(await vault.read({ paths: ["a.md", "sub/c.md"] }, signal)),
      ]) {
        const expected = current;
        tips = 0;
        const answer = await ask();
        expect([answer.commit, tips]).toEqual([expected, 1]);
        expect(current).not.toBe(expected);
        const held = (await repository.git("ls-tree", "-r", "--name-only", expected)).split("\n");
        if ("items" in answer) expect(answer.items.map(({ path }) => path)).toEqual(held);
        else {
          for (const { path, content } of answer.notes)
            expect(content).toBe(await repository.git("cat-file", "blob", `${expected}:${path}`));
          expect(answer.notes[0]?.links[0]?.resolution).toBe(held.includes("b.md") ? "resolved" : "missing");
        }
      }
    }
  });

  it("never sees a replaced commit in place of the real one", async () => {
    const repository = await createRepository();
    await repository.commit({ "a.md": "forged" }, "forged");
    const real = await repository.commit({ "a.md": "real" });
    await repository.git("replace", real, "refs/heads/forged");
    const vault = await openAt(repository.path);
    expect(await read(vault, ["a.md"])).toMatchObject({ commit: real, notes: [{ content: "real" }] });
  });
});

describe("the branch served", () => {
  it("is the one HEAD points at unless another is configured, whatever it is called, detached or not", async () => {
    const repository = await createRepository({ branch: "trunk" });
    const trunk = await repository.commit({ "a.md": "trunk" });
    await repository.git("branch", "feature/하나", "trunk");
    const feature = await repository.commit({ "a.md": "feature" }, "feature/하나");
    expect((await read(await openAt(repository.path), ["a.md"])).commit).toBe(trunk);
    expect((await read(await openAt(repository.path, { branch: "feature/하나" }), ["a.md"])).commit).toBe(feature);
    expect((await read(await openAt(repository.path, { branch: "refs/heads/trunk" }), ["a.md"])).commit).toBe(trunk);
    await repository.git("update-ref", "--no-deref", "HEAD", feature);
    await writeFile(join(repository.gitDir, "HEAD"), `${feature}\n`);
    expect((await read(await openAt(repository.path), ["a.md"])).commit).toBe(feature);
  });

  it("that does not exist in a repository with commits is named as the reason", async () => {
    const { repository } = await vaultOf({ "a.md": "x" });
    const vault = await openAt(repository.path, { branch: "nope" });
    expect(await everyCall(vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE branch_missing"));
    expect(await vault.health()).toMatchObject({ ok: false, commit: null, reason: "branch_missing" });
  });

  it("that HEAD names and nobody made is told from a repository without a commit", async () => {
    const { repository, vault } = await vaultOf({ "a.md": "x" });
    await repository.git("symbolic-ref", "HEAD", "refs/heads/master");
    expect(await everyCall(vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE branch_missing"));
  });

  it("of an empty repository makes every call unavailable and never an empty list, until the first commit is there", async () => {
    for (const bare of [false, true]) {
      const repository = await createRepository({ bare });
      const vault = await openAt(repository.path);
      const named = await openAt(repository.path, { branch: "main" });
      expect(await everyCall(vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE empty_repository"));
      expect(await everyCall(named)).toEqual(thrice("UPSTREAM_UNAVAILABLE empty_repository"));
      expect(await everyCall(vault, "0".repeat(40))).toEqual(thrice("UPSTREAM_UNAVAILABLE empty_repository"));
      expect(await vault.health()).toMatchObject({ ok: false, commit: null, reason: "empty_repository" });
      const commit = await repository.commit({ "a.md": "x" });
      expect(await vault.health()).toEqual({ ok: true, commit });
      expect(await listed(named)).toEqual(["a.md"]);
    }
  });

  it("works in a repository of SHA-256 objects", async () => {
    const repository = await createRepository({ objectFormat: "sha256" });
    const commit = await repository.commit({ "a.md": "x" });
    expect(commit).toHaveLength(64);
    const vault = await openAt(repository.path);
    expect(await read(vault, ["a.md"], { commit })).toMatchObject({ commit, notes: [{ content: "x" }] });
  });

  it("without the configured root folder is unavailable, not empty", async () => {
    const { vault } = await vaultOf({ "a.md": "x", link: { symlink: "a.md" } }, { root: "missing" });
    expect(await everyCall(vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE root_missing"));
    const linked = await vaultOf({ "a.md": "x", link: { symlink: "a.md" } }, { root: "link" });
    expect(await everyCall(linked.vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE root_not_a_folder"));
    expect([await vault.health(), await linked.vault.health()]).toMatchObject([
      { ok: false, reason: "root_missing", detail: "The vault's root folder does not exist at this commit." },
      { ok: false, reason: "root_not_a_folder" },
    ]);
  });

  it("has its root folder found in either Unicode form, and told apart where it holds both", async () => {
    const [composed, decomposed] = ["노트/일기", "노트/일기".normalize("NFD")];
    for (const written of [composed, decomposed]) {
      for (const held of [composed, decomposed]) {
        const { vault, commit } = await vaultOf({ [`${held}/a.md`]: "x" }, { root: written });
        expect(await listed(vault)).toEqual(["a.md"]);
        expect(await vault.health()).toEqual({ ok: true, commit });
      }
    }
    const both = { [`${composed}/a.md`]: "x", [`${decomposed}/b.md`]: "x" };
    expect(await listed((await vaultOf(both, { root: composed })).vault)).toEqual(["a.md"]);
    expect(await listed((await vaultOf(both, { root: decomposed })).vault)).toEqual(["b.md"]);
    const mixed = `노트/${"일기".normalize("NFD")}`;
    expect(await everyCall((await vaultOf(both, { root: mixed })).vault)).toEqual(thrice("UPSTREAM_UNAVAILABLE root_ambiguous"));
  });

  it("of a tree without notes is an empty list and no failure", async () => {
    const { vault, commit } = await vaultOf({ "a.txt": "x" });
    expect(valueOf(await vault.list({ limit: 5 }, signal))).toEqual({ commit, items: [], next_cursor: null });
  });
});
