import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openVault } from "../../../../storage/vault/open-vault.ts";
import { type RepositorySettings, openRepository } from "../../../../storage/vault/git/open-repository.ts";
import { createRepository, temporaryFolder } from "../../../support/git-repository.ts";
import { listed, openAt, read, refusalOf, signal, testSealer } from "../opened-vault.ts";

async function refusal(settings: Omit<RepositorySettings, "now">): Promise<string> {
  const opened = await openRepository({ ...settings, now: Date.now });
  if (opened.ok) {
    await opened.value.close();
    return "opened";
  }
  expect(opened.refusal.message).not.toContain("\n");
  return opened.refusal.reason;
}

describe("opening a repository", () => {
  it("accepts a work tree, a bare repository, a linked worktree with its own HEAD, and a link to any of them", async () => {
    const repository = await createRepository();
    const main = await repository.commit({ "a.md": "main" });
    await repository.git("branch", "side");
    const side = await repository.commit({ "a.md": "side" }, "side");
    const folder = await temporaryFolder();
    await repository.git("worktree", "add", "--quiet", join(folder, "tree"), "side");
    await repository.git("clone", "--quiet", "--bare", repository.path, join(folder, "bare.git"));
    await symlink(repository.path, join(folder, "link"));
    expect((await read(await openAt(repository.path), ["a.md"])).commit).toBe(main);
    expect((await read(await openAt(join(folder, "tree")), ["a.md"])).commit).toBe(side);
    expect((await read(await openAt(join(folder, "bare.git")), ["a.md"])).commit).toBe(main);
    expect((await read(await openAt(join(folder, "link")), ["a.md"])).commit).toBe(main);
    expect((await read(await openAt(repository.gitDir), ["a.md"])).commit).toBe(main);
  });

  it("accepts an empty repository", async () => {
    expect(await refusal({ path: (await createRepository()).path })).toBe("opened");
    expect(await refusal({ path: (await createRepository({ bare: true })).path })).toBe("opened");
  });

  it("refuses a folder that does not exist, is a file, or was never configured", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "x");
    for (const path of [join(folder, "missing"), join(folder, "file"), "", "  "]) expect(await refusal({ path })).toBe("missing_folder");
  });

  it("refuses a plain folder, also when a repository lies above it, and never opens that one", async () => {
    const repository = await createRepository();
    await repository.commit({ "a.md": "above", "sub/b.md": "x" });
    const inside = join(repository.path, "sub");
    await mkdir(inside, { recursive: true });
    expect(await refusal({ path: inside })).toBe("inside_other_repository");
    expect(await refusal({ path: join(repository.gitDir, "refs") })).toBe("inside_other_repository");
    expect(await refusal({ path: await temporaryFolder() })).toBe("not_a_repository");
    await mkdir(join(inside, ".git"));
    expect(await refusal({ path: inside })).toBe("inside_other_repository");
    await rm(join(inside, ".git"), { recursive: true });
    await writeFile(join(inside, ".git"), "gitdir: nowhere\n");
    expect(await refusal({ path: inside })).toBe("inside_other_repository");
  });

  it("refuses what only looks like a repository", async () => {
    const folder = await temporaryFolder();
    for (const name of ["objects", "refs"]) await mkdir(join(folder, name));
    await writeFile(join(folder, "HEAD"), "nonsense\n");
    expect(await refusal({ path: folder })).toBe("git_refused");
    const repository = await createRepository();
    await writeFile(join(repository.gitDir, "config"), "[core]\n\trepositoryformatversion = 99\n");
    expect(await refusal({ path: repository.path })).toBe("git_refused");
  });

  it("refuses to start without git, with one that cannot be run, and says which", async () => {
    const { path } = await createRepository();
    const folder = await temporaryFolder();
    await writeFile(join(folder, "git"), "#!/bin/sh\nexit 1\n");
    await chmod(join(folder, "git"), 0o644);
    expect(await refusal({ path, git: { searchPath: await temporaryFolder() } })).toBe("git_missing");
    expect(await refusal({ path, git: { command: join(folder, "git") } })).toBe("git_cannot_start");
    // `spawn` itself throws, as it does in a sandbox that answers EPERM.
    expect(await refusal({ path, git: { command: "git\0" } })).toBe("git_cannot_start");
    await chmod(join(folder, "git"), 0o755);
    expect(await refusal({ path, git: { command: join(folder, "git") } })).toBe("git_refused");
  });

  it("refuses a branch or a root that could mean something else", async () => {
    const { path } = await createRepository();
    for (const branch of ["", "a b", "-x", "a..b", "a\nb", "HEAD~1", "a:b", "@{0}", "x.lock", "/a", "a/"])
      expect([branch, await refusal({ path, branch })]).toEqual([branch, "bad_branch"]);
    for (const root of ["..", "a/../b", ".", "a\0"]) expect(await refusal({ path, root })).toBe("bad_root");
  });

  it("names the vault in one line for the operator", async () => {
    const folder = await temporaryFolder();
    const opened = await openVault({
      name: "notes",
      repository: { path: join(folder, "gone") },
      sealer: testSealer(),
      now: Date.now,
      log: () => undefined,
    });
    expect(opened).toEqual({
      ok: false,
      refusal: { reason: "missing_folder", message: `vault notes: the folder ${join(folder, "gone")} does not exist` },
    });
  });
});

describe("a repository in use", () => {
  it("is not steered by the surroundings: other git variables, personal configuration, hooks or aliases", async () => {
    const repository = await createRepository();
    const commit = await repository.commit({ "a.md": "real" });
    const other = await createRepository();
    await other.commit({ "a.md": "other" });
    const home = await temporaryFolder();
    await writeFile(join(home, ".gitconfig"), "[core]\n\tpager = touch pwned\n[alias]\n\tcat-file = !touch pwned\nbroken\n");
    const before = { ...process.env };
    Object.assign(process.env, {
      GIT_DIR: other.gitDir,
      GIT_OBJECT_DIRECTORY: join(other.gitDir, "objects"),
      HOME: home,
      GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
      GIT_TRACE: "1",
    });
    try {
      expect(await read(await openAt(repository.path), ["a.md"])).toMatchObject({ commit, notes: [{ content: "real" }] });
    } finally {
      process.env = before;
    }
  });

  it("answers unavailable while git is gone, and serves again when it is back", async () => {
    const repository = await createRepository();
    await repository.commit({ "a.md": "x" });
    const folder = await temporaryFolder();
    const command = join(folder, "git");
    const install = (): Promise<void> => writeFile(command, `#!/bin/sh\nexec /usr/bin/env git "$@"\n`, { mode: 0o755 });
    await install();
    let nowMs = 0;
    const searchPath = process.env["PATH"] ?? "";
    const vault = await openAt(repository.path, { git: { command, searchPath }, now: () => nowMs });
    await rm(command);
    for (let round = 0; round < 12; round += 1)
      expect(refusalOf(await vault.list({ limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE git_cannot_start");
    expect(await vault.health()).toMatchObject({ ok: false, commit: null, reason: "git_cannot_start" });
    await install();
    expect(refusalOf(await vault.list({ limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE git_cannot_start");
    nowMs += 5_000;
    expect(await listed(vault)).toEqual(["a.md"]);
    await rm(command);
  });

  it("follows a repository that was removed and cloned anew at the same place", async () => {
    const origin = await createRepository();
    await origin.commit({ "a.md": "old" });
    const folder = join(await temporaryFolder(), "clone");
    await origin.git("clone", "--quiet", "--bare", origin.path, folder);
    const vault = await openAt(folder);
    expect((await read(vault, ["a.md"])).notes[0]?.content).toBe("old");
    await rm(folder, { recursive: true });
    expect(refusalOf(await vault.list({ limit: 5 }, signal))).toBe("UPSTREAM_UNAVAILABLE repository_missing");
    const commit = await origin.commit({ "a.md": "new" });
    await origin.git("clone", "--quiet", "--bare", origin.path, folder);
    expect(await read(vault, ["a.md"])).toMatchObject({ commit, notes: [{ content: "new" }] });
  });

  it("answers unavailable once closed, also to calls under way, and leaves no process behind", async () => {
    const repository = await createRepository();
    await repository.commit(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}.md`, "x".repeat(2000)])));
    const vault = await openAt(repository.path);
    const underWay = [vault.search({ query: "x", scope: "all", limit: 5 }, signal), vault.list({ limit: 5 }, signal)];
    await vault.health();
    await vault.close();
    for (const outcome of await Promise.all(underWay)) expect(refusalOf(outcome)).toBe("UPSTREAM_UNAVAILABLE closed");
    expect(refusalOf(await vault.read({ paths: ["1.md"] }, signal))).toBe("UPSTREAM_UNAVAILABLE closed");
    expect(await vault.health()).toMatchObject({ ok: false, commit: null, reason: "closed" });
    await vault.close();
  });
});
