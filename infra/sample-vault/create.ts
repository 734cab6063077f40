/**
 * The sample vault: twelve notes about an invented person, in a real git repository with two commits. It is served when
 * no other vault is configured. Its commits have the same ids on every machine.
 */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { GitProgram } from "../../storage/vault/git/git-program.ts";
import { StartError } from "../start-error.ts";
import { history } from "./history.ts";
import { runGitIn } from "./run-git.ts";

/** Ids of the two commits. B is the tip of `main`; its parent is A. */
export const sampleCommits = {
  a: "5687b1ae50e0886346f0533270faf254e648347a",
  b: "07f92f597e92d449545ca48b2dad782554f0288e",
} as const;

export type SampleVaultSettings = {
  /** Folder of the repository. Its parent is made if needed. Absolute. */
  readonly directory: string;
  readonly git?: GitProgram;
};

export type SampleVault = {
  /** `kept`: it was there. `remade`: what was there could not be read and was moved to `movedTo`; nothing is deleted. */
  readonly state: "created" | "kept" | "remade";
  readonly movedTo?: string;
};

/**
 * Makes the repository unless it is there and whole. What the person did with it (new commits, another branch, a reset
 * to A) is left alone. It is built beside its place and moved there in one step, so nobody ever sees half of it and
 * several processes may do this at once. Throws a StartError when git or the disk cannot do it.
 */
export async function createSampleVault({ directory, git = {} }: SampleVaultSettings): Promise<SampleVault> {
  try {
    return await settle(directory, git);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError("home", `the sample vault cannot be made in ${directory} (${errnoOf(error)})`);
  }
}

async function settle(directory: string, git: GitProgram): Promise<SampleVault> {
  let movedTo: string | undefined;
  // Each round either finishes or has lost to another process that made progress.
  for (let round = 0; round < 10; round += 1) {
    const place = await inspect(directory, git);
    if (place.kind === "whole") return { state: "kept" };
    if (place.kind === "broken") movedTo = (await moveAside(directory, place.inode, git)) ?? movedTo;
    else if (await build(directory, git)) return movedTo === undefined ? { state: "created" } : { state: "remade", movedTo };
  }
  throw new StartError("home", `the sample vault cannot be made: ${directory} keeps changing`);
}

type Place = { readonly kind: "free" } | { readonly kind: "whole" } | { readonly kind: "broken"; readonly inode: bigint };

async function inspect(directory: string, git: GitProgram): Promise<Place> {
  const found = await stat(directory, { bigint: true }).catch(() => null);
  if (found === null) return { kind: "free" };
  if (found.isDirectory()) {
    if ((await namesIn(directory)).length === 0) return { kind: "free" };
    if (await isWhole(directory, git)) return { kind: "whole" };
  }
  return { kind: "broken", inode: found.ino };
}

/** None when another process has just moved the folder away. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return [];
    throw error;
  });
}

/** Something is checked out, and if it is one of our commits, both of them are there with all they hold. */
async function isWhole(directory: string, git: GitProgram): Promise<boolean> {
  // From outside: the folder may be moved away meanwhile.
  const place = { workTree: directory, cwd: dirname(directory) };
  const head = await runGitIn(place, git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (!head.ok) return false;
  const isOurs = [sampleCommits.a, sampleCommits.b].some((id) => id === head.stdout.trim());
  return !isOurs || (await runGitIn(place, git, ["rev-list", "--objects", "--quiet", sampleCommits.b])).ok;
}

/** Returns the new place, or null when another process was faster. */
async function moveAside(directory: string, inode: bigint, git: GitProgram): Promise<string | null> {
  const now = await stat(directory, { bigint: true }).catch(() => null);
  if (now === null || now.ino !== inode) return null;
  const aside = join(await mkdtemp(`${directory}.unreadable-`), basename(directory));
  try {
    await rename(directory, aside);
  } catch {
    await rm(dirname(aside), { recursive: true, force: true });
    return null;
  }
  const moved = await stat(aside, { bigint: true });
  if (moved.ino === inode) return aside;
  // Between the look and the move another process put a whole one there: back with it, unless there is a newer one yet.
  if (await isWhole(aside, git)) {
    await rename(aside, directory).catch(() => undefined);
    await rm(dirname(aside), { recursive: true, force: true });
  }
  return null;
}

/** False when another process was faster. */
async function build(directory: string, git: GitProgram): Promise<boolean> {
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const making = await mkdtemp(`${directory}.making-`);
  try {
    await must(making, git, ["init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main"]);
    await must(making, git, ["fast-import", "--quiet", "--done"], await history());
    const tip = await must(making, git, ["rev-parse", "refs/heads/main"]);
    if (tip.trim() !== sampleCommits.b)
      throw new StartError(
        "home",
        "the notes of the sample vault were changed in this installation; configure a vault, or install Postern again",
      );
    await must(making, git, ["read-tree", "--reset", "-u", "HEAD"]);
    await rename(making, directory);
    return true;
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errnoOf(error))) return false;
    throw error;
  }
}

function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}

async function must(workTree: string, git: GitProgram, args: readonly string[], input?: Uint8Array): Promise<string> {
  const { ok, stdout } = await runGitIn({ workTree }, git, args, input);
  if (!ok)
    throw new StartError(
      "home",
      `the sample vault cannot be made: git ${args[0] ?? ""} failed; Postern needs git 2.29 or newer and room on the disk`,
    );
  return stdout;
}
