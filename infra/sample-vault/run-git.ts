/** Runs the system's git on a repository that Postern makes itself. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { defaultTimeoutMs, type GitProgram, gitEnvironment } from "../../storage/vault/git/git-program.ts";
import { StartError } from "../start-error.ts";

export type GitResult = { readonly ok: boolean; readonly stdout: string };

/** Whoever commits here is nobody: the ids of the commits must be the same everywhere. */
const nobody = { GIT_COMMITTER_NAME: "Postern", GIT_COMMITTER_EMAIL: "sample@postern.invalid", GIT_COMMITTER_DATE: "@0 +0000" };

export type GitPlace = {
  /** Folder whose `.git` is the repository. */
  readonly workTree: string;
  /** Working directory of the process; it must exist, or git would seem to be missing. Default: `workTree`, which git then takes as the work tree. */
  readonly cwd?: string;
};

/**
 * Runs git in the closed environment of `gitEnvironment`: no system or personal configuration, nothing inherited.
 * `ok` is false when git says no. Throws a StartError when git cannot be started or gives no answer in time.
 */
export function runGitIn(
  { workTree, cwd = workTree }: GitPlace,
  git: GitProgram,
  args: readonly string[],
  input?: Uint8Array,
): Promise<GitResult> {
  const env = { ...gitEnvironment(join(workTree, ".git"), git), ...nobody };
  return new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: git.timeoutMs ?? defaultTimeoutMs, encoding: "utf8", windowsHide: true } as const;
    const child = execFile(git.command ?? "git", [...args], options, (error, stdout) => {
      if (error === null) resolve({ ok: true, stdout });
      else if (typeof error.code === "number") resolve({ ok: false, stdout });
      else reject(cannotRun(error.code ?? (error.killed === true ? "no answer in time" : "ended by a signal"), git));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

function cannotRun(why: string, git: GitProgram): StartError {
  const name = git.command ?? "git";
  return new StartError(
    "unavailable",
    why === "ENOENT" ? `git was not found (looked for ${name}); install git` : `git cannot be started (${why})`,
  );
}
