/** Reads one HTTP/1.1 answer off a keep-alive socket, with a declared length or chunked: as little work as it can be. */

export type HttpAnswer = { readonly status: number; readonly body: string };

/** Null = more bytes must come. @throws if the bytes are no answer, or hold more than one: only one call is ever under way. */
export function readAnswer(bytes: Buffer): HttpAnswer | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not an HTTP answer: ${head.slice(0, 200)}`);
  const start = headEnd + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    if (bytes.length > end) throw new Error("more bytes than the declared length");
    return bytes.length < end ? null : { status, body: bytes.toString("utf8", start, end) };
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`an answer of unknown length: ${head.slice(0, 200)}`);
  const body = readChunks(bytes, start);
  return body === null ? null : { status, body };
}

function readChunks(bytes: Buffer, start: number): string | null {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error("a chunk without a size");
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0 && bytes.length > next) throw new Error("more bytes than the last chunk");
    if (size === 0) return Buffer.concat(parts).toString("utf8");
    parts.push(bytes.subarray(lineEnd + 2, next - 2));
    at = next;
  }
}
