/** Finds the tree of the configured root folder at a commit, in whichever Unicode form the tree spells it. */
import type { Outcome } from "../../ports.ts";
import { unavailable } from "../unavailable.ts";
import { type GitRun, runFault } from "./git-program.ts";

type Run = (args: readonly string[], signal: AbortSignal) => Promise<GitRun>;

/** The answer for the commit asked last is remembered: it never changes, and health asks again and again. `root` empty = all. */
export function createRootTree(run: Run, root: string): (commit: string, signal: AbortSignal) => Promise<Outcome<string>> {
  let last = { commit: "", tree: "" };
  return async (commit, signal) => {
    if (root === "") return { ok: true, value: commit };
    if (last.commit === commit) return { ok: true, value: last.tree };
    const found = await find(run, root, commit, signal);
    if (found.ok) last = { commit, tree: found.value };
    return found;
  };
}

async function find(run: Run, root: string, commit: string, signal: AbortSignal): Promise<Outcome<string>> {
  const exact = await entries(run, ["ls-tree", "-z", "--full-tree", commit, "--", root], signal);
  if (!exact.ok) return exact;
  const [entry] = exact.value;
  if (entry !== undefined) return entry.type === "tree" ? { ok: true, value: entry.oid } : unavailable("root_not_a_folder");
  // Some systems write decomposed names; a configuration is typed in the composed form.
  const folders = await entries(run, ["ls-tree", "-d", "-r", "-z", "--full-tree", commit], signal);
  if (!folders.ok) return folders;
  const [same, another] = folders.value.filter(({ type, path }) => type === "tree" && path.normalize("NFC") === root.normalize("NFC"));
  if (same === undefined) return unavailable("root_missing");
  return another === undefined ? { ok: true, value: same.oid } : unavailable("root_ambiguous");
}

type Entry = { readonly type: string; readonly oid: string; readonly path: string };

async function entries(run: Run, args: readonly string[], signal: AbortSignal): Promise<Outcome<readonly Entry[]>> {
  const listed = await run(args, signal);
  if (listed.kind !== "done" || listed.exitCode !== 0) return runFault(listed);
  const lines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(listed.stdout).split("\0");
  const value = lines.flatMap((line) => {
    const match = /^[0-7]{6} (\w+) ([0-9a-f]+)\t([^]+)$/.exec(line);
    return match === null ? [] : [{ type: match[1] ?? "", oid: match[2] ?? "", path: match[3] ?? "" }];
  });
  return { ok: true, value };
}
