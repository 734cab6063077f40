import { describe, expect, it } from "vitest";
import { rowOf, table } from "./row.ts";

const facts = { name: "call", unit: "us", ours: [30, 20, 25], reference: [12, 10, 11] };

describe("a row of a bench", () => {
  it("compares the best run of ours with the best run of the reference", () => {
    expect(rowOf({ ...facts, bar: 2 })).toEqual({
      name: "call",
      unit: "us",
      better: "lower",
      ours: 20,
      reference: 10,
      ratio: 2,
      bar: 2,
      holds: true,
      runs: 3,
      spread: 0.5,
    });
  });

  it("does not hold once the ratio passes the bar", () => {
    expect(rowOf({ ...facts, bar: 1.99 }).holds).toBe(false);
    expect(rowOf({ ...facts, better: "higher", bar: 3 }).holds).toBe(false);
  });

  it("takes the largest run where higher is better", () => {
    expect(rowOf({ ...facts, better: "higher", bar: 2.5 })).toMatchObject({ ours: 30, reference: 12, ratio: 2.5, holds: true });
  });

  it("holds without a bar and says so in the table", () => {
    const row = rowOf(facts);
    expect(row).toMatchObject({ bar: null, holds: true });
    expect(table([row, rowOf({ ...facts, bar: 1 })]).map((line) => line.split(/\s{2,}/))).toEqual([
      ["name", "unit", "ours", "reference", "ratio", "bar", "holds", "runs", "spread"],
      ["call", "us", "20", "10", "2", "-", "-", "3", "50 %"],
      ["call", "us", "20", "10", "2", "<= 1", "NO", "3", "50 %"],
    ]);
  });

  it("can say that memory shrank", () => {
    expect(rowOf({ name: "memory", unit: "MB", ours: [-1, -3], reference: [10], bar: 1 })).toMatchObject({
      ours: -3,
      ratio: -0.3,
      holds: true,
    });
  });
});
