/** Counters and gauges in Prometheus' text format (exposition format 0.0.4), served on the operations listener only. */

export type Labels = Readonly<Record<string, string>>;
export type Metrics = {
  /** Adds one. Label values come from configuration and closed lists, never from a request, so that their number is bounded. */
  readonly count: (name: CounterName, labels: Labels) => void;
  /** Adds one to the same series at every call. */
  readonly counter: (name: CounterName, labels: Labels) => () => void;
  /** The page; gauges are read when it is asked for. */
  readonly render: (gauges: readonly Gauge[]) => string;
};
export type Gauge = { readonly name: string; readonly help: string; readonly labels?: Labels; readonly value: number };

const counters = {
  postern_refusals_total: "Requests the gate refused, by client and reason.",
  postern_tool_calls_total: "Tool calls, by client, tool and outcome.",
} as const;
type CounterName = keyof typeof counters;

type Series = { readonly labels: string; value: number };

export function createMetrics(): Metrics {
  const values = new Map<CounterName, Map<string, Series>>();
  const seriesOf = (name: CounterName, labels: Labels): Series => {
    const all = values.get(name) ?? new Map<string, Series>();
    values.set(name, all);
    const key = Object.values(labels).join("\u0000");
    const series = all.get(key) ?? { labels: renderLabels(labels), value: 0 };
    all.set(key, series);
    return series;
  };
  return {
    count: (name, labels) => {
      seriesOf(name, labels).value += 1;
    },
    counter: (name, labels) => {
      const series = seriesOf(name, labels);
      return () => {
        series.value += 1;
      };
    },
    render: (gauges) => {
      const lines: string[] = [];
      for (const [name, help] of Object.entries(counters)) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`);
        for (const [key, series] of values)
          if (key === name) for (const { labels, value } of series.values()) lines.push(`${name}${labels} ${value}`);
      }
      let described = "";
      for (const gauge of gauges) {
        if (gauge.name !== described) lines.push(`# HELP ${gauge.name} ${gauge.help}`, `# TYPE ${gauge.name} gauge`);
        described = gauge.name;
        lines.push(`${gauge.name}${renderLabels(gauge.labels ?? {})} ${gauge.value}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`))}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
