/**
 * Where the mark that ends something stands. Every question is asked for growing offsets, so each answer is kept until
 * it is passed: a note full of openings without an end is still read once.
 */

export type Closers = {
  /** Offset of `token` at or after `from`; -1 if there is none in the note. */
  find(token: string, from: number): number;
  /** Offset of the backtick run of exactly `length` that begins at or after `from` and before `end`; -1 if none. */
  backticks(length: number, from: number, end: number): number;
  /** Offset of a `$` that can end inline math: at or after `from`, before `end`; -1 if none. */
  dollar(from: number, end: number): number;
};

export function createClosers(text: string): Closers {
  const found = new Map<string, number>();
  /** Starts of the backtick runs of each length, read so far up to `ticksReadTo`. */
  const ticks = new Map<number, { readonly starts: number[]; next: number }>();
  let ticksReadTo = 0;
  let dollarAt = -1;
  let dollarAskedFrom = Number.POSITIVE_INFINITY;

  const readTicks = (end: number): void => {
    while (ticksReadTo < end) {
      const start = text.indexOf("`", ticksReadTo);
      if (start === -1 || start >= end) {
        ticksReadTo = end;
        return;
      }
      let after = start;
      while (text[after] === "`") after += 1;
      const runs = ticks.get(after - start);
      if (runs === undefined) ticks.set(after - start, { starts: [start], next: 0 });
      else runs.starts.push(start);
      ticksReadTo = after;
    }
  };

  return {
    find(token, from) {
      const known = found.get(token);
      if (known !== undefined && (known === -1 || known >= from)) return known;
      const at = text.indexOf(token, from);
      found.set(token, at);
      return at;
    },
    backticks(length, from, end) {
      readTicks(end);
      const runs = ticks.get(length);
      if (runs === undefined) return -1;
      while ((runs.starts[runs.next] ?? from) < from) runs.next += 1;
      const at = runs.starts[runs.next];
      return at === undefined || at >= end ? -1 : at;
    },
    dollar(from, end) {
      if (dollarAt >= from && dollarAskedFrom <= from) return dollarAt < end ? dollarAt : -1;
      dollarAskedFrom = from;
      let at = text.indexOf("$", from);
      while (at !== -1 && !endsMath(text, at)) at = text.indexOf("$", at + 1);
      dollarAt = at === -1 ? text.length : at;
      return dollarAt < end ? dollarAt : -1;
    },
  };
}

/** Not after a space or a backslash, and not before a digit: `$5 and $6` is money. */
function endsMath(text: string, at: number): boolean {
  const before = text[at - 1] ?? " ";
  const after = text[at + 1] ?? " ";
  return !/[\s\\$]/.test(before) && !/[0-9$]/.test(after);
}
