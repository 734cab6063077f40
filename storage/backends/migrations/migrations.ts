/** Every migration, oldest first. A released one never changes; a new one is a file, a line here, and a fixture under `tests/storage/backends/fixtures/`. */
import type { Migration } from "../migrate.ts";
import { oauthRecordsAndSecrets } from "./0001-oauth-records-and-secrets.ts";

export const migrations: readonly Migration[] = [oauthRecordsAndSecrets];
