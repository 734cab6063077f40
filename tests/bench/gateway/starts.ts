/** How long a start takes and what it holds afterwards: from source and as the bundle, each with its compile cache warm. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Row, rowOf } from "../row.ts";
import { packageIn } from "./package-bundle.ts";
import { postern, type Subject, type Subjects } from "./subjects.ts";

const runs = 5;
const megabyte = 1_000_000;
/** What is started in the background after `ready` has come to rest by then. */
const settleMs = 300;
const limits = { source: { ms: 1500, mb: 150 }, bundle: { ms: 600, mb: 110 } } as const;

type Figures = { readonly readyMs: number[]; readonly residentMb: number[] };

export async function measureStarts({ source, bare }: Subjects, scratch: string, note: (line: string) => void): Promise<readonly Row[]> {
  note("starts: building the bundle");
  const bundle = postern("postern as bundle", await packageIn(scratch), `${scratch}/bundle-home`);
  const figures = new Map<Subject, Figures>();
  // The first start fills the compile cache and makes the data directory; it is not counted.
  for (const subject of [source, bundle, bare]) {
    await (await subject.start()).stop();
    figures.set(subject, { readyMs: [], residentMb: [] });
  }
  for (let run = 1; run <= runs; run += 1) {
    note(`starts: run ${run} of ${runs}`);
    for (const [subject, { readyMs, residentMb }] of figures) {
      const process = await subject.start();
      await sleep(settleMs);
      readyMs.push(process.readyMs);
      residentMb.push(process.residentBytes() / megabyte);
      await process.stop();
    }
  }
  const of = (subject: Subject): Figures => figures.get(subject) ?? { readyMs: [], residentMb: [] };
  const rowsOf = (subject: Subject, limit: { readonly ms: number; readonly mb: number }): readonly Row[] => {
    const ours = of(subject);
    const beside = of(bare);
    const what = `second start, ${subject.name}`;
    return [
      rowOf({ name: `${what}: ready, against the limit`, unit: "ms", ours: ours.readyMs, reference: [limit.ms], bar: 1 }),
      rowOf({ name: `${what}: resident memory, against the limit`, unit: "MB", ours: ours.residentMb, reference: [limit.mb], bar: 1 }),
      rowOf({ name: `${what}: ready, against ${bare.name}`, unit: "ms", ours: ours.readyMs, reference: beside.readyMs }),
      rowOf({ name: `${what}: resident memory, against ${bare.name}`, unit: "MB", ours: ours.residentMb, reference: beside.residentMb }),
    ];
  };
  return [...rowsOf(source, limits.source), ...rowsOf(bundle, limits.bundle)];
}
