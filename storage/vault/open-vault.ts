/** Opens one configured vault and keeps its parts together. */
import type { Fault, Log, Now, Sealer, Vault, VaultHealth } from "../ports.ts";
import { createEngine } from "./engine.ts";
import { type Opening, openRepository, type RepositorySettings } from "./git/open-repository.ts";
import { listNotes } from "./list-notes.ts";
import { createNoteStore } from "./note-store.ts";
import { readNotes } from "./read-notes.ts";
import type { Repository } from "./repository.ts";
import { searchNotes } from "./search-notes.ts";
import type { UnreadablePolicy } from "./unreadable.ts";

export type VaultSettings = {
  /** Name in the configuration; cursors are bound to it. */
  readonly name: string;
  readonly repository: Pick<RepositorySettings, "path" | "branch" | "git">;
  /** Folder inside the repository that is the vault; paths are relative to it. Default: the whole repository. */
  readonly root?: string;
  /** What a note that cannot be read does to a call. Default `fail`. */
  readonly unreadable?: UnreadablePolicy;
  /** Largest note in bytes; a larger one is unreadable. Default 1 MiB. */
  readonly indexLimitBytes?: number;
  /** Memory in bytes for folded text; a quarter more may go to titles and front matter. Default 256 MiB. */
  readonly cacheBytes?: number;
  readonly sealer: Sealer;
  readonly now: Now;
  readonly log: Log;
};

const defaultIndexLimitBytes = 1_048_576;
const defaultCacheBytes = 268_435_456;

/** A refusal must end the start: the message is one line for the operator. An empty repository is none; its calls say so. */
export async function openVault(settings: VaultSettings): Promise<Opening<Vault>> {
  const { name, repository, root, now } = settings;
  const opened = await openRepository({ ...repository, ...(root === undefined ? {} : { root }), now });
  if (!opened.ok) return { ok: false, refusal: { ...opened.refusal, message: `vault ${name}: ${opened.refusal.message}` } };
  return { ok: true, value: createVault(settings, opened.value) };
}

/** A vault on any repository that keeps the contract of `repository.ts`. */
export function createVault(settings: Omit<VaultSettings, "repository" | "root">, repository: Repository): Vault {
  const {
    name,
    sealer,
    now,
    log,
    unreadable = "fail",
    indexLimitBytes = defaultIndexLimitBytes,
    cacheBytes = defaultCacheBytes,
  } = settings;
  // Reads that several calls wait for do not end when one of them leaves; closing the repository answers them all.
  const shared = new AbortController().signal;
  const store = createNoteStore({ repository, indexLimitBytes, cacheBytes, now, signal: shared });
  const engine = createEngine({ vault: name, repository, store, log, signal: shared });
  const pages = { vault: name, engine, sealer, store, unreadable };
  return {
    name,
    list: (query, signal) => listNotes(pages, query, signal),
    search: (query, signal) => searchNotes(pages, query, signal),
    read: (query, signal) => readNotes({ engine, store, unreadable, indexLimitBytes }, query, signal),
    async health() {
      const tip = await repository.tip(shared);
      if (!tip.ok) return unhealthy(tip.fault);
      const root = await repository.root(tip.value, shared);
      return root.ok ? { ok: true, commit: tip.value } : unhealthy(root.fault);
    },
    close: () => repository.close(),
  };
}

function unhealthy({ message, details }: Fault): VaultHealth {
  return { ok: false, commit: null, reason: String(details?.["reason"]), detail: message };
}
