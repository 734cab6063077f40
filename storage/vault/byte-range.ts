/** A part of a note by bytes, moved inwards to the borders of its characters. */
import type { Fault } from "../ports.ts";

export type Part = {
  readonly content: string;
  /** Bytes `[start, end)` of the whole. */
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Where to go on; `null` = the end was reached. */
  readonly nextStart: number | null;
  /** The same part as offsets in the note's text, in UTF-16 code units. */
  readonly textStart: number;
  readonly textEnd: number;
};

export type Cut = { readonly ok: true; readonly part: Part } | { readonly ok: false; readonly fault: Fault };

/** `start` and `end` are whole numbers; `end` left out or beyond the note = its end. */
export function cutBytes(bytes: Uint8Array, start: number, end: number | undefined): Cut {
  const total = bytes.length;
  if (!Number.isSafeInteger(start) || start < 0) return invalid("start", "start is a whole number of bytes, 0 or more.", total);
  if (end !== undefined && (!Number.isSafeInteger(end) || end <= start))
    return invalid("end", "end is a whole number of bytes, greater than start.", total);
  if (start > total || (start === total && total > 0)) return invalid("start", "start lies behind the end of the note.", total);
  const from = borderAtOrAfter(bytes, start);
  const to = end === undefined || end >= total ? total : borderAtOrBefore(bytes, end);
  if (to <= from && total > 0) return invalid("end", "The range holds no whole character; make it longer.", total);
  const content = text(bytes.subarray(from, to));
  const textStart = text(bytes.subarray(0, from)).length;
  return {
    ok: true,
    part: { content, start: from, end: to, total, nextStart: to < total ? to : null, textStart, textEnd: textStart + content.length },
  };
}

/** The bytes are valid UTF-8 and the borders lie between characters, so nothing is replaced. */
function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function borderAtOrAfter(bytes: Uint8Array, at: number): number {
  let border = at;
  while (border < bytes.length && isInside(bytes[border] ?? 0)) border += 1;
  return border;
}

function borderAtOrBefore(bytes: Uint8Array, at: number): number {
  let border = at;
  while (border > 0 && isInside(bytes[border] ?? 0)) border -= 1;
  return border;
}

/** A continuation byte, `10xxxxxx`. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function invalid(field: "start" | "end", message: string, totalBytes: number): Cut {
  return { ok: false, fault: { code: "INVALID_ARGUMENT", message, field, details: { total_bytes: totalBytes } } };
}
