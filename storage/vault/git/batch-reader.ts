/**
 * Framing of `git cat-file --batch` and `--batch-check` (git-cat-file(1), "BATCH OUTPUT"): a line, and with bodies the
 * announced number of bytes and a line feed after it. Chunks may be cut anywhere.
 */

export type BatchObject = { readonly oid: string; readonly type: string; readonly size: number; readonly bytes: Uint8Array };
export type BatchFrame = { readonly kind: "object"; readonly object: BatchObject } | { readonly kind: "missing" };

/** Longest line git writes here: an id, a type and a size. Anything longer means that the stream is not what we think. */
const maxLineBytes = 4096;
const lineFeed = 0x0a;
const objectLine = /^([0-9a-f]{40}|[0-9a-f]{64}) ([a-z]+) ([0-9]{1,15})$/;

export type BatchReader = {
  /** `false` = the stream no longer makes sense; the process must be replaced. */
  push(chunk: Uint8Array): boolean;
};

export function createBatchReader(bodies: boolean, onFrame: (frame: BatchFrame) => void): BatchReader {
  const decoder = new TextDecoder();
  let line: Uint8Array[] = [];
  let lineBytes = 0;
  let body: { readonly oid: string; readonly type: string; readonly bytes: Uint8Array } | null = null;
  let filled = 0;

  /** Handles a complete line. */
  const readLine = (text: string): boolean => {
    const match = objectLine.exec(text);
    if (match === null) {
      if (!text.endsWith(" missing")) return false;
      onFrame({ kind: "missing" });
      return true;
    }
    const [, oid = "", type = "", digits = ""] = match;
    const size = Number(digits);
    if (bodies) {
      body = { oid, type, bytes: new Uint8Array(size) };
      filled = 0;
    } else {
      onFrame({ kind: "object", object: { oid, type, size, bytes: new Uint8Array(0) } });
    }
    return true;
  };

  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (body !== null) {
          const size = body.bytes.length;
          const part = chunk.subarray(at, at + size - filled);
          body.bytes.set(part, filled);
          filled += part.length;
          at += part.length;
          if (filled < size || at >= chunk.length) continue;
          if (chunk[at] !== lineFeed) return false;
          at += 1;
          const { oid, type, bytes } = body;
          body = null;
          onFrame({ kind: "object", object: { oid, type, size, bytes } });
          continue;
        }
        const end = chunk.indexOf(lineFeed, at);
        const part = chunk.subarray(at, end === -1 ? chunk.length : end);
        line.push(part);
        lineBytes += part.length;
        if (lineBytes > maxLineBytes) return false;
        if (end === -1) return true;
        at = end + 1;
        const text = line.map((piece) => decoder.decode(piece)).join("");
        line = [];
        lineBytes = 0;
        if (!readLine(text)) return false;
      }
      return true;
    },
  };
}
