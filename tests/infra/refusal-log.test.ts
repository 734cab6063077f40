import { describe, expect, it } from "vitest";
import { createRefusalLog } from "../../infra/refusal-log.ts";

function open(): { readonly log: ReturnType<typeof createRefusalLog>; readonly lines: unknown[]; readonly pass: (ms: number) => void } {
  const lines: unknown[] = [];
  let nowMs = 0;
  const log = createRefusalLog(
    (_level, _event, fields) => void lines.push(fields),
    () => nowMs,
  );
  return { log, lines, pass: (ms) => void (nowMs += ms) };
}

describe("equal refusals", () => {
  it("are one line at once and one with a count when their minute is over", () => {
    const { log, lines, pass } = open();
    for (let each = 1; each <= 100; each += 1) log.write("revoked claude", { reason: "revoked", request_id: String(each) });
    log.write("revoked chatgpt", { reason: "revoked", request_id: "other" });
    expect(lines).toEqual([
      { reason: "revoked", request_id: "1" },
      { reason: "revoked", request_id: "other" },
    ]);
    log.sweep();
    expect(lines).toHaveLength(2);
    pass(60_000);
    log.sweep();
    expect(lines.slice(2)).toEqual([{ reason: "revoked", request_id: "100", count: 99 }]);
    log.write("revoked claude", { reason: "revoked", request_id: "101" });
    expect(lines).toHaveLength(4);
  });

  it("are counted by the next of their kind if no sweep came between, and at the stop", () => {
    const { log, lines, pass } = open();
    for (const request of ["1", "2", "3"]) log.write("kind", { request_id: request });
    pass(60_000);
    log.write("kind", { request_id: "4" });
    log.write("kind", { request_id: "5" });
    log.sweep(true);
    expect(lines).toEqual([{ request_id: "1" }, { request_id: "3", count: 2 }, { request_id: "4" }, { request_id: "5", count: 1 }]);
  });

  it("of ever new kinds are all written, and memory stays bounded", () => {
    const { log, lines } = open();
    for (let kind = 0; kind < 5000; kind += 1) log.write(`kind ${kind}`, { request_id: String(kind) });
    for (let again = 0; again < 3; again += 1) log.write("kind 4999", { request_id: "again" });
    expect(lines).toHaveLength(5003);
  });
});
