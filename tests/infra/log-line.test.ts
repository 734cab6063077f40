import { describe, expect, it } from "vitest";
import { createLog } from "../../infra/log.ts";

function logAt(times: readonly number[]): { readonly log: ReturnType<typeof createLog>; readonly lines: () => unknown[] } {
  const written: string[] = [];
  let calls = 0;
  const log = createLog(
    { write: (text) => void written.push(text), soon: () => undefined },
    () => times[Math.min(calls++, times.length - 1)] ?? 0,
  );
  const lines = (): unknown[] => {
    log.flush();
    return written
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line));
  };
  return { log, lines };
}

describe("a line of the log", () => {
  it("is one JSON object with its time, level, event and the fields on the list, in the order they were given", () => {
    const { log, lines } = logAt([0]);
    log.log("info", "call", { tool: "ping", client: 'cla"ude\n', status: 200, clients: ["a", "b"], vault: null });
    expect(lines()).toEqual([
      {
        time: "1970-01-01T00:00:00.000Z",
        level: "info",
        event: "call",
        tool: "ping",
        client: 'cla"ude\n',
        status: 200,
        clients: ["a", "b"],
        vault: null,
      },
    ]);
  });

  it("carries its own time, also when lines share a millisecond", () => {
    const { log, lines } = logAt([1, 1, 2]);
    for (let line = 0; line < 3; line += 1) log.log("warn", "refused");
    expect(lines()).toMatchObject([
      { time: "1970-01-01T00:00:00.001Z" },
      { time: "1970-01-01T00:00:00.001Z" },
      { time: "1970-01-01T00:00:00.002Z" },
    ]);
  });

  it("drops fields that are not on the list or have no value, and cuts long ones", () => {
    const { log, lines } = logAt([0]);
    log.log("info", "call", { token: "secret", arguments: {}, tool: undefined, reason: "r".repeat(600) });
    expect(lines()).toEqual([{ time: "1970-01-01T00:00:00.000Z", level: "info", event: "call", reason: `${"r".repeat(512)}…` }]);
  });
});
