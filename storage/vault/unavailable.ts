/** The refusal for a repository that cannot answer, with one sentence for each reason. */
import type { Fault } from "../ports.ts";

const sentences = {
  repository_missing: "The folder of the vault's repository is gone.",
  empty_repository: "The vault's repository has no commit on its branch yet.",
  branch_missing: "The vault's branch, the configured one or else the one HEAD names, does not exist in its repository.",
  tip_unreadable: "The newest commit of the vault's branch cannot be read from its repository.",
  root_missing: "The vault's root folder does not exist at this commit.",
  root_not_a_folder: "The vault's root is not a folder at this commit.",
  root_ambiguous: "The vault's root is the name of two folders that differ only in their Unicode form; write it exactly.",
  git_cannot_start: "The vault's git process cannot be started.",
  git_exited: "The vault's git process ended unexpectedly.",
  git_timeout: "The vault's git process did not answer in time.",
  git_failed: "The vault's repository could not be read.",
  closed: "The vault is being closed.",
} as const;

export type UnavailableReason = keyof typeof sentences;

/** UPSTREAM_UNAVAILABLE with `details.reason`. */
export function unavailable(reason: UnavailableReason): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { code: "UPSTREAM_UNAVAILABLE", message: sentences[reason], details: { reason } } };
}
