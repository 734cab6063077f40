/** What a long life adds: resident memory after 100,000 calls over the figure after 10,000. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "../load/start-driver.ts";
import { type Row, rowOf } from "../row.ts";
import type { Running, Subjects } from "./subjects.ts";

const megabyte = 1_000_000;
const firstCalls = 10_000;
const allCalls = 100_000;
/** Readings after each stretch, a second apart: the least of them is what stays when nobody calls. */
const readings = 5;
const readingEveryMs = 1000;
const addedAtMostMb = 10;

export async function measureMemory({ source }: Subjects, driver: Driver, note: (line: string) => void): Promise<readonly Row[]> {
  note(`memory: ${allCalls} calls`);
  const running = await source.serve();
  try {
    await call(running, driver, firstCalls);
    const early = await settled(running);
    await call(running, driver, allCalls - firstCalls);
    const late = await settled(running);
    const base = Math.min(...early);
    return [
      rowOf({
        name: `resident memory added by ${allCalls} calls over that after ${firstCalls}, against the limit`,
        unit: "MB",
        ours: late.map((size) => size - base),
        reference: [addedAtMostMb],
        bar: 1,
      }),
      rowOf({
        name: `resident memory after ${allCalls} calls, against that after ${firstCalls}`,
        unit: "MB",
        ours: late,
        reference: early,
      }),
    ];
  } finally {
    await running.process.stop();
  }
}

/** Half of them in each era. */
async function call({ target }: Running, driver: Driver, calls: number): Promise<void> {
  for (const era of ["handshake", "stateless"] as const) await driver.drive({ ...target, era, connections: 32, calls: calls / 2 });
}

async function settled({ process }: Running): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (let reading = 0; reading < readings; reading += 1) {
    await sleep(readingEveryMs);
    sizes.push(process.residentBytes() / megabyte);
  }
  return sizes;
}
