/** Every tool there is, in the order of `tools/list`. A new tool is one file and one line here. */
import type { Vault } from "../../storage/ports.ts";
import type { Tool } from "../tool.ts";
import { ping } from "./ping.ts";
import { vaultTools } from "./vault/vault-tools.ts";

/** What tools stand on; a client sees only the vaults it may use. */
export type CatalogueDependencies = {
  readonly vaults: readonly Vault[];
  /** Largest serialised tool result in bytes, text copy included. */
  readonly responseBytes: number;
};

export function catalogue({ vaults, responseBytes }: CatalogueDependencies): readonly Tool[] {
  return [ping, ...vaultTools(vaults, responseBytes)];
}
