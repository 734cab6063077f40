/**
 * The form in which text is compared: NFC, then Unicode full case folding, then NFC again (Unicode Standard, 3.13 and
 * UAX 15). No locale takes part. So `ß` = `ss`, `ς` = `σ`, `ﬁ` = `fi`, `ſ` = `s`, and both spellings of 학점 are one.
 *
 * One rule is ours: I, i, İ and ı are one letter. Unicode keeps them apart so that Turkish text can, but whoever
 * searches from another keyboard could then never find `İstanbul` or `Işık`.
 */

/** Code points that lower-casing leaves short of their fold: ligatures, `ß`, final sigma, `ſ`, iota subscripts and the like. */
const short = /[\p{Changes_When_Casefolded}\u0131]|i\u0307/gu;
const nonAscii = /[^\u0000-\u007f]/;

export function fold(text: string): string {
  if (!nonAscii.test(text)) return text.toLowerCase();
  return text.normalize("NFC").toLowerCase().replace(short, foldOne).normalize("NFC");
}

/** `part` is one code point, or an i that wears the dot of a former `İ`. */
function foldOne(part: string): string {
  if (part === "\u0131" || part === "i\u0307") return "i";
  // Upper case expands (ß -> SS) and unites (ς, σ -> Σ). Code points are lowered one by one, or Σ would depend on its neighbours.
  return Array.from(part.toUpperCase(), (upper) => upper.toLowerCase()).join("");
}

/** A base with the marks and jamo that may combine with it: normalization never reaches across its borders. */
const cluster = /[^][\p{M}\u1160-\u11ff]*/gu;

/**
 * Where the text between two offsets of `fold(text)` stands in `text`, as whole clusters: `[start, end)` in UTF-16
 * code units. Folds again, so it is for the few notes that are shown and not for those that are searched.
 */
export function unfoldRange(text: string, foldedStart: number, foldedEnd: number): { readonly start: number; readonly end: number } {
  let folded = 0;
  let start = -1;
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const lineEnd = feed === -1 ? text.length : feed + 1;
    const line = text.slice(at, lineEnd);
    const length = fold(line).length;
    if (folded + length > foldedStart || start !== -1) {
      let inLine = folded;
      for (const match of line.matchAll(cluster)) {
        const next = inLine + fold(match[0]).length;
        if (start === -1 && next > foldedStart) start = at + match.index;
        if (next >= foldedEnd && start !== -1) return { start, end: at + match.index + match[0].length };
        inLine = next;
      }
    }
    folded += length;
    at = lineEnd;
  }
  return { start: start === -1 ? text.length : start, end: text.length };
}
