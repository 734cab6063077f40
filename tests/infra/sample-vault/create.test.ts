import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { build } from "../../../infra/build.ts";
import { createSampleVault, type SampleVault } from "../../../infra/sample-vault/create.ts";
import { commitA, commitB } from "./frozen.ts";
import { git, gitLines, makeScratch, type Scratch } from "./scratch.ts";

const source = fileURLToPath(new URL("../../../infra/sample-vault/create.ts", import.meta.url));

let scratch: Scratch;
let directory: string;

beforeEach(async () => {
  scratch = await makeScratch();
  directory = join(scratch.directory, "home", "vault");
});
afterEach(() => scratch.remove());

/** What stands beside the repository: nothing may be left there. */
const neighbours = async (): Promise<readonly string[]> => (await readdir(join(directory, ".."))).filter((name) => name !== "vault");

function expectWhole(): void {
  expect(gitLines(directory, "rev-list", "main")).toEqual([commitB, commitA]);
  git(directory, "fsck", "--strict", "--no-dangling");
  expect(gitLines(directory, "status", "--porcelain")).toEqual([]);
}

/** Creates the vault in a process of its own. */
function createElsewhere(module = source): Promise<SampleVault> {
  const program = `const { createSampleVault } = await import(${JSON.stringify(module)}); console.log(JSON.stringify(await createSampleVault({ directory: ${JSON.stringify(directory)} })));`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: ["ignore", "pipe", "pipe"] });
    const said: string[] = [];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(said.join(""))) : reject(new Error(said.join("")))));
  });
}

describe("the sample vault", () => {
  it("is made as a repository with a work tree, no remote and no hooks", async () => {
    expect(await createSampleVault({ directory })).toEqual({ state: "created" });
    expectWhole();
    expect(gitLines(directory, "remote")).toEqual([]);
    expect((await readdir(directory)).toSorted()).toEqual([".git", "areas", "atomic", "maps", "projects", "reference", "rules", "sources"]);
    expect(await readdir(join(directory, ".git"))).not.toContain("hooks");
    expect(await neighbours()).toEqual([]);
  });

  it("can be read by its owner only", async () => {
    await createSampleVault({ directory });
    expect((await stat(directory)).mode & 0o077).toBe(0);
  });

  it("has the same commits whatever the person's git configuration, environment and time zone say", async () => {
    const config = join(scratch.directory, "gitconfig");
    const hooks = join(scratch.directory, "hooks");
    await mkdir(hooks);
    await writeFile(join(hooks, "reference-transaction"), "#!/bin/sh\nexit 1\n");
    await chmod(join(hooks, "reference-transaction"), 0o755);
    await writeFile(
      config,
      `[user]\nname = Somebody\nemail = s@example.invalid\n[core]\nautocrlf = true\nhooksPath = ${hooks}\n[init]\ndefaultBranch = trunk\n[commit]\ngpgSign = true\n[i18n]\ncommitEncoding = EUC-KR\n`,
    );
    vi.stubEnv("GIT_CONFIG_GLOBAL", config);
    vi.stubEnv("GIT_DEFAULT_HASH", "sha256");
    vi.stubEnv("GIT_DIR", scratch.directory);
    vi.stubEnv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z");
    vi.stubEnv("TZ", "America/Lima");
    await createSampleVault({ directory });
    expectWhole();
  });

  it("is made by the bundled program as well", async () => {
    const dist = join(scratch.directory, "dist");
    await build(dist, source);
    expect(await createElsewhere(join(dist, "main.js"))).toEqual({ state: "created" });
    expectWhole();
  });

  it("is left alone when it is there", async () => {
    await createSampleVault({ directory });
    const before = await stat(join(directory, ".git", "refs", "heads", "main"));
    expect(await createSampleVault({ directory })).toEqual({ state: "kept" });
    expect(await stat(join(directory, ".git", "refs", "heads", "main"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  it("keeps what the person did with it", async () => {
    await createSampleVault({ directory });
    git(directory, "reset", "--quiet", "--hard", commitA);
    expect(await createSampleVault({ directory })).toEqual({ state: "kept" });
    expect(gitLines(directory, "rev-parse", "HEAD")).toEqual([commitA]);
    await writeFile(join(directory, "mine.md"), "my own\n");
    git(directory, "add", "mine.md");
    git(directory, "commit", "--quiet", "-m", "mine");
    expect(await createSampleVault({ directory })).toEqual({ state: "kept" });
    expect(await readFile(join(directory, "mine.md"), "utf8")).toBe("my own\n");
  });

  it("is made in a folder that is there but empty", async () => {
    await mkdir(directory, { recursive: true });
    expect(await createSampleVault({ directory })).toEqual({ state: "created" });
    expectWhole();
  });
});

describe("a half-made sample vault", () => {
  const halves: readonly (readonly [string, () => Promise<void> | void])[] = [
    ["has no commit yet", async () => void (await mkdir(directory, { recursive: true }), git(directory, "init", "--quiet", "-b", "main"))],
    [
      "has notes but no repository",
      async () => (await createSampleVault({ directory }), await rm(join(directory, ".git"), { recursive: true })),
    ],
    [
      "has lost one object of its history",
      async () => {
        await createSampleVault({ directory });
        const [oid = ""] = gitLines(directory, "rev-parse", `${commitA}:areas/라온/진행.md`);
        await rm(join(directory, ".git", "objects", oid.slice(0, 2), oid.slice(2)));
      },
    ],
    [
      "holds commit A only",
      async () => {
        await createSampleVault({ directory });
        git(directory, "reset", "--quiet", "--hard", commitA);
        git(directory, "reflog", "expire", "--expire=now", "--all");
        git(directory, "update-ref", "-d", "ORIG_HEAD");
        git(directory, "gc", "--quiet", "--prune=now");
      },
    ],
    ["is a file", async () => (await mkdir(join(directory, ".."), { recursive: true }), await writeFile(directory, "not a folder\n"))],
  ];

  it.each(halves)("is made anew, and what was there is kept beside it, when it %s", async (_what, prepare) => {
    await prepare();
    const made = await createSampleVault({ directory });
    expect(made.state).toBe("remade");
    expectWhole();
    expect(await stat(made.movedTo ?? "")).toBeDefined();
    expect(await neighbours()).toHaveLength(1);
  });
});

describe("several processes at once", () => {
  it("make one sample vault between them", async () => {
    const states = await Promise.all([
      createElsewhere(),
      createElsewhere(),
      ...Array.from({ length: 6 }, () => createSampleVault({ directory })),
    ]);
    expect(states.filter(({ state }) => state === "created")).toHaveLength(1);
    expect(states.filter(({ state }) => state === "kept")).toHaveLength(7);
    expectWhole();
    expect(await neighbours()).toEqual([]);
  });

  it("make a half-made one whole between them, and keep what was there once", async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "somebody's.txt"), "keep me\n");
    const states = await Promise.all([
      createElsewhere(),
      createElsewhere(),
      ...Array.from({ length: 6 }, () => createSampleVault({ directory })),
    ]);
    const movedTo = states.flatMap((made) => (made.movedTo === undefined ? [] : [made.movedTo]));
    expectWhole();
    expect(await neighbours()).toHaveLength(1);
    for (const place of movedTo) expect(await readFile(join(place, "somebody's.txt"), "utf8")).toBe("keep me\n");
  });
});

describe("a sample vault that cannot be made", () => {
  it("says that git is missing, with the exit code for it", async () => {
    await expect(createSampleVault({ directory, git: { command: "no-such-git" } })).rejects.toMatchObject({
      exitCode: 69,
      message: "git was not found (looked for no-such-git); install git",
    });
    expect(await neighbours()).toEqual([]);
  });

  it("says which folder refuses", async () => {
    await writeFile(join(scratch.directory, "home"), "a file where the folder should be\n");
    await expect(createSampleVault({ directory })).rejects.toMatchObject({
      exitCode: 73,
      message: `the sample vault cannot be made in ${directory} (EEXIST)`,
    });
  });

  it("says so when git fails, and leaves nothing behind", async () => {
    const command = join(scratch.directory, "broken-git");
    await writeFile(command, "#!/bin/sh\nexit 3\n");
    await chmod(command, 0o755);
    await expect(createSampleVault({ directory, git: { command } })).rejects.toMatchObject({ exitCode: 73 });
    expect(await neighbours()).toEqual([]);
  });
});
