/** Vaults that are not what they should be: at the start, and while Postern runs. Trouble is never "no results". */
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createRepository, temporaryFolder } from "../support/git-repository.ts";
import { type Postern, startPostern } from "../support/postern.ts";
import { call, post } from "../support/rpc.ts";

let postern: Postern | null = null;
afterEach(async () => {
  await postern?.stop();
  postern = null;
});

async function serve(repository: string, env: Readonly<Record<string, string>> = {}): Promise<Postern> {
  postern = await startPostern({ config: () => `operations: null\nvault: { repository: '${repository}' }\n`, env });
  return postern;
}
async function search(running: Postern): Promise<Readonly<Record<string, unknown>>> {
  const reply = await post(running.url, await running.token(), call(1, "vault_search", { query: "고양이" }));
  return reply.json().result.structuredContent;
}
const found = { items: [{ path: "동물.md" }] };
const note = { "동물.md": "# 동물\n고양이가 잔다.\n" };

describe("at the start", () => {
  it.each<readonly [string, (folder: string) => Promise<void>, RegExp]>([
    ["is missing", async () => undefined, /does not exist/],
    ["is a file", async (folder) => writeFile(folder, ""), /vault vault: /],
    ["is a plain folder", async (folder) => void (await mkdir(folder)), /vault vault: .*repository/],
  ])("a vault that %s is refused by name", async (_what, make, words) => {
    const folder = join(await temporaryFolder(), "금고");
    await make(folder);
    await expect(serve(folder)).rejects.toThrow(words);
    await expect(serve(folder)).rejects.toThrow(folder);
  });

  it("a plain folder inside another repository is refused: that one was never configured", async () => {
    const outer = await createRepository();
    await outer.commit({ ...note, "inner/a.md": "고양이" });
    await mkdir(join(outer.path, "inner"), { recursive: true });
    await expect(serve(join(outer.path, "inner"))).rejects.toThrow(/inner/);
  });

  it("a git that cannot be started is refused with its own words", async () => {
    const bin = await temporaryFolder();
    await writeFile(join(bin, "git"), "no program");
    await chmod(join(bin, "git"), 0o644);
    const repository = await createRepository();
    await expect(serve(repository.path, { PATH: bin })).rejects.toThrow(/git/);
  });

  it("a repository without a commit is served, says so, and is read once there is one", async () => {
    const repository = await createRepository();
    const running = await serve(repository.path);
    expect(await search(running)).toMatchObject({ error_code: "UPSTREAM_UNAVAILABLE" });
    await repository.commit(note);
    expect(await search(running)).toMatchObject(found);
  });
});

describe("a root folder that is not in the repository", () => {
  const config = (path: string, root: string): string => `operations: null\nvault: { repository: '${path}', root: '${root}' }\n`;

  it("is said in the log and the terminal at the start, and in the log when an edit brings it", async () => {
    const repository = await createRepository();
    await repository.commit({ "노트/a.md": "고양이" });
    postern = await startPostern({ config: () => config(repository.path, "없음") });
    const warning = expect.objectContaining({
      level: "warn",
      event: "vault_unavailable",
      vault: "vault",
      reason: "root_missing",
      detail: "The vault's root folder does not exist at this commit.",
    });
    const warnings = async (): Promise<number> => (await postern?.logs())?.filter(({ event }) => event === "vault_unavailable").length ?? 0;
    expect(postern.banner.join("\n")).toContain("nothing can be read: The vault's root folder does not exist");
    expect(await postern.logs()).toContainEqual(warning);
    for (const [root, expected] of [
      ["노트", 1],
      ["없음", 2],
    ] as const) {
      await writeFile(join(postern.folder, "postern.yaml"), config(repository.path, root));
      await postern.reload();
      expect(await warnings()).toBe(expected);
    }
  });
});

describe("while Postern runs", () => {
  it("a vault that is moved away is unavailable, never empty, and back when it is back", async () => {
    const repository = await createRepository();
    await repository.commit(note);
    const running = await serve(repository.path);
    expect(await search(running)).toMatchObject(found);
    await rename(repository.path, `${repository.path}-away`);
    expect(await search(running)).toMatchObject({
      error_code: "UPSTREAM_UNAVAILABLE",
      retryable: true,
      details: { reason: "repository_missing" },
    });
    expect(await running.logs()).toContainEqual(
      expect.objectContaining({ event: "call", outcome: "UPSTREAM_UNAVAILABLE", reason: "repository_missing" }),
    );
    await rename(`${repository.path}-away`, repository.path);
    expect(await search(running)).toMatchObject(found);
  });

  it("a vault whose objects are damaged is unavailable, never a shorter list", async () => {
    const repository = await createRepository();
    await repository.commit(note);
    const running = await serve(repository.path);
    for (const name of await readdir(join(repository.gitDir, "objects")))
      await rm(join(repository.gitDir, "objects", name), { recursive: true, force: true });
    expect(await search(running)).toMatchObject({ error_code: "UPSTREAM_UNAVAILABLE" });
  });
});
