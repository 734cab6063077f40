import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold, unfoldRange } from "../../../storage/vault/fold.ts";

describe("folding", () => {
  it("finds Turkish, Greek, German and ligatures by what people type", () => {
    const text = fold("İstanbul Işık ΣΊΣΥΦΟΣ STRASSE ﬁ");
    for (const query of ["istanbul", "İSTANBUL", "ışık", "işik", "IŞIK", "σίσυφος", "Σίσυφοσ", "straße", "STRAẞE", "FI", "ﬁ"]) {
      expect([query, text.includes(fold(query))]).toEqual([query, true]);
    }
    expect(fold("ſ")).toBe("s");
    expect(fold("i\u0307stanbul")).toBe("istanbul");
  });

  it("does not care how a letter is composed", () => {
    expect(fold("학점".normalize("NFD"))).toBe(fold("학점"));
    expect(fold("É".normalize("NFD"))).toBe(fold("é"));
    expect(fold("Å")).toBe(fold("å"));
  });

  it("agrees with the engine's simple case folding for every code point, and folding twice changes nothing", () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const point = String.fromCodePoint(code);
      const folded = fold(point);
      const alike = [point.toUpperCase(), point.toLowerCase(), point.normalize("NFD"), folded].every((form) => fold(form) === folded);
      if (!alike) wrong.push(code.toString(16));
      const single = Array.from(folded).length === 1 && point.normalize("NFC") === point && !/[Iiİı]/u.test(point);
      if (single && folded !== point && !new RegExp(`^\\u{${code.toString(16)}}$`, "iu").test(folded))
        wrong.push(`simple ${code.toString(16)}`);
    }
    expect(wrong).toEqual([]);
  });

  it("says where folded text stands in the original, whatever grew or shrank before it", () => {
    const unit = fc.constantFrom(
      "İ",
      "ß",
      "ﬁ",
      "a",
      " ",
      "\n",
      "é".normalize("NFD"),
      "학",
      "학".normalize("NFD"),
      "ς",
      "🦊",
      "e\u0323\u0301",
      "ᾳ",
      "ŉ",
    );
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(), (units, first, length) => {
        const text = units.join("");
        const folded = fold(text);
        const start = first % folded.length;
        const end = Math.min(folded.length, start + 1 + (length % 5));
        const place = unfoldRange(text, start, end);
        expect(fold(text.slice(place.start, place.end))).toContain(folded.slice(start, end));
        expect(fold(text.slice(0, place.start)).length).toBeLessThanOrEqual(start);
      }),
      { numRuns: 2000 },
    );
  });
});
