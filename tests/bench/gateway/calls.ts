/** CPU of one `tools/call` of `ping`: the three servers side by side, in turn, both eras, one and many connections. */
import type { Era } from "../load/ping-call.ts";
import type { Driver } from "../load/start-driver.ts";
import { type Row, rowOf } from "../row.ts";
import type { Running, Subject, Subjects } from "./subjects.ts";

const runs = 5;
/** Half a second of work each: long enough to hold its share of garbage collection. */
const callsPerRun = { source: 10_000, bare: 16_000, sdk: 1500 } as const;
/** Until the hot path is compiled: beyond it the figures no longer fall. */
const warmUpCalls = { source: 10_000, bare: 10_000, sdk: 3000 } as const;
/** CPU per call at 32 connections: at most twice the bare handler's and a sixth of the official SDK's. */
const bars = { bare: 2, sdk: 1 / 6 } as const;

const cases: readonly { readonly era: Era; readonly connections: number }[] = [
  { era: "handshake", connections: 1 },
  { era: "stateless", connections: 1 },
  { era: "handshake", connections: 32 },
  { era: "stateless", connections: 32 },
];
const names = ["source", "bare", "sdk"] as const;
type Name = (typeof names)[number];

export async function measureCalls(subjects: Subjects, driver: Driver, note: (line: string) => void): Promise<readonly Row[]> {
  const running = new Map<Name, Running>();
  const costs = new Map<string, number[]>();
  const costsOf = (name: Name, era: Era, connections: number): number[] => {
    const key = `${name} ${era} ${connections}`;
    const known = costs.get(key) ?? [];
    costs.set(key, known);
    return known;
  };
  try {
    for (const name of names) running.set(name, await serve(subjects[name], note));
    for (const [name, server] of running) {
      for (const era of ["handshake", "stateless"] as const) await costUs(server, driver, { era, connections: 32 }, warmUpCalls[name]);
    }
    for (let run = 1; run <= runs; run += 1) {
      note(`calls: run ${run} of ${runs}`);
      for (const each of cases) {
        for (const [name, server] of running)
          costsOf(name, each.era, each.connections).push(await costUs(server, driver, each, callsPerRun[name]));
      }
    }
  } finally {
    for (const { process } of running.values()) await process.stop();
  }
  return cases.flatMap(({ era, connections }) =>
    (["bare", "sdk"] as const).map((name) =>
      rowOf({
        name: `ping, ${era}, ${connections} ${connections === 1 ? "connection" : "connections"}, against ${subjects[name].name}`,
        unit: "us CPU/call",
        ours: costsOf("source", era, connections),
        reference: costsOf(name, era, connections),
        ...(connections === 1 ? {} : { bar: bars[name] }),
      }),
    ),
  );
}

function serve(subject: Subject, note: (line: string) => void): Promise<Running> {
  note(`starting ${subject.name}`);
  return subject.serve();
}

/** Microseconds of the server's CPU for each of `calls`. */
async function costUs(
  { process, target }: Running,
  driver: Driver,
  order: { era: Era; connections: number },
  calls: number,
): Promise<number> {
  const before = process.cpuMs();
  await driver.drive({ ...target, ...order, calls });
  return ((process.cpuMs() - before) * 1000) / calls;
}
