/** A request read, checked and put together again: what oidc-provider gets to see is what we have looked at. */
import { IncomingMessage, type IncomingHttpHeaders } from "node:http";

/** More than any honest form or registration; both are a few kilobytes at most. */
const maxBodyBytes = 64 * 1_024;

/** The whole body, or `null` when it is longer than `maxBodyBytes`; then nothing more is read and the connection must be closed. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("the request was given an encoding");
    length += chunk.length;
    if (length > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** The body as a form. Percent-encoding that is broken is left as it stands, as browsers do. */
export function formOf(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(new TextDecoder().decode(body));
}

/** The same request with another target, body or headers. `headers` replace those of the same lower-case name. */
export function replay(
  request: IncomingMessage,
  { url, body, headers = {} }: { readonly url?: string; readonly body?: string | Uint8Array; readonly headers?: IncomingHttpHeaders },
): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method;
  copy.url = url ?? request.url;
  copy.httpVersion = request.httpVersion;
  copy.httpVersionMajor = request.httpVersionMajor;
  copy.httpVersionMinor = request.httpVersionMinor;
  const { "transfer-encoding": _chunked, "content-length": _length, expect: _expect, ...kept } = request.headers;
  const bytes = body === undefined ? null : Buffer.from(body);
  copy.headers = { ...kept, ...headers, ...(bytes === null ? {} : { "content-length": String(bytes.length) }) };
  if (bytes !== null) copy.push(bytes);
  copy.push(null);
  // Else Node takes the copy for a request that was cut off, and closes the connection when it is done with.
  copy.complete = true;
  return copy;
}
