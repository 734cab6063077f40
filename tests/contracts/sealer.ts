/** What every `Sealer` must do. */
import { beforeEach, describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { Sealer } from "../../storage/ports.ts";

/** `foreign` belongs to another deployment. */
export type OpenedSealers = { readonly sealer: Sealer; readonly foreign: Sealer };

export function sealerContract(name: string, open: () => Promise<OpenedSealers>): void {
  describe(`sealing with ${name}`, () => {
    let opened: OpenedSealers;
    beforeEach(async () => {
      opened = await open();
    });

    it("opens what it sealed, whatever the text", () => {
      fc.assert(
        fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("cursor", "request-state", "other"), (payload, purpose) => {
          const sealed = opened.sealer.seal(purpose, payload);
          expect(sealed).toMatch(/^[A-Za-z0-9._~-]+$/);
          expect(opened.sealer.open(purpose, sealed)).toBe(payload);
        }),
        { numRuns: 300 },
      );
    });

    it("opens nothing under another purpose or of another deployment", () => {
      for (const purpose of ["cursor", "request-state", "other"]) {
        const sealed = opened.sealer.seal(purpose, "설계 문서");
        for (const wrong of ["cursor", "request-state", "other", "", `${purpose} `].filter((each) => each !== purpose)) {
          expect(opened.sealer.open(wrong, sealed)).toBeNull();
        }
        expect(opened.foreign.open(purpose, sealed)).toBeNull();
      }
    });

    it("shows nothing of the payload", () => {
      const sealed = opened.sealer.seal("cursor", "MARKERMARKERMARKER");
      expect(sealed + Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("MARKER");
    });

    it("refuses every change of one character, every cut and every addition", () => {
      const sealed = opened.sealer.seal("cursor", "page 2");
      for (let at = 0; at < sealed.length; at += 1) {
        for (const other of ["A", "B", ".", "=", " ", "é"]) {
          if (sealed[at] === other) continue;
          expect(opened.sealer.open("cursor", sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeNull();
        }
        expect(opened.sealer.open("cursor", sealed.slice(0, at))).toBeNull();
        expect(opened.sealer.open("cursor", sealed.slice(at + 1))).toBeNull();
      }
      for (const added of ["A", "=", ".", "\n", " "]) expect(opened.sealer.open("cursor", sealed + added)).toBeNull();
    });

    it("refuses any other text without throwing", () => {
      fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => opened.sealer.open("cursor", text) === null));
      expect(opened.sealer.open("cursor", "A".repeat(5_000_000))).toBeNull();
    });
  });
}
