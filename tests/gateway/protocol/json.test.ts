import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../gateway/protocol/json.ts";

const depth = 64;

describe("JSON from outside", () => {
  it.each([
    ['{"method":"ping","method":"tools/call"}', "at the top"],
    ['{"a":{"b":1,"b":2}}', "in a nested object"],
    ['[{"x":1},{"y":1,"y":1}]', "in an object of an array"],
    ['{"method":"ping","m\\u0065thod":"tools/call"}', "spelled with an escape"],
    ['{"a":1,"":2,"":3}', "under the empty name"],
    ['{"__proto__":1,"__proto__":2}', "under a name with a meaning to JavaScript"],
  ])("refuses a key that stands twice: %s (%s)", (text) => {
    expect(parseJson(text, depth)).toEqual({ ok: false, problem: "duplicate_key" });
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
    '{"a":"b","b":"a","c":"a"}',
    '{"a":["a","a"]}',
    '{"a\\"b":1,"a":2}',
    '{"a":"x\\\\","b":"\\""}',
  ])("accepts equal names in different objects and in values: %s", (text) => {
    expect(parseJson(text, depth)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it("does not take a key for the method by folding its case or its letters", () => {
    const parsed = parseJson('{"jsonrpc":"2.0","id":1,"Method":"tools/call","param\u017f":{}}', depth);
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["jsonrpc", "id", "Method", "param\u017f"]);
  });

  it("keeps __proto__ an ordinary key that touches no prototype", () => {
    const parsed = parseJson('{"__proto__":{"polluted":true}}', depth);
    expect(parsed.ok && Object.hasOwn(parsed.value as object, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("bounds nesting at exactly the limit", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(parseJson(nested(depth), depth).ok).toBe(true);
    expect(parseJson(nested(depth + 1), depth)).toEqual({ ok: false, problem: "too_deep" });
    expect(parseJson('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000), depth)).toEqual({ ok: false, problem: "too_deep" });
    expect(parseJson(JSON.stringify("[".repeat(1000)), depth).ok).toBe(true);
  });

  it.each(["", "{oops", '{"a":1,}', "nul", '"\u0001"', '{"a":1}{', "﻿{}x", '"'])("names broken JSON as such: %j", (text) => {
    expect(parseJson(text, depth)).toEqual({ ok: false, problem: "syntax" });
  });

  it("stays linear on a megabyte of quotes, backslashes and spaces", () => {
    for (const unit of ['"', '\\"', "\\", '" ', '"\\\\']) parseJson(`{"a":"${unit.repeat(1_000_000 / unit.length)}`, depth);
  });

  it("agrees with JSON.parse on every value that JSON.stringify can write", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(parseJson(text, depth)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it("never throws and never accepts what JSON.parse refuses", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", "a", " ", "\\u0061") }), (text) => {
        const parsed = parseJson(text, depth);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(parsed.ok).toBe(false);
        if (parsed.ok) expect(valid).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
