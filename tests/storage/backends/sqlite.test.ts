/** The database file itself: who may read it, which versions are opened, what several processes do to it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../../storage/backends/migrate.ts";
import { migrations } from "../../../storage/backends/migrations/migrations.ts";
import { oauthRecords } from "../../../storage/backends/oauth-records.ts";
import { secretStore } from "../../../storage/backends/secrets.ts";
import { nodeSqliteDialect } from "../../../storage/backends/sqlite-dialect.ts";
import { openSqlite } from "../../../storage/backends/sqlite.ts";
import { StateUnusable } from "../../../storage/backends/state-unusable.ts";

const fixtures = join(import.meta.dirname, "fixtures");
let home: string;
let path: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "postern-state-"));
  path = join(home, "data", "postern.db");
});
afterEach(() => rm(home, { recursive: true }));

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

/** Tables and indexes as SQLite spells them, our bookkeeping included. */
function schemaOf(file: string): readonly unknown[] {
  const handle = new DatabaseSync(file);
  const rows = handle.prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name").all();
  handle.close();
  return rows.map((row) => ({ ...row }));
}

async function refusal(): Promise<string> {
  const error: unknown = await openSqlite(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StateUnusable);
  const message = error instanceof Error ? error.message : "";
  expect(message).toContain(path);
  expect(message).not.toContain("\n");
  return message;
}

describe("the file of the database", () => {
  it("can be read by its owner only, as can its directory and the files beside it", async () => {
    const previous = process.umask(0o000);
    const database = await openSqlite(path);
    await secretStore({ database, now: Date.now }).list("token-signing");
    process.umask(previous);
    expect(await modeOf(join(home, "data"))).toBe("700");
    for (const name of await readdir(join(home, "data"))) expect([name, await modeOf(join(home, "data", name))]).toEqual([name, "600"]);
    await database.close();
  });

  it("is closed to others again where it had been opened up", async () => {
    await (await openSqlite(path)).close();
    await chmod(path, 0o644);
    await chmod(join(home, "data"), 0o755);
    await (await openSqlite(path)).close();
    expect([await modeOf(join(home, "data")), await modeOf(path)]).toEqual(["700", "600"]);
  });

  it("writes ahead and waits for the disk", async () => {
    const database = await openSqlite(path);
    const handle = new DatabaseSync(path);
    expect(handle.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
    handle.close();
    await database.close();
    await database.close();
  });

  it("keeps what was acknowledged when the process is killed", async () => {
    const child = fork(join(import.meta.dirname, "writer.ts"), [path, "endless", "child"]);
    const acknowledged: string[] = [];
    child.on("message", (id) => void acknowledged.push(String(id)));
    while (acknowledged.length < 30) await once(child, "message");
    child.kill("SIGKILL");
    await once(child, "exit");
    const database = await openSqlite(path);
    const records = oauthRecords({ database, now: Date.now });
    for (const id of acknowledged) expect(await records.get("Client", id)).not.toBeNull();
    await database.close();
  });

  it("is made once by four processes that start at the same moment, and takes the writes of all", async () => {
    const children = ["a", "b", "c", "d"].map((name) =>
      fork(join(import.meta.dirname, "writer.ts"), [path, "25", name], { stdio: "inherit" }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    const database = await openSqlite(path);
    const records = oauthRecords({ database, now: Date.now });
    for (const name of ["a", "b", "c", "d"])
      for (let n = 0; n < 25; n += 1) expect(await records.get("Client", `${name}${n}`)).not.toBeNull();
    for (const purpose of ["cursor", "request-state", "token-signing", "cookie"] as const) {
      expect(await secretStore({ database, now: Date.now }).list(purpose)).toHaveLength(1);
    }
    await database.close();
  });

  it("undoes a transaction that fails, and lets the next one in", async () => {
    const database = await openSqlite(path);
    await expect(
      database.exclusively(async (transaction) => {
        await transaction.insertInto("secrets").values({ purpose: "cursor", id: "x", value: "x", created_at_ms: 1 }).execute();
        throw new Error("planted");
      }),
    ).rejects.toThrow("planted");
    expect(await database.exclusively((transaction) => transaction.selectFrom("secrets").selectAll().execute())).toEqual([]);
    await database.close();
  });
});

describe("a database that cannot be used", () => {
  it("is refused when a newer Postern wrote it, and left as it was", async () => {
    await (await openSqlite(path)).close();
    const handle = new DatabaseSync(path);
    handle.exec("insert into schema_version (version, name) values (9000, 'from-the-future')");
    handle.close();
    const before = schemaOf(path);
    expect(await refusal()).toMatch(/schema version 9000, this Postern knows up to \d+: start the newer Postern/);
    expect(schemaOf(path)).toEqual(before);
  });

  it("is refused when it is another kind of file", async () => {
    await mkdir(join(home, "data"));
    await writeFile(path, "이것은 데이터베이스가 아니다. ".repeat(200));
    expect(await refusal()).toMatch(/not a database/);
  });

  it("is refused when it is a directory, or lies under a file", async () => {
    await mkdir(path, { recursive: true });
    expect(await refusal()).toMatch(/directory/);
    await writeFile(join(home, "file"), "");
    path = join(home, "file", "postern.db");
    expect(await refusal()).toMatch(/part of the path is a file/);
  });

  it("is refused when it is damaged", async () => {
    const database = await openSqlite(path);
    for (let n = 0; n < 200; n += 1)
      await oauthRecords({ database, now: Date.now }).put("Client", `c${n}`, { text: "x".repeat(500) }, null);
    await database.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, 100, 8_192));
    expect(await refusal()).toMatch(/damaged|not a database/);
  });
});

describe("migrations", () => {
  it("are numbered 1, 2, 3 without a gap, and each has a file of its number and name", async () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
    const files = (await readdir("storage/backends/migrations")).filter((file) => /^\d/.test(file)).sort();
    expect(files).toEqual(migrations.map(({ version, name }) => `${String(version).padStart(4, "0")}-${name}.ts`));
  });

  it("lead from the fixture of every version to the same schema as a fresh start, and keep its rows", async () => {
    await (await openSqlite(path)).close();
    const fresh = schemaOf(path);
    for (const { version } of migrations) {
      const old = join(home, `v${version}.db`);
      const handle = new DatabaseSync(old);
      handle.exec(await readFile(join(fixtures, `${String(version).padStart(4, "0")}.sql`), "utf8"));
      handle.close();
      const database = await openSqlite(old);
      const now = () => Date.UTC(2026, 0, 2);
      expect((await oauthRecords({ database, now }).get("Client", "fixture-client"))?.payload["client_name"]).toBe("노트 앱");
      expect((await secretStore({ database, now }).list("cursor")).map(({ id }) => id)).toEqual(["fixture-key0"]);
      await database.close();
      expect(schemaOf(old)).toEqual(fresh);
    }
  });

  it("are all or nothing: a failing one leaves the version before", async () => {
    await (await openSqlite(path)).close();
    const db = new Kysely<unknown>({ dialect: nodeSqliteDialect(new DatabaseSync(path)) });
    const broken = {
      version: migrations.length + 1,
      name: "broken",
      async up(db: Parameters<(typeof migrations)[number]["up"]>[0]) {
        await db.schema.createTable("half_done").addColumn("a", "text").execute();
        throw new Error("planted");
      },
    };
    await expect(migrate(db, [...migrations, broken])).rejects.toThrow("planted");
    await db.destroy();
    expect(JSON.stringify(schemaOf(path))).not.toContain("half_done");
    await (await openSqlite(path)).close();
  });
});
