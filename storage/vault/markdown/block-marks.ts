/** The marks at the head of a Markdown line: quotes, list items, code fences. Columns count a tab up to the next multiple of four. */

export type Fence = {
  readonly mark: "`" | "~";
  readonly length: number;
  /** How many `>` stood before it; a line with fewer ends it. */
  readonly quoteDepth: number;
  /** Column of the list item it stands in; a line that begins before it ends the fence. */
  readonly column: number;
};

/** Skips white space: the column and offset of the first other character (or of the end of the line). */
export function columnsAt(text: string, from: number, end: number, column: number): { columns: number; content: number } {
  let columns = column;
  let content = from;
  for (; content < end; content += 1) {
    const unit = text[content];
    if (unit === " ") columns += 1;
    else if (unit === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return { columns, content };
}

/** Skips `>` marks. The column starts anew behind them, so that what a quote holds is measured from its own edge. */
export function skipQuotes(
  text: string,
  from: number,
  end: number,
): { readonly at: number; readonly depth: number; readonly column: number } {
  let at = from;
  let depth = 0;
  for (;;) {
    const { columns, content } = columnsAt(text, at, end, 0);
    if (columns >= 4 || content >= end || text[content] !== ">") return { at, depth, column: 0 };
    depth += 1;
    at = content + 1;
    if (text[at] === " ") at += 1;
  }
}

const bulletOrNumber = /^(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)/;

/** A list marker at `content`, standing in column `columns`: where what follows it begins. */
export function listMarker(
  text: string,
  content: number,
  lineEnd: number,
  columns: number,
): { readonly at: number; readonly column: number; readonly contentColumn: number } | null {
  // Twelve characters hold the longest mark and the one behind it.
  const mark = bulletOrNumber.exec(text.slice(content, Math.min(lineEnd, content + 12)))?.[0];
  if (mark === undefined) return null;
  const at = content + mark.length;
  const column = columns + mark.length;
  const after = columnsAt(text, at, lineEnd, column);
  const gap = after.columns - column;
  // An empty item, or one that begins with indented code, has its content one column behind the mark.
  return { at, column, contentColumn: after.content === lineEnd || gap > 4 ? column + 1 : after.columns };
}

export function openFence(text: string, content: number, lineEnd: number, quoteDepth: number, column: number): Fence | null {
  const mark = text[content];
  if (mark !== "`" && mark !== "~") return null;
  const length = runLength(text, content, lineEnd, mark);
  if (length < 3) return null;
  // A backtick behind it makes it a code span.
  if (mark === "`" && text.slice(content + length, lineEnd).includes("`")) return null;
  return { mark, length, quoteDepth, column };
}

export function closesFence(fence: Fence, text: string, content: number, lineEnd: number, columns: number): boolean {
  if (columns - fence.column >= 4 || text[content] !== fence.mark) return false;
  const length = runLength(text, content, lineEnd, fence.mark);
  return length >= fence.length && text.slice(content + length, lineEnd).trim() === "";
}

export function runLength(text: string, from: number, end: number, mark: string): number {
  let at = from;
  while (at < end && text[at] === mark) at += 1;
  return at - from;
}
