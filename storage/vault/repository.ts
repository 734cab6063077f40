/** What the vault asks of a repository. `git/` answers it with the system's git; a hosted repository can answer it as well. */
import type { Outcome } from "../ports.ts";
import type { UnavailableReason } from "./unavailable.ts";

/** One blob, symlink or gitlink below the vault's root folder. Folders have no entry of their own. */
export type TreeEntry = {
  readonly kind: "file" | "symlink" | "gitlink";
  /** Exact path below the root folder. Entries whose name is not UTF-8 are left out (nothing could name them). */
  readonly path: string;
  /** Object id in lower-case hex. */
  readonly oid: string;
  /** Bytes of the blob; `null` when the object is absent or its header is broken. */
  readonly size: number | null;
};

export type BlobReply =
  | { readonly kind: "blob"; readonly bytes: Uint8Array }
  /** The repository does not hold the object. */
  | { readonly kind: "missing" }
  /** The repository holds something under that id that cannot be decoded. */
  | { readonly kind: "corrupt" }
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason };

/**
 * Methods throw the signal's reason when the caller has left. Everything else that goes wrong is a value:
 * UPSTREAM_UNAVAILABLE with `details.reason`, or COMMIT_UNAVAILABLE.
 */
export type Repository = {
  /** Commit id at the tip of the configured branch, now. */
  tip(signal: AbortSignal): Promise<Outcome<string>>;
  /** Accepts `id` if it is a commit that the tip contains. `id` is 40 or 64 lower-case hex digits (checked by the caller). */
  reachable(id: string, tip: string, signal: AbortSignal): Promise<Outcome<string>>;
  /** Object id of the root folder's tree at a commit that `tip` or `reachable` returned. */
  root(commit: string, signal: AbortSignal): Promise<Outcome<string>>;
  /** Every file below the root folder at a commit that `tip` or `reachable` returned. */
  tree(commit: string, signal: AbortSignal): Promise<Outcome<readonly TreeEntry[]>>;
  /** Bytes of one blob. Up to the whole blob is held in memory: check `size` first. */
  blob(oid: string, signal: AbortSignal): Promise<BlobReply>;
  /** Ends the processes. Everything under way and later answers UPSTREAM_UNAVAILABLE with reason `closed`. */
  close(): Promise<void>;
};
