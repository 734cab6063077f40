/** What a path argument may be, and which files of a tree are notes. */
import type { Fault } from "../ports.ts";

export type PathCheck = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly fault: Fault };

/** Longest path argument in UTF-16 code units; git itself stops at 4,096 bytes on most systems. */
const maxPathLength = 4096;

/** NUL, the C0 and C1 controls, and DEL: they cut lines and terminals, and no note of ours is named with them. */
const control = /[\u0000-\u001f\u007f-\u009f]/u;
const driveLetter = /^[A-Za-z]:/;
const noteExtension = /\.md$/i;

/** A note's path as an argument: relative to the vault, `/` between segments, ending in `.md`. */
export function checkNotePath(raw: string, field: string): PathCheck {
  const checked = checkSegments(raw, field);
  if (!checked.ok) return checked;
  if (!isNoteName(checked.path))
    return refused("PATH_NOT_ALLOWED", "Only Markdown notes can be read; their paths end in .md.", field, "not_markdown");
  return checked;
}

/** A folder (or a single note) that a listing or a search is limited to. One closing `/` is accepted; empty = everything. */
export function checkPrefix(raw: string): PathCheck {
  if (raw === "") return { ok: true, path: "" };
  return checkSegments(raw.endsWith("/") && raw.length > 1 ? raw.slice(0, -1) : raw, "prefix");
}

/** Whether a file of the tree is a note that can be named: the same rules, so that every listed path can be read. */
export function isNote(path: string): boolean {
  return checkNotePath(path, "").ok;
}

/** Whether a file of the tree may be named as the target of a link: any type, but nothing hidden. */
export function isNameable(path: string): boolean {
  return checkSegments(path, "").ok;
}

/** Whether the path contains the prefix as whole segments. Both in NFC; an empty prefix contains everything. */
export function isWithin(path: string, prefix: string): boolean {
  return prefix === "" || path === prefix || (path.startsWith(prefix) && path.charCodeAt(prefix.length) === 0x2f);
}

export function isNoteName(path: string): boolean {
  return noteExtension.test(path);
}

/** Byte order of the UTF-8 forms. JavaScript's own order differs above U+FFFF. */
export function comparePaths(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    const isHighA = a >= 0xd800 && a <= 0xdfff;
    const isHighB = b >= 0xd800 && b <= 0xdfff;
    return isHighA === isHighB ? a - b : isHighA ? 1 : -1;
  }
  return left.length - right.length;
}

/** Normal form is not changed here: whatever is compared later, these rules hold in every form. */
function checkSegments(raw: string, field: string): PathCheck {
  if (raw.length > maxPathLength) return refused("INVALID_ARGUMENT", `A path has at most ${maxPathLength} characters.`, field, "too_long");
  if (!raw.isWellFormed())
    return refused("INVALID_ARGUMENT", "The path holds half a surrogate pair and is not valid text.", field, "not_unicode");
  if (control.test(raw)) return refused("INVALID_ARGUMENT", "The path holds a control character.", field, "control_character");
  if (raw.includes("\\")) return notAllowed("The path holds a backslash; segments are separated by /.", field, "backslash");
  if (raw.startsWith("/")) return notAllowed("The path begins with /; paths are relative to the vault.", field, "absolute");
  if (driveLetter.test(raw))
    return notAllowed("The path begins with a drive letter; paths are relative to the vault.", field, "drive_letter");
  for (const segment of raw.split("/")) {
    if (segment === "") return notAllowed("The path has an empty segment.", field, "empty_segment");
    if (segment === "..") return notAllowed("The path leads out of its folder with two dots.", field, "parent_segment");
    if (segment.startsWith(".")) return notAllowed("The path names something hidden: a segment begins with a dot.", field, "hidden");
  }
  return { ok: true, path: raw };
}

function notAllowed(message: string, field: string, rule: string): PathCheck {
  return refused("PATH_NOT_ALLOWED", message, field, rule);
}

function refused(code: "INVALID_ARGUMENT" | "PATH_NOT_ALLOWED", message: string, field: string, rule: string): PathCheck {
  return { ok: false, fault: { code, message, field, details: { rule } } };
}
