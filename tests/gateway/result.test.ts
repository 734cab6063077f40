import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderFault, renderResult, resultBytes, tooLarge, type ToolResult } from "../../gateway/result.ts";

function textOf(result: ToolResult): unknown {
  const [block, ...more] = result.content;
  expect(more).toEqual([]);
  return block?.type === "text" ? JSON.parse(block.text) : null;
}

describe("a tool's result", () => {
  it("stands in structuredContent and, equal, in one text block, with its origin", () => {
    const result = renderResult({ kind: "json", value: { items: ["가", 1, null] }, origin: { kind: "vault", commit: "c" } });
    expect(result.structuredContent).toEqual({ items: ["가", 1, null], origin: { kind: "vault", commit: "c" } });
    expect(textOf(result)).toEqual(result.structuredContent);
    expect(result).not.toHaveProperty("isError");
  });

  it("of content blocks is those blocks", () => {
    const content = [{ type: "text", text: "x" } as const];
    expect(renderResult({ kind: "content", content })).toEqual({ content });
  });

  it("above the limit is refused with both sizes and never cut", () => {
    const output = { kind: "json", value: { text: "x".repeat(100) }, origin: { kind: "postern" } } as const;
    const bytes = resultBytes(renderResult(output));
    expect(renderResult(output, bytes)).toEqual(renderResult(output));
    expect(renderResult(output, bytes - 1)).toMatchObject({
      isError: true,
      structuredContent: { error_code: "RESPONSE_TOO_LARGE", retryable: false, details: { limit_bytes: bytes - 1, bytes } },
    });
  });

  it("is measured in UTF-8 bytes as it will be sent, both copies", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const result = renderResult({ kind: "json", value: { text: `${text}"\\\u0000🦊\ud800` }, origin: { kind: "postern" } });
        expect(resultBytes(result)).toBe(Buffer.byteLength(JSON.stringify(result)));
      }),
    );
  });
});

describe("a refusal", () => {
  it("is an error result with code, message, field, whether to retry, and details, in both forms", () => {
    const result = renderFault({ code: "LOCKED", message: "Wait.", field: "path", details: { holder: "x" } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error_code: "LOCKED", message: "Wait.", field: "path", retryable: true, details: { holder: "x" } },
    });
    expect(textOf(result)).toEqual(result.structuredContent);
    expect(renderFault({ code: "NOT_FOUND", message: "No." }).structuredContent).toEqual({
      error_code: "NOT_FOUND",
      message: "No.",
      retryable: false,
    });
  });

  it("of an answer that is too large names limit, size, way out and more", () => {
    expect(tooLarge(10, 5, "Ask for less.", { sizes: [] })).toEqual({
      code: "RESPONSE_TOO_LARGE",
      message: "The answer would take 10 bytes and the limit is 5. Ask for less.",
      details: { limit_bytes: 5, bytes: 10, sizes: [] },
    });
  });
});
