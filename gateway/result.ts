/** From a tool's outcome to the result object of `tools/call`: the same JSON as structure and as text, and its size. */
import type { Fault } from "../storage/ports.ts";
import { errors } from "./errors.ts";
import type { ContentBlock, ToolOutput } from "./tool.ts";

/** `content`, `structuredContent` and `isError` of MCP's CallToolResult. */
export type ToolResult = {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
};

/** Largest serialised result in bytes unless the configuration says otherwise: 64 KiB. */
export const defaultResponseBytes = 65_536;

/**
 * The result of a success. With `limitBytes`, one that is larger becomes RESPONSE_TOO_LARGE, so that nothing is ever
 * cut short and passed off as whole.
 */
export function renderResult(output: ToolOutput, limitBytes?: number): ToolResult {
  const result = output.kind === "content" ? { content: output.content } : inBothForms({ ...output.value, origin: output.origin });
  if (limitBytes === undefined || isSurelyWithin(result, limitBytes)) return result;
  const bytes = resultBytes(result);
  return bytes <= limitBytes ? result : renderFault(tooLarge(bytes, limitBytes));
}

/** The result of a refusal, with `structuredContent {error_code, message, field?, retryable, details?}`. */
export function renderFault(fault: Fault): ToolResult {
  const { code, message, field, details } = fault;
  return {
    ...inBothForms({
      error_code: code,
      message,
      ...(field === undefined ? {} : { field }),
      retryable: errors[code].retryable,
      ...(details === undefined ? {} : { details }),
    }),
    isError: true,
  };
}

/** Everything of a serialised result but its two copies of the value; the true figure is smaller. */
const frameBytes = 128;

/**
 * True spares the count, as it does for nearly every result; false says nothing. A UTF-16 unit of the value takes at most
 * three bytes as structure, and in the text copy at most three again: only ASCII is escaped, into two.
 */
function isSurelyWithin({ content, structuredContent }: ToolResult, limitBytes: number): boolean {
  const text = structuredContent !== undefined && content[0]?.type === "text" ? content[0].text : null;
  return text !== null && text.length * 6 + frameBytes <= limitBytes;
}

/** UTF-8 bytes of the serialised result, both copies included. */
export function resultBytes(result: ToolResult): number {
  return utf8Bytes(JSON.stringify(result));
}

/** The refusal of an answer that would be `bytes` long. `way` is a sentence that names the way out. */
export function tooLarge(bytes: number, limitBytes: number, way = "Ask for less.", more: Readonly<Record<string, unknown>> = {}): Fault {
  return {
    code: "RESPONSE_TOO_LARGE",
    message: `The answer would take ${bytes} bytes and the limit is ${limitBytes}. ${way}`,
    details: { limit_bytes: limitBytes, bytes, ...more },
  };
}

function inBothForms(
  value: Readonly<Record<string, unknown>>,
): ToolResult & { readonly structuredContent: Readonly<Record<string, unknown>> } {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** Length in UTF-8 without encoding: JSON.stringify writes lone surrogates as escapes, so every pair is whole. */
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Two bytes below U+0800; three above; a surrogate pair is four bytes for two units.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
