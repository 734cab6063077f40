/** From the bytes of a blob to the text of a note, or the reason why it is none. */
import type { UnreadableNote } from "../ports.ts";

export type Unreadable = Omit<UnreadableNote, "path">;
export type DecodedNote = { readonly kind: "note"; readonly text: string } | { readonly kind: "unreadable"; readonly why: Unreadable };

/** First line of a Git LFS pointer (git-lfs docs/spec.md); a pointer is below 1,024 bytes. */
const lfsFirstLine = "version https://git-lfs.github.com/spec/";
const maxLfsPointerBytes = 1024;

export function decodeNote(bytes: Uint8Array): DecodedNote {
  const text = decoded(bytes);
  if (text === null) return { kind: "unreadable", why: { reason: "not_utf8", offset: firstBadByte(bytes) } };
  const isPointer = bytes.length < maxLfsPointerBytes && text.startsWith(lfsFirstLine) && /^oid sha256:[0-9a-f]{64}$/m.test(text);
  return isPointer ? { kind: "unreadable", why: { reason: "lfs_pointer" } } : { kind: "note", text };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    // The byte order mark stays: what is served is what the commit holds.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Offset of the first byte that is no part of well-formed UTF-8 (Unicode Standard, table 3-7), counted from 0. */
export function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return bytes.length;
}

/** Bytes of the sequence at `at`; 0 = it is not well formed. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is narrower after these, which rules out long forms, surrogates and what lies above U+10FFFF.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let next = 2; next < length; next += 1) {
    const unit = bytes[at + next] ?? 0;
    if (unit < 0x80 || unit > 0xbf) return 0;
  }
  return length;
}
