import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderResult, resultBytes } from "../../gateway/result.ts";

const origin = { kind: "postern" } as const;
/** Everything that changes length between a string, its JSON and the JSON of that: quotes, escapes, controls, wide and lone units. */
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "\u0001", "\u007f", "é", "문", "\u2028", "😀", "\ud83d", "\ude00"),
  maxLength: 60,
});

describe("the size limit of a result", () => {
  it("refuses a result exactly when its UTF-8 bytes pass the limit, both copies counted", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -40, max: 400 }), (body, slack) => {
        const output = { kind: "json", value: { body }, origin } as const;
        const whole = renderResult(output);
        const bytes = new TextEncoder().encode(JSON.stringify(whole)).byteLength;
        expect(resultBytes(whole)).toBe(bytes);
        const limited = renderResult(output, bytes + slack);
        if (slack >= 0) expect(limited).toEqual(whole);
        else expect(limited).toMatchObject({ isError: true, structuredContent: { error_code: "RESPONSE_TOO_LARGE", details: { bytes } } });
      }),
    );
  });

  it("counts media in full although only text has a short way", () => {
    const output = {
      kind: "content",
      content: [
        { type: "text", text: "short" },
        { type: "image", data: "A".repeat(500), mimeType: "image/png" },
      ],
    } as const;
    expect(renderResult(output, 400)).toMatchObject({ structuredContent: { error_code: "RESPONSE_TOO_LARGE" } });
    expect(renderResult(output, 700)).toEqual({ content: output.content });
  });
});
