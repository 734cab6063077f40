/** Reads a request body, never more of it than the limit, and only as UTF-8. */

export type BodyProblem = "too_large" | "not_utf8" | "broken";
export type ReadBody = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: BodyProblem };

/** A declared length is checked before a byte is read and read in one piece; without one the stream is counted as it comes. */
export async function readBody(request: Request, limitBytes: number): Promise<ReadBody> {
  const declared = request.headers.get("content-length");
  try {
    if (declared === null) return decode(await collect(request.body, limitBytes));
    if (!/^\d{1,15}$/.test(declared) || Number(declared) > limitBytes) return { ok: false, problem: "too_large" };
    return decode(new Uint8Array(await request.arrayBuffer()));
  } catch {
    return { ok: false, problem: "broken" };
  }
}

/** Null = the limit was passed; the rest is not read. */
async function collect(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > limitBytes) {
      // Not awaited: a peer that never stops sending must not hold up the answer.
      reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array | null): ReadBody {
  if (bytes === null) return { ok: false, problem: "too_large" };
  try {
    return { ok: true, text: utf8.decode(bytes) };
  } catch {
    return { ok: false, problem: "not_utf8" };
  }
}
