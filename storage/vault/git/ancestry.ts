/** Whether one commit is part of another's history, remembered for the pairs asked last. */
import { createLru } from "../lru.ts";
import type { GitRun } from "./git-program.ts";

export type Ancestry = { readonly kind: "yes" } | { readonly kind: "no" } | { readonly kind: "failed"; readonly run: GitRun };

/** Pairs remembered; a pair is about 200 bytes. */
const maxPairs = 1024;

const yes = { kind: "yes" } as const;
const no = { kind: "no" } as const;

/** Both ids are commits that git itself has named. History never changes below a commit, so an answer stays true. */
export function createAncestry(
  run: (args: readonly string[], signal: AbortSignal) => Promise<GitRun>,
): (commit: string, tip: string, signal: AbortSignal) => Promise<Ancestry> {
  const known = createLru<boolean>(maxPairs);
  return async (commit, tip, signal) => {
    if (commit === tip) return { kind: "yes" };
    const pair = `${commit} ${tip}`;
    const remembered = known.get(pair);
    if (remembered !== undefined) return remembered ? yes : no;
    const done = await run(["merge-base", "--is-ancestor", commit, tip], signal);
    if (done.kind !== "done" || done.exitCode < 0 || done.exitCode > 1) return { kind: "failed", run: done };
    known.set(pair, done.exitCode === 0, 1);
    return done.exitCode === 0 ? yes : no;
  };
}
