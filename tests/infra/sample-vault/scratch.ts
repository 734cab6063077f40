/** A scratch folder with real git in it. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Scratch = { readonly directory: string; remove(): Promise<void> };

export async function makeScratch(): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), "postern-sample-"));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

const environment = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.invalid",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.invalid",
};

/** Standard output of git, as bytes. Throws when git says no. */
export function git(repository: string, ...args: readonly string[]): Buffer {
  return execFileSync("git", ["-C", repository, "-c", "core.quotepath=false", ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Standard output of git, one entry a line. */
export function gitLines(repository: string, ...args: readonly string[]): readonly string[] {
  return git(repository, ...args)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
