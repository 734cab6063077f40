/** A folder with a configuration that is watched, and what the watcher did about it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Config } from "../../../infra/config/config.ts";
import { readConfiguration } from "../../../infra/config/read.ts";
import { type Watcher, watchConfig, type WatchOptions } from "../../../infra/config/watch.ts";
import type { Problem } from "../../../infra/config/problem.ts";
import { env as variables } from "./scene.ts";

export type WatchScene = {
  readonly folder: string;
  readonly file: string;
  /** Configurations that were applied, and refusals, in their order. */
  readonly applied: Config[];
  readonly refused: { readonly messages: readonly string[]; readonly closed: readonly string[] }[];
  /** What was said of configurations that were applied. */
  readonly noted: string[];
  /** Writes the file, starts to watch it and looks once, which finds nothing new. */
  readonly serve: (text: string, options?: Partial<Pick<WatchOptions, "timers" | "env" | "apply" | "readText">>) => Promise<Watcher>;
  readonly stop: () => Promise<void>;
};

/** Looks only when told to. The pause between two readings is not waited for, and nothing that takes a second is ever late. */
const quick: WatchOptions["timers"] = {
  every: () => () => undefined,
  after: (ms, task) => {
    if (ms < 1000) queueMicrotask(task);
    return () => undefined;
  },
};

const told = ({ line, path, message }: Problem): string => `${line} ${path} ${message}`;

export async function watchScene(): Promise<WatchScene> {
  const folder = await mkdtemp(join(tmpdir(), "postern-설정-"));
  const file = join(folder, "postern.yaml");
  const applied: Config[] = [];
  const refused: { messages: readonly string[]; closed: readonly string[] }[] = [];
  const noted: string[] = [];
  const watchers: Watcher[] = [];
  return {
    folder,
    file,
    applied,
    refused,
    noted,
    async serve(text, { timers = quick, env = variables, apply = async () => undefined, ...reading } = {}) {
      await writeFile(file, text);
      const facts = { env: { HOME: folder, ...env }, cwd: folder };
      const watcher = watchConfig({
        ...facts,
        ...reading,
        timers,
        current: await readConfiguration(facts),
        apply: async (config) => {
          await apply(config);
          applied.push(config);
        },
        refuse: (problems, closed) => void refused.push({ messages: problems.map(told), closed }),
        note: (notes) => void noted.push(...notes.map(told)),
      });
      watchers.push(watcher);
      await watcher.check();
      expect([applied, refused]).toEqual([[], []]);
      return watcher;
    },
    async stop() {
      for (const watcher of watchers) watcher.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `claude aud`, `chatgpt revoked`, … */
export function audiences(config: Config | undefined): readonly string[] {
  return (config?.clients ?? []).map(({ client }) => `${client.name} ${client.audience.kind}`);
}
