/** Reads the output of `git ls-tree -r -z -l`: `MODE TYPE OID SIZE<tab>PATH<nul>` (git-ls-tree(1)). */
import type { TreeEntry } from "../repository.ts";

const entryHead = /^([0-7]{6}) (blob|commit|tree) ([0-9a-f]{40}|[0-9a-f]{64}) +([0-9]+|-|BAD)$/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `null` = the output is not what git-ls-tree promises. */
export function parseTree(output: Uint8Array): readonly TreeEntry[] | null {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    const tab = output.indexOf(0x09, at);
    if (end === -1 || tab === -1 || tab > end) return null;
    const match = entryHead.exec(String.fromCharCode(...output.subarray(at, tab)));
    if (match === null) return null;
    const path = decodePath(output.subarray(tab + 1, end));
    const [, mode = "", , oid = "", size = ""] = match;
    const kind = kindOfMode(mode);
    if (path !== null && kind !== null) entries.push({ kind, path, oid, size: /^[0-9]+$/.test(size) ? Number(size) : null });
    at = end + 1;
  }
  return entries;
}

/** The mode decides what an entry is: `cat-file` would serve a symlink's target as if it were a note. */
function kindOfMode(mode: string): TreeEntry["kind"] | null {
  if (mode === "120000") return "symlink";
  if (mode === "160000") return "gitlink";
  return mode.startsWith("100") ? "file" : null;
}

/** `null` for a name that is not UTF-8: no argument could name it, so it is left out everywhere. */
function decodePath(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
