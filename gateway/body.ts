/** A request body as text: never more of it than the limit, and only as UTF-8. */

/** Reads the bytes of one request, once, and stops at the limit. Each runtime brings its own. */
export type BodyReader = (limitBytes: number) => Promise<Uint8Array | "too_large" | "broken">;

export type BodyProblem = "too_large" | "not_utf8" | "broken";
export type ReadBody = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: BodyProblem };

/** A declared length over the limit is refused before a byte is read. */
export async function readBody(read: BodyReader, declaredLength: string | null, limitBytes: number): Promise<ReadBody> {
  if (declaredLength !== null && !(Number(declaredLength) <= limitBytes)) return { ok: false, problem: "too_large" };
  const bytes = await read(limitBytes);
  return typeof bytes === "string" ? { ok: false, problem: bytes } : decode(bytes);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): ReadBody {
  try {
    return { ok: true, text: utf8.decode(bytes) };
  } catch {
    return { ok: false, problem: "not_utf8" };
  }
}
