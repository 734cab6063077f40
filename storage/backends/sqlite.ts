/** The embedded database: one SQLite file. Several processes of one home may have it open at once. */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/migrations.ts";
import { busySliceMs, nodeSqliteDialect, resultCode } from "./sqlite-dialect.ts";
import { StateUnusable } from "./state-unusable.ts";
import type { Database, Tables } from "./tables.ts";

/** How long a start waits for another process that holds the file while it sets it up. */
const startTimeoutMs = 5_000;

/**
 * Opens (and on first use makes) the database at `path`, brought to the newest schema.
 * The file is 0600 and its directory 0700: it holds the signing keys. It must be on a local disk; SQLite's write-ahead log needs shared memory.
 * Throws `StateUnusable` with one line for the operator.
 */
export async function openSqlite(path: string): Promise<Database> {
  let handle: DatabaseSync | null = null;
  try {
    handle = openFile(path);
    return await databaseOf(handle);
  } catch (error) {
    if (handle?.isOpen === true) handle.close();
    throw unusable(path, error);
  }
}

function openFile(path: string): DatabaseSync {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  // Made here and not by SQLite, so that it is never readable by others, not even for a moment. The -wal and -shm files copy its mode.
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const handle = new DatabaseSync(path, { timeout: startTimeoutMs, defensive: true });
  // FULL: an acknowledged refresh rotation survives a power cut, else the app and we would disagree about the token.
  handle.exec("pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off; pragma secure_delete = on;");
  handle.exec(`pragma busy_timeout = ${busySliceMs}`);
  return handle;
}

async function databaseOf(handle: DatabaseSync): Promise<Database> {
  const dialect = nodeSqliteDialect(handle);
  await migrate(new Kysely<unknown>({ dialect }), migrations);
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    exclusively: (work) => db.transaction().execute(work),
    async close() {
      if (!handle.isOpen) return;
      // Queues behind what is under way: Kysely has one connection here and gives it out in order.
      await db.connection().execute(async () => {});
      await db.destroy();
    },
  };
}

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html. */
const sqliteReasons: ReadonlyMap<number, string> = new Map([
  [5, "another process has held it locked for too long"],
  [8, "it is read-only"],
  [10, "the disk does not read or write"],
  [11, "it is damaged; restore a backup"],
  [13, "the disk is full"],
  [14, "it cannot be opened; look at the permissions of its directory"],
  [26, "the file is not a database"],
]);

const fileReasons: ReadonlyMap<string, string> = new Map([
  ["EACCES", "this user may not read and write it"],
  ["EPERM", "this user may not read and write it"],
  ["EROFS", "it is on a read-only file system"],
  ["ENOTDIR", "a part of the path is a file, not a directory"],
  ["EEXIST", "a part of the path is a file, not a directory"],
  ["EISDIR", "it is a directory, not a file"],
  ["ENOSPC", "the disk is full"],
]);

function unusable(path: string, error: unknown): unknown {
  if (error instanceof StateUnusable) return new StateUnusable(`${path}: ${error.message}`, { cause: error });
  const code = resultCode(error);
  const reason = code === null ? fileReasons.get(errnoOf(error)) : sqliteReasons.get(code);
  return reason === undefined ? error : new StateUnusable(`${path}: ${reason}.`, { cause: error });
}

function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
