/** The contracts of the durable ports on SQLite. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { openSealer } from "../../../storage/backends/sealer.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { openSqlite } from "../../../storage/backends/sqlite.ts";
import { oauthRecordsContract } from "../../contracts/oauth-records.ts";
import { sealerContract } from "../../contracts/sealer.ts";
import { secretStoreContract } from "../../contracts/secret-store.ts";

async function openTwice() {
  const home = await mkdtemp(join(tmpdir(), "postern-state-"));
  const [database, other] = await Promise.all([openSqlite(join(home, "postern.db")), openSqlite(join(home, "postern.db"))]);
  return {
    database,
    other,
    async close() {
      await Promise.all([database.close(), other.close()]);
      await rm(home, { recursive: true });
    },
  };
}

oauthRecordsContract("SQLite", async (now) => {
  const { database, other, close } = await openTwice();
  return { records: oauthRecords({ database, now }), other: oauthRecords({ database: other, now }), close };
});

secretStoreContract("SQLite", async (now) => {
  const { database, other, close } = await openTwice();
  return { secrets: secretStore({ database, now }), other: secretStore({ database: other, now }), close };
});

sealerContract("AES-256-GCM", async () => {
  const sealer = async () => {
    const { database, close } = await openTwice();
    const opened = await openSealer({ secrets: secretStore({ database, now: Date.now }), now: Date.now });
    await close();
    return opened;
  };
  return { sealer: await sealer(), foreign: await sealer() };
});
