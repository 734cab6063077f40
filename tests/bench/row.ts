/** One line of a bench: a figure of ours beside a reference measured in the same run, and the bar for their ratio. */

/** Field names are part of the public interface: checks read them. */
export type Row = {
  readonly name: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  /** Best of the runs. */
  readonly ours: number;
  readonly reference: number;
  /** ours / reference. */
  readonly ratio: number;
  /** Null = printed for information; such a row always holds. */
  readonly bar: number | null;
  readonly holds: boolean;
  readonly runs: number;
  /** (worst - best) / best of our runs: how far the machine let them differ. */
  readonly spread: number;
};

export type Bench = {
  readonly about: string;
  /** `note` takes what a waiting person may want to know; it is never part of the result. */
  readonly run: (note: (line: string) => void) => Promise<readonly Row[]>;
};

export type RowFacts = {
  readonly name: string;
  readonly unit: string;
  readonly better?: "lower" | "higher";
  /** One figure a run, in the order of the runs; never empty. */
  readonly ours: readonly number[];
  readonly reference: readonly number[];
  readonly bar?: number;
};

export function rowOf({ name, unit, better = "lower", ours, reference, bar }: RowFacts): Row {
  const best = better === "lower" ? Math.min : Math.max;
  const worst = better === "lower" ? Math.max : Math.min;
  const figure = best(...ours);
  const ratio = figure / best(...reference);
  const holds = bar === undefined || (better === "lower" ? ratio <= bar : ratio >= bar);
  return {
    name,
    unit,
    better,
    ours: rounded(figure),
    reference: rounded(best(...reference)),
    ratio: rounded(ratio),
    bar: bar === undefined ? null : rounded(bar),
    holds,
    runs: ours.length,
    spread: figure === 0 ? 0 : rounded(Math.abs(worst(...ours) - figure) / Math.abs(figure)),
  };
}

/** Four significant digits: more would be noise. */
function rounded(figure: number): number {
  return Number(figure.toPrecision(4));
}

const columns = ["name", "unit", "ours", "reference", "ratio", "bar", "holds", "runs", "spread"] as const;

/** The rows as a table for people. */
export function table(rows: readonly Row[]): readonly string[] {
  const cells = [[...columns], ...rows.map((row) => columns.map((column) => cell(row, column)))];
  const widths = columns.map((_column, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map((line) => line.map((text, at) => (at < 2 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join("  "));
}

function cell(row: Row, column: (typeof columns)[number]): string {
  if (column === "bar") return row.bar === null ? "-" : `${row.better === "lower" ? "<=" : ">="} ${row.bar}`;
  if (column === "holds") return row.bar === null ? "-" : row.holds ? "yes" : "NO";
  if (column === "spread") return `${Math.round(row.spread * 100)} %`;
  return String(row[column]);
}
