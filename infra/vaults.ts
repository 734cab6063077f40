/** Opens the configured vaults and keeps those whose settings a reload did not touch. */
import { join } from "node:path";
import type { GitProgram } from "../storage/vault/git/git-program.ts";
import { openVault } from "../storage/vault/open-vault.ts";
import type { Log, Now, Sealer, Vault } from "../storage/ports.ts";
import type { VaultSettings } from "./config/config.ts";
import { createSampleVault } from "./sample-vault/create.ts";
import { StartError } from "./start-error.ts";

export type OpenVaults = ReadonlyMap<string, { readonly vault: Vault; readonly settings: VaultSettings; readonly repository: string }>;

export type VaultDependencies = {
  readonly home: string;
  readonly sealer: Sealer;
  readonly now: Now;
  readonly log: Log;
  readonly git: GitProgram;
};

/** Throws a StartError that names the vault; whatever this call had opened until then is closed again. */
export async function openVaults(
  wanted: readonly VaultSettings[],
  current: OpenVaults,
  dependencies: VaultDependencies,
): Promise<OpenVaults> {
  const next = new Map<string, { vault: Vault; settings: VaultSettings; repository: string }>();
  const opened: Vault[] = [];
  try {
    for (const settings of wanted) {
      const kept = current.get(settings.name);
      if (kept !== undefined && JSON.stringify(kept.settings) === JSON.stringify(settings)) {
        next.set(settings.name, kept);
        continue;
      }
      const repository = await repositoryOf(settings, dependencies);
      const vault = await open(settings, repository, dependencies);
      opened.push(vault);
      next.set(settings.name, { vault, settings, repository });
    }
  } catch (error) {
    await Promise.all(opened.map((vault) => vault.close()));
    throw error;
  }
  return next;
}

async function repositoryOf(settings: VaultSettings, { home, git, log }: VaultDependencies): Promise<string> {
  if (settings.repository !== null) return settings.repository;
  const directory = join(home, "sample-vault");
  const { state, movedTo } = await createSampleVault({ directory, git }).catch((error: unknown) => {
    const isDiskError = error instanceof Error && "syscall" in error && "code" in error;
    throw isDiskError ? new StartError("home", `the sample vault cannot be made in ${directory} (${String(error.code)})`) : error;
  });
  if (state === "remade") log("warn", "sample_vault_remade", { vault: settings.name, file: movedTo });
  return directory;
}

async function open(settings: VaultSettings, path: string, { sealer, now, log, git }: VaultDependencies): Promise<Vault> {
  const { name, branch, root, unreadable, indexLimitBytes } = settings;
  const opened = await openVault({
    name,
    repository: { path, git, ...(branch === null ? {} : { branch }) },
    ...(root === "" ? {} : { root }),
    unreadable,
    indexLimitBytes,
    sealer,
    now,
    log,
  });
  if (opened.ok) return opened.value;
  const { reason, message } = opened.refusal;
  throw new StartError(reason === "git_missing" || reason === "git_cannot_start" ? "unavailable" : "vault", message);
}
