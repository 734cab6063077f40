/**
 * Watches the configuration and its `env_file` by polling their text, which sees every way of writing a file: in place,
 * half-written, renamed over, through a link. A valid change is applied; a broken one is refused, closing what it revokes.
 */
import type { Config } from "./config.ts";
import { loadConfig } from "./load.ts";
import type { Problem } from "./problem.ts";
import { StartError } from "../start-error.ts";
import { clientsToClose } from "./salvage.ts";
import { envFileOf, placeOf, type ProcessFacts, readIfThere, surroundingsOf } from "./sources.ts";
import { createTimelyReader, type ReadText } from "./timely-reader.ts";

export type WatchOptions = ProcessFacts & {
  readonly current: Config;
  readonly timers: {
    readonly every: (ms: number, task: () => void) => () => void;
    readonly after: (ms: number, task: () => void) => () => void;
  };
  /** Text of a file, null when there is none. Default: from disk. */
  readonly readText?: ReadText;
  /** Makes a valid configuration the one that serves. A rejection means that it could not (a vault is missing): the old one stays. */
  readonly apply: (config: Config) => Promise<void>;
  /** What was not applied (all of a configuration, or one setting of it), and the clients to close at once all the same. */
  readonly refuse: (problems: readonly Problem[], closeClients: readonly string[]) => void;
  /** What the operator should know of a configuration that was applied. */
  readonly note: (notes: readonly Problem[]) => void;
};

export type Watcher = {
  /** Looks now, after a look that is under way; resolves when what was found is applied or refused. */
  readonly check: () => Promise<void>;
  readonly stop: () => void;
};

const pollMs = 500;
/** A text counts once it has been read twice in a row, this long apart: half a write is not an edit. */
const settleMs = 50;

type Texts = { readonly config: string | null; readonly env: string | null };

export function watchConfig({ env, cwd, current, timers, readText = readIfThere, apply, refuse, note }: WatchOptions): Watcher {
  const facts = { env, cwd };
  const textOf = createTimelyReader(readText, timers.after);
  const place = placeOf(facts);
  const heldBefore = new Set<string>();
  let serving = current;
  let seen: Texts | null = null;
  /** Deleting a file that was there is not the same as never having had one. */
  let hadFile = place.isNamed;
  let envPath: string | null = null;
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let stopped = false;

  const read = async (): Promise<Texts> => {
    // A file that cannot be read is treated like one that is gone.
    const config = await textOf(place.path);
    envPath = envFileOf(config, facts, place, envPath);
    return { config, env: envPath === null ? null : await textOf(envPath) };
  };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void timers.after(ms, resolve));
  const settled = async (): Promise<Texts> => {
    let texts = await read();
    for (let round = 0; round < 5; round += 1) {
      if (seen !== null && same(texts, seen)) return texts;
      await wait(settleMs);
      const again = await read();
      if (same(again, texts)) break;
      texts = again;
    }
    return texts;
  };
  const look = async (): Promise<void> => {
    const texts = await settled();
    if (stopped || (seen !== null && same(texts, seen))) return;
    const isFirst = seen === null;
    seen = texts;
    hadFile ||= texts.config !== null;
    const surroundings = surroundingsOf(facts, place, texts.config, texts.env, heldBefore);
    const read = texts.config === null && hadFile ? gone : loadConfig(texts.config, surroundings);
    const loaded = read.ok && serving.namesClients && !read.config.namesClients ? headless : read;
    if (isFirst && loaded.ok && JSON.stringify(loaded.config) === JSON.stringify(serving)) return;
    const open = openClients(serving);
    const close = (): readonly string[] => clientsToClose(texts.config, { open, areNamed: serving.namesClients }, surroundings.lookUp);
    if (!loaded.ok) return refuse(loaded.problems, close());
    const waiting = waitingSettings(loaded.config, serving);
    // Whatever is made from those settings must be made from the ones that serve: an issuer's address, a client's resource.
    const { listen, operations, home } = serving;
    const meant = waiting.length === 0 ? loaded : loadConfig(texts.config, { ...surroundings, taken: { listen, operations, home } });
    if (!meant.ok) return refuse(meant.problems, close());
    try {
      await apply(meant.config);
      const notes = [...waiting, ...newNotices(meant.config, serving)];
      serving = meant.config;
      if (notes.length > 0) note(notes);
    } catch (error) {
      const why = error instanceof StartError ? error.message : "cannot be opened as configured";
      const stay = openClients(meant.config);
      refuse(
        [{ line: 0, column: 0, path: "vaults", message: `${why}; the old configuration stays` }],
        open.filter((name) => !stay.includes(name)),
      );
    }
  };
  const check = (): Promise<void> => {
    if (looking === null) {
      looking = look().finally(() => {
        looking = null;
      });
      return looking;
    }
    // The look under way may have read the files before the change its caller wants to see.
    next ??= looking.then(() => {
      next = null;
      return check();
    });
    return next;
  };
  const stopPolling = timers.every(pollMs, () => void check());
  const stop = (): void => {
    stopped = true;
    stopPolling();
  };
  return { check, stop };
}

const gone = {
  ok: false,
  problems: [{ line: 0, column: 0, path: "", message: "is gone or cannot be read; its clients are closed until it is back" }],
} as const;

/** The first lines of a file are a configuration too, and mean the built-in client: a broken write must not open that door. */
const headless = {
  ok: false,
  problems: [
    { line: 0, column: 0, path: "clients", message: "are not there any more; the built-in client comes back only with the next start" },
  ],
} as const;

function same(left: Texts, right: Texts): boolean {
  return left.config === right.config && left.env === right.env;
}

/** Parts that are not built and were not configured before: said at a change as they are at a start. */
function newNotices(next: Config, serving: Config): readonly Problem[] {
  const added = next.notBuilt.filter((notice) => !serving.notBuilt.includes(notice));
  return added.map((notice) => ({ line: 0, column: 0, path: "", message: notice }));
}

/** Addresses and the data directory are taken at start; a change of them waits for the next one and says so. */
function waitingSettings(next: Config, serving: Config): readonly Problem[] {
  const changed = (["listen", "operations", "home"] as const).filter((key) => JSON.stringify(next[key]) !== JSON.stringify(serving[key]));
  return changed.map((path) => ({ line: 0, column: 0, path, message: "changed; that counts from the next start, the rest is applied" }));
}

function openClients({ clients }: Config): readonly string[] {
  return clients.filter(({ client }) => client.audience.kind === "aud").map(({ client }) => client.name);
}
