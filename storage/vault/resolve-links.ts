/** Which note a link means, or that several or none could be meant. Postern never guesses between several. */
import type { NoteLink } from "../ports.ts";
import { fold } from "./fold.ts";
import { isAddress, type RawLink } from "./markdown/link-target.ts";
import { isNoteName } from "./path.ts";
import { folderOf, lastSegment, type Snapshot } from "./snapshot.ts";

/** Candidates listed of an ambiguous link; the rest is counted in `candidates_total`, or one link could fill an answer. */
const maxCandidates = 20;

/** File types that a wiki link must name with their extension (Obsidian's accepted formats, and common documents). */
const attachmentName =
  /\.(?:avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp|flac|m4a|mp3|ogg|wav|3gp|mkv|mov|mp4|ogv|webm|pdf|canvas|base|excalidraw|csv|tsv|docx?|xlsx?|pptx?|odt|ods|odp|epub|zip|gz|json|ya?ml|html?|css|txt)$/i;
const anyExtension = /\.[A-Za-z0-9]{1,8}$/;

/**
 * Resolves the links of the note at `source`. `aliasOf` names the note that lists a text among its aliases.
 * Equal entries appear once, at the place of the first.
 */
export async function resolveLinks(
  links: readonly RawLink[],
  source: string,
  snapshot: Snapshot,
  aliasOf: (text: string) => Promise<string | null>,
): Promise<readonly NoteLink[]> {
  const resolved = new Map<string, NoteLink>();
  for (const link of links) {
    // The body holds addresses already; a second copy of each made answers several times as long.
    if (link.form === "markdown" && isAddress(link.target)) continue;
    const entry = resolveLink(link, source, snapshot);
    const alias = entry.resolution === "missing" && link.form === "wiki" && entry.kind === "note" ? await aliasOf(link.target) : null;
    const key = JSON.stringify([entry.kind, entry.target_path, entry.anchor]);
    if (!resolved.has(key)) resolved.set(key, alias === null ? entry : { ...entry, alias_of: alias });
  }
  return [...resolved.values()];
}

function resolveLink(link: RawLink, source: string, snapshot: Snapshot): NoteLink {
  const { target, anchor } = link;
  if (target === "") return { target_path: source, anchor, resolution: "resolved", kind: "note" };
  const found = candidatesOf(link, source, snapshot);
  const [only, second] = found.paths;
  const kind = only === undefined ? kindOfMissing(link) : isNoteName(only) ? "note" : "attachment";
  if (only === undefined) return { target_path: target, anchor, resolution: "missing", kind };
  if (second === undefined) return { target_path: only, anchor, resolution: "resolved", kind };
  return {
    target_path: target,
    anchor,
    resolution: "ambiguous",
    kind,
    candidates: found.paths.slice(0, maxCandidates),
    ...(found.paths.length > maxCandidates ? { candidates_total: found.paths.length } : {}),
    obsidian_choice: obsidianChoice(found.paths, found.name, source),
  };
}

type Candidates = {
  /** In byte order. */
  readonly paths: readonly string[];
  /** What they were found by: the target, with `.md` where it was left out. */
  readonly name: string;
};

/** A note by its name without `.md` comes before a file of exactly that name, so `[[v1.2]]` finds `v1.2.md`. */
function candidatesOf(link: RawLink, source: string, snapshot: Snapshot): Candidates {
  const names = isNoteName(link.target) ? [link.target] : [`${link.target}.md`, link.target];
  for (const name of names) {
    const paths = pathsFor(name, link.form, source, snapshot);
    if (paths.length > 0) return { paths, name };
  }
  return { paths: [], name: link.target };
}

function pathsFor(name: string, form: RawLink["form"], source: string, snapshot: Snapshot): readonly string[] {
  if (name.startsWith("/")) return exact(name.slice(1), snapshot);
  if (name.startsWith("./") || name.startsWith("../")) {
    const path = joined(folderOf(source), name);
    return path === null ? [] : exact(path, snapshot);
  }
  const fromRoot = exact(name, snapshot);
  if (form === "markdown") {
    // Read from its own folder by nearly everything, and from the root by Obsidian.
    const path = joined(folderOf(source), name);
    const fromHere = path === null ? [] : exact(path, snapshot);
    const both = [...new Set([...fromHere, ...fromRoot])];
    if (both.length > 0) return inOrderOf(both, snapshot);
  } else if (name.includes("/") && fromRoot.length > 0) {
    // A whole path from the root means one thing in every engine.
    return fromRoot;
  }
  const tail = `/${fold(name)}`;
  return bestSpelling(
    snapshot.byFoldedName(fold(lastSegment(name))).filter((path) => `/${fold(path)}`.endsWith(tail)),
    name,
  );
}

/** Files at exactly this path, letter case and normal form aside. */
function exact(path: string, snapshot: Snapshot): readonly string[] {
  const folded = fold(path);
  return bestSpelling(
    snapshot.byFoldedName(fold(lastSegment(path))).filter((candidate) => fold(candidate) === folded),
    path,
  );
}

/** Where paths differ in case or normal form only, the one spelled as the link is meant; if none is, all stay. */
function bestSpelling(paths: readonly string[], name: string): readonly string[] {
  if (paths.length < 2) return paths;
  const groups = Map.groupBy(paths, fold);
  return paths.filter((path) => {
    const alike = groups.get(fold(path)) ?? [];
    const asWritten = alike.filter((other) => other === name || other.endsWith(`/${name}`));
    return asWritten.length === 0 || asWritten.includes(path);
  });
}

function inOrderOf(paths: readonly string[], snapshot: Snapshot): readonly string[] {
  const [first] = paths;
  const order = first === undefined ? [] : snapshot.byFoldedName(fold(lastSegment(first)));
  return paths.toSorted((left, right) => order.indexOf(left) - order.indexOf(right));
}

/** `null` = leads out of the vault. */
function joined(folder: string, relative: string): string | null {
  const segments = folder === "" ? [] : folder.split("/");
  for (const segment of relative.split("/")) {
    if (segment === "." || segment === "") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  return segments.join("/");
}

/** Observed in Obsidian 1.13: the exact path in the vault, else the note's own folder, else the shortest path as a text. */
function obsidianChoice(paths: readonly string[], name: string, source: string): string {
  const folded = fold(name);
  const own = folderOf(source);
  const chosen = paths.find((path) => fold(path) === folded) ?? paths.find((path) => folderOf(path) === own);
  return chosen ?? paths.reduce((best, path) => (path.length < best.length ? path : best));
}

/** What a link that leads nowhere was meant to be. */
function kindOfMissing({ form, target }: RawLink): "note" | "attachment" {
  if (isNoteName(target)) return "note";
  return attachmentName.test(target) || (form === "markdown" && anyExtension.test(target)) ? "attachment" : "note";
}
