/** Opens the repository at the configured folder, read-only, through the system's git. */
import type { Now, Outcome } from "../../ports.ts";
import type { BlobReply, Repository, TreeEntry } from "../repository.ts";
import { unavailable } from "../unavailable.ts";
import { createAncestry } from "./ancestry.ts";
import { type BatchReply, createBatchProcess } from "./batch-process.ts";
import { type GitProgram, type GitRun, runFault, runGit } from "./git-program.ts";
import { isFolder, type Located, locateGitDir } from "./locate.ts";
import { parseTree } from "./parse-tree.ts";
import { createRootTree } from "./root-tree.ts";

export type RepositorySettings = {
  /** Folder of the repository: a work tree, a linked worktree, or a bare repository. Absolute, or relative to the working directory. */
  readonly path: string;
  /** Branch served, without `refs/heads/`; or a full ref beginning with `refs/`. Default: whatever HEAD points at. */
  readonly branch?: string;
  /** Folder inside the repository that the vault is limited to, such as `notes/daily`. Default: everything. */
  readonly root?: string;
  readonly git?: GitProgram;
  readonly now: Now;
};

/** Why the repository cannot be opened. `message` is one line for the operator; it names the configured folder. */
export type RepositoryRefusal = {
  readonly reason:
    | "missing_folder"
    | "not_a_repository"
    | "inside_other_repository"
    | "git_missing"
    | "git_cannot_start"
    | "git_refused"
    | "bad_branch"
    | "bad_root";
  readonly message: string;
};

export type Opening<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: RepositoryRefusal };

/** What git-check-ref-format(1) forbids, and white space: the name travels in a line of its own. */
const badRef = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/u;

export async function openRepository(settings: RepositorySettings): Promise<Opening<Repository>> {
  const { path, branch, root = "", git = {}, now } = settings;
  // An empty path would mean the working directory, and whatever repository happens to be there.
  if (path.trim() === "") return refuse("missing_folder", "no repository is configured");
  if (branch !== undefined && (branch === "" || badRef.test(branch)))
    return refuse("bad_branch", "the configured branch is not a valid branch name");
  const rootPath = root.replace(/^\/+|\/+$/g, "");
  if (rootPath.split("/").some((segment) => segment === "." || segment === "..") || rootPath.includes("\0")) {
    return refuse("bad_root", "the configured root is not a folder inside the repository");
  }
  const located = await locateGitDir(path);
  if (located.kind !== "found") return refuse(located.kind, notFound(located.kind, path));
  const { gitDir } = located;
  const probe = await runGit(gitDir, git, ["rev-parse", "--git-dir"], new AbortController().signal);
  if (probe.kind === "cannot_start") {
    return probe.errno === "ENOENT"
      ? refuse("git_missing", `git was not found (looked for ${git.command ?? "git"}); install git`)
      : refuse("git_cannot_start", `git cannot be started (${probe.errno})`);
  }
  if (probe.kind !== "done" || probe.exitCode !== 0) return refuse("git_refused", `git does not accept ${path} as a repository`);
  const ref = branch === undefined ? "HEAD" : branch.startsWith("refs/") ? branch : `refs/heads/${branch}`;
  return { ok: true, value: createRepository({ gitDir, ref, folder: rootPath, git, now }) };
}

function notFound(kind: Exclude<Located["kind"], "found">, path: string): string {
  if (kind === "missing_folder") return `the folder ${path} does not exist`;
  if (kind === "not_a_repository") return `the folder ${path} is not a git repository`;
  return `the folder ${path} lies inside a git repository but is not one itself; configure the repository and set root`;
}

function refuse(reason: RepositoryRefusal["reason"], message: string): Opening<never> {
  return { ok: false, refusal: { reason, message } };
}

type Opened = { readonly gitDir: string; readonly ref: string; readonly folder: string; readonly git: GitProgram; readonly now: Now };

function createRepository({ gitDir, ref, folder, git, now }: Opened): Repository {
  const blobs = createBatchProcess("--batch", gitDir, git, now);
  const checks = createBatchProcess("--batch-check", gitDir, git, now);
  const closing = new AbortController();
  const run = async (args: readonly string[], signal: AbortSignal): Promise<GitRun> => {
    try {
      return await runGit(gitDir, git, args, AbortSignal.any([signal, closing.signal]));
    } catch (error) {
      // The caller leaving is thrown on; our own closing is an answer.
      if (signal.aborted || !closing.signal.aborted) throw error;
      return { kind: "closed" };
    }
  };
  const isAncestor = createAncestry(run);
  const root = createRootTree(run, folder);

  /** Why the branch has no readable tip. */
  const tipFault = async (signal: AbortSignal): Promise<Outcome<string>> => {
    const resolved = await run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref], signal);
    if (resolved.kind !== "done") return runFault(resolved);
    if (resolved.exitCode === 0) return unavailable("tip_unreadable");
    const any = await run(["for-each-ref", "--count=1", "--format=%(objectname)"], signal);
    if (any.kind !== "done") return runFault(any);
    return unavailable(any.stdout.length === 0 ? "empty_repository" : "branch_missing");
  };

  /** A long-lived process still sees an object that was pruned since it opened its pack; a fresh one tells the truth. */
  const isGone = async (commit: string, signal: AbortSignal): Promise<boolean> => {
    const looked = await run(["cat-file", "-e", `${commit}^{commit}`], signal);
    return looked.kind === "done" && looked.exitCode !== 0;
  };

  return {
    async tip(signal) {
      const reply = await checks.ask(`${ref}^{commit}`, signal);
      if (reply.kind === "object") return { ok: true, value: reply.object.oid };
      // Without its folder no git can even be started, and that is what must be said.
      if (!(await isFolder(gitDir))) return unavailable("repository_missing");
      if (reply.kind === "unavailable") return unavailable(reply.reason);
      return reply.kind === "corrupt" ? unavailable("tip_unreadable") : tipFault(signal);
    },

    async reachable(id, tip, signal) {
      const reply = await checks.ask(id, signal);
      if (reply.kind === "unavailable") return unavailable(reply.reason);
      if (reply.kind !== "object" || reply.object.type !== "commit") return commitUnavailable();
      const answer = await isAncestor(reply.object.oid, tip, signal);
      if (answer.kind === "yes") return { ok: true, value: reply.object.oid };
      if (answer.kind === "no" || (await isGone(id, signal))) return commitUnavailable();
      return runFault(answer.run);
    },

    root,

    async tree(commit, signal): Promise<Outcome<readonly TreeEntry[]>> {
      const tree = await root(commit, signal);
      if (!tree.ok) return tree;
      const listed = await run(["ls-tree", "-r", "-z", "-l", "--full-tree", tree.value], signal);
      if (listed.kind !== "done" || listed.exitCode !== 0) return runFault(listed);
      const entries = parseTree(listed.stdout);
      return entries === null ? unavailable("git_failed") : { ok: true, value: entries };
    },

    async blob(oid, signal): Promise<BlobReply> {
      const reply: BatchReply = await blobs.ask(oid, signal);
      if (reply.kind !== "object") return reply;
      return reply.object.type === "blob" ? { kind: "blob", bytes: reply.object.bytes } : { kind: "corrupt" };
    },

    async close() {
      closing.abort();
      await Promise.all([blobs.close(), checks.close()]);
    },
  };
}

function commitUnavailable(): Outcome<never> {
  return {
    ok: false,
    fault: {
      code: "COMMIT_UNAVAILABLE",
      message: "The vault's branch holds no such commit. Leave commit out to read the newest state.",
      field: "commit",
    },
  };
}
