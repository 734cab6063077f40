/** Real repositories in temporary folders, built through the system's git and removed after each test. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A file's bytes or text, a link, another repository's commit, or `null` = removed. */
export type Planted = string | Uint8Array | { readonly symlink: string } | { readonly gitlink: string } | null;

export type TestRepository = {
  /** The folder: a work tree without checked-out files, or the bare repository. */
  readonly path: string;
  readonly gitDir: string;
  /** Adds a commit on `branch` (default: the repository's first) with these changes; answers its id. Any path git can hold is allowed. */
  commit(files: Readonly<Record<string, Planted>> | ReadonlyMap<string | Uint8Array, Planted>, branch?: string): Promise<string>;
  /** Runs git in the repository; answers its output without the last line feed. */
  git(...args: readonly string[]): Promise<string>;
};

export type RepositoryOptions = {
  readonly branch?: string;
  readonly bare?: boolean;
  readonly objectFormat?: "sha1" | "sha256";
  readonly at?: string;
};

const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.com",
  GIT_AUTHOR_DATE: "1757030400 +0000",
  GIT_COMMITTER_DATE: "1757030400 +0000",
};

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "postern-vault-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export async function createRepository({
  branch = "main",
  bare = false,
  objectFormat = "sha1",
  at,
}: RepositoryOptions = {}): Promise<TestRepository> {
  const path = at ?? (await temporaryFolder());
  await runGit(path, ["init", "--quiet", `--initial-branch=${branch}`, `--object-format=${objectFormat}`, ...(bare ? ["--bare"] : [])]);
  const gitDir = bare ? path : join(path, ".git");
  let clock = 1_757_030_400;
  return {
    path,
    gitDir,
    async commit(files, onBranch = branch) {
      const ref = `refs/heads/${onBranch}`;
      const parent = await runGit(path, ["rev-parse", "--verify", "--quiet", ref]).catch(() => "");
      clock += 60;
      const parts: (string | Uint8Array)[] = [
        `commit ${ref}\ncommitter Test <test@example.com> ${clock} +0000\ndata 4\ntest\n`,
        ...(parent === "" ? [] : [`from ${parent}\n`]),
      ];
      for (const [name, planted] of files instanceof Map ? files : Object.entries(files)) parts.push(...change(name, planted));
      await runGit(path, ["fast-import", "--quiet", "--force", "--date-format=raw"], Buffer.concat(parts.map((part) => Buffer.from(part))));
      return runGit(path, ["rev-parse", ref]);
    },
    git: (...args) => runGit(path, args),
  };
}

/** One line of git-fast-import(1), with the path quoted byte by byte. */
function change(name: string | Uint8Array, planted: Planted): readonly (string | Uint8Array)[] {
  const path = `"${Array.from(Buffer.from(name), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
  if (planted === null) return [`D ${path}\n`];
  if (typeof planted === "object" && "gitlink" in planted) return [`M 160000 ${planted.gitlink} ${path}\n`];
  const isLink = typeof planted === "object" && "symlink" in planted;
  const bytes = Buffer.from(isLink ? planted.symlink : planted);
  return [`M ${isLink ? "120000" : "100644"} inline ${path}\ndata ${bytes.length}\n`, bytes, "\n"];
}

function runGit(cwd: string, args: readonly string[], input?: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    if (input === undefined) {
      execFile("git", args, { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) =>
        error === null ? resolve(stdout.replace(/\n$/, "")) : reject(error),
      );
      return;
    }
    const child = spawn("git", args, { cwd, env: environment, stdio: ["pipe", "ignore", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve("") : reject(new Error(`git ${args[0]} ended with ${code}: ${complaint}`))));
    child.stdin.end(input);
  });
}
