/** The tables of the deployment's database, as the newest migration leaves them. Times are milliseconds since the epoch. */
import type { Kysely, Transaction } from "kysely";

export type Tables = {
  /** One row a record of the built-in authorization server; `payload` is JSON text. */
  readonly oauth_records: {
    readonly model: string;
    readonly id: string;
    readonly payload: string;
    readonly uid: string | null;
    readonly grant_id: string | null;
    /** `null` = kept until removed. */
    readonly expires_at_ms: number | null;
    readonly consumed_at_ms: number | null;
  };
  /** Keys of the deployment. `value` as `Secret` in `storage/ports.ts` says. */
  readonly secrets: { readonly purpose: string; readonly id: string; readonly value: string; readonly created_at_ms: number };
};

/** An open database whose schema is the newest one. */
export type Database = {
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` in a transaction that no other writer of the same database overlaps, in this process or another:
   * what it reads stays true until it commits. Keep it short; everyone else waits (at most five seconds, then they fail).
   */
  exclusively<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Calls under way finish first. A second call does nothing. */
  close(): Promise<void>;
};
