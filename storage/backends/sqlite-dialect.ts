/** Kysely's SQLite dialect on `node:sqlite`, with waiting for other writers that does not stop the process. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { SqliteDialect, type DatabaseConnection, type Dialect, type SqliteDatabase } from "kysely";

/** `node:sqlite` blocks the whole process while it waits for a lock: so in short slices, with everything else running in between. */
export const busySliceMs = 25;
/** 5 s in all. */
const busySlices = 200;
/** SQLITE_BUSY, https://www.sqlite.org/rescode.html#busy: nothing of the statement has happened. */
const busy = 5;

/** `handle` must have been opened with `timeout: busySliceMs`. Destroying a Kysely on this dialect closes it. */
export function nodeSqliteDialect(handle: DatabaseSync): Dialect {
  const dialect = new SqliteDialect({ database: driverOf(handle) });
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver();
      const patient = new WeakMap<DatabaseConnection, DatabaseConnection>();
      return {
        init: (options) => driver.init(options),
        async acquireConnection(options) {
          const connection = await driver.acquireConnection(options);
          const known = patient.get(connection) ?? patientConnection(connection);
          patient.set(connection, known);
          return known;
        },
        beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
        commitTransaction: (connection) => driver.commitTransaction(connection),
        rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
        releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
        destroy: (options) => driver.destroy(options),
      };
    },
  };
}

function patientConnection(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery(query, options) {
      for (let slice = 1; ; slice += 1) {
        try {
          return await connection.executeQuery(query, options);
        } catch (error) {
          if (resultCode(error) !== busy || slice >= busySlices) throw error;
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    },
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  };
}

/** What Kysely's own driver asks of a database. */
function driverOf(handle: DatabaseSync): SqliteDatabase {
  return {
    close: () => handle.close(),
    prepare(text) {
      // Every transaction here writes. One that begins as a reader and then writes is refused, instead of waiting, when somebody else wrote in between.
      const statement = handle.prepare(text === "begin" ? "begin immediate" : text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters.map(sqlValue)),
        run: (parameters) => statement.run(...parameters.map(sqlValue)),
        iterate: (parameters) => statement.iterate(...parameters.map(sqlValue)),
      };
    },
  };
}

function sqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint" || value instanceof Uint8Array)
    return value;
  throw new TypeError(`a value of type ${typeof value} cannot be stored`);
}

/** SQLite's primary result code of an error, `null` for any other error. */
export function resultCode(error: unknown): number | null {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : null;
}
