/** The tools that read vaults. With two vaults or more each of them takes the argument `vault`. */
import type { Vault } from "../../../storage/ports.ts";
import { defaultResponseBytes } from "../../result.ts";
import type { Tool } from "../../tool.ts";
import { vaultList } from "./vault-list.ts";
import { vaultRead } from "./vault-read.ts";
import { vaultSearch } from "./vault-search.ts";

/** `limitBytes`: largest serialised result, both copies; default 64 KiB. Without a vault there are no tools. */
export function vaultTools(vaults: readonly Vault[], limitBytes: number = defaultResponseBytes): readonly Tool[] {
  if (vaults.length === 0) return [];
  return [vaultList(vaults, limitBytes), vaultSearch(vaults, limitBytes), vaultRead(vaults, limitBytes)];
}
