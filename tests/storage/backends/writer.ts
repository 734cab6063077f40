/** Another process that writes into the database: `writer.ts PATH COUNT|endless NAME`. Tells its parent what was acknowledged. */
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { openSqlite } from "../../../storage/backends/sqlite.ts";

const [, , path = "", count = "0", name = ""] = process.argv;
const database = await openSqlite(path);
const secrets = secretStore({ database, now: Date.now });
for (const purpose of ["cursor", "request-state", "token-signing", "cookie"] as const) await secrets.list(purpose);
const records = oauthRecords({ database, now: Date.now });
for (let n = 0; count === "endless" || n < Number(count); n += 1) {
  await records.put("Client", `${name}${n}`, { n }, null);
  process.send?.(`${name}${n}`);
}
await database.close();
process.exit(0);
