/**
 * What an authenticated call, a start and a long life cost. CPU is the server process's own, user and system; references
 * are (a) a bare Hono handler with a cache of verified tokens and (b) the official SDK without authentication.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureCalls } from "./gateway/calls.ts";
import { measureMemory } from "./gateway/memory.ts";
import { measureStarts } from "./gateway/starts.ts";
import { subjectsIn } from "./gateway/subjects.ts";
import { startDriver } from "./load/start-driver.ts";
import type { Bench } from "./row.ts";

export const gateway: Bench = {
  about: "CPU of an authenticated call, start and memory beside a bare handler and the official SDK",
  run: async (note) => {
    const scratch = await mkdtemp(join(tmpdir(), "postern-bench-"));
    const driver = startDriver();
    try {
      const subjects = subjectsIn(scratch);
      const calls = await measureCalls(subjects, driver, note);
      const starts = await measureStarts(subjects, scratch, note);
      const memory = await measureMemory(subjects, driver, note);
      return [...calls, ...starts, ...memory];
    } finally {
      await driver.stop();
      await rm(scratch, { recursive: true, force: true });
    }
  },
};
