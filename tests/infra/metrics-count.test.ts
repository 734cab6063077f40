import { describe, expect, it } from "vitest";
import { createMetrics } from "../../infra/metrics.ts";

describe("the counters of the metrics page", () => {
  it("count each set of label values apart, with quotes and line ends escaped", () => {
    const metrics = createMetrics();
    const labels = { client: "a", tool: "ping", outcome: "ok" };
    for (let calls = 0; calls < 3; calls += 1) metrics.count("postern_tool_calls_total", { ...labels });
    metrics.count("postern_tool_calls_total", { ...labels, client: 'b"\n\\' });
    metrics.count("postern_refusals_total", { client: "none", reason: "unknown_host" });
    expect(
      metrics
        .render([])
        .split("\n")
        .filter((line) => !line.startsWith("#")),
    ).toEqual([
      'postern_refusals_total{client="none",reason="unknown_host"} 1',
      'postern_tool_calls_total{client="a",tool="ping",outcome="ok"} 3',
      'postern_tool_calls_total{client="b\\"\\n\\\\",tool="ping",outcome="ok"} 1',
      "",
    ]);
  });
});
