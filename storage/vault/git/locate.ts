/** Finds the git directory of a configured folder: in that folder itself and nowhere above it. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export type Located =
  | { readonly kind: "found"; readonly gitDir: string }
  | { readonly kind: "missing_folder" | "not_a_repository" | "inside_other_repository" };

/** Longest `.git` file read, in bytes: one line with a path. */
const maxGitFileBytes = 4096;

export async function locateGitDir(folder: string): Promise<Located> {
  const path = resolve(folder);
  if ((await kindOf(path)) !== "folder") return { kind: "missing_folder" };
  const dotGit = join(path, ".git");
  const kind = await kindOf(dotGit);
  if (kind === "folder" && (await looksLikeGitDir(dotGit))) return { kind: "found", gitDir: dotGit };
  if (kind === "file") {
    const target = await gitFileTarget(dotGit);
    if (target !== null && (await looksLikeGitDir(target))) return { kind: "found", gitDir: target };
  }
  if (await looksLikeGitDir(path)) return { kind: "found", gitDir: path };
  return { kind: (await hasRepositoryAbove(path)) ? "inside_other_repository" : "not_a_repository" };
}

/** A worktree or submodule holds a file `.git` with one line `gitdir: PATH` (gitrepository-layout(5)). */
async function gitFileTarget(file: string): Promise<string | null> {
  try {
    if ((await stat(file)).size > maxGitFileBytes) return null;
    const match = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(file, "utf8"));
    return match?.[1] === undefined ? null : resolve(dirname(file), match[1]);
  } catch {
    return null;
  }
}

/** git's own test, roughly: HEAD, and objects and refs here or in the common directory of a worktree. git itself confirms it later. */
async function looksLikeGitDir(path: string): Promise<boolean> {
  if ((await kindOf(join(path, "HEAD"))) !== "file") return false;
  if ((await kindOf(join(path, "commondir"))) === "file") return true;
  return (await kindOf(join(path, "objects"))) === "folder" && (await kindOf(join(path, "refs"))) === "folder";
}

async function hasRepositoryAbove(path: string): Promise<boolean> {
  for (let at = dirname(path), below = path; at !== below; below = at, at = dirname(at)) {
    if ((await kindOf(join(at, ".git"))) !== null || (await looksLikeGitDir(at))) return true;
  }
  return false;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await kindOf(path)) === "folder";
}

async function kindOf(path: string): Promise<"file" | "folder" | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return "folder";
    return found.isFile() ? "file" : null;
  } catch {
    return null;
  }
}
