/** Brings a database to the newest schema: forward only, one transaction a start, nothing half done. */
import { sql, type Kysely } from "kysely";
import { StateUnusable } from "./state-unusable.ts";

export type Migration = {
  /** 1, 2, 3 …: the number its file begins with. */
  readonly version: number;
  /** The rest of the file name. */
  readonly name: string;
  up(db: Kysely<unknown>): Promise<void>;
};

/**
 * `db` must give transactions that exclude other writers (see `sqlite.ts`): two processes starting at once then migrate
 * one after the other, and the second finds nothing left to do.
 * Returns the version before and after. Throws `StateUnusable` for a database of a newer Postern, without touching it.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: readonly Migration[],
): Promise<{ readonly from: number; readonly to: number }> {
  const newest = migrations.at(-1)?.version ?? 0;
  return db.transaction().execute(async (transaction) => {
    await sql`create table if not exists schema_version (version integer not null primary key, name text not null)`.execute(transaction);
    const { rows } = await sql<{ version: number | null }>`select max(version) as version from schema_version`.execute(transaction);
    const from = rows[0]?.version ?? 0;
    if (from > newest) {
      throw new StateUnusable(
        `The database has schema version ${from}, this Postern knows up to ${newest}: start the newer Postern, or restore a backup made before it.`,
      );
    }
    for (const { version, name, up } of migrations) {
      if (version <= from) continue;
      await up(transaction);
      await sql`insert into schema_version (version, name) values (${version}, ${name})`.execute(transaction);
    }
    return { from, to: newest };
  });
}
