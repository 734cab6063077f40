/** Opens the deployment's database; what goes wrong there is one line for the operator. */
import { openSqlite } from "../storage/backends/sqlite.ts";
import { StateUnusable } from "../storage/backends/state-unusable.ts";
import type { Database } from "../storage/backends/tables.ts";
import { StartError } from "./start-error.ts";

export async function openDatabase(path: string): Promise<Database> {
  try {
    return await openSqlite(path);
  } catch (error) {
    throw error instanceof StateUnusable ? new StartError("home", error.message) : error;
  }
}
