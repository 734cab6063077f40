/**
 * What tests need from outside, real and throw-away: each is found or installed (or fails with the way out, never skips),
 * listens on a free port of 127.0.0.1, is ended by its id, and ends by itself when the test process dies.
 */
import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { chromium, type Browser } from "playwright-core";
import { locateChromium } from "./services/chromium.ts";
import { findProgram, versionFolders } from "./services/program.ts";
import { startTethered, type Tethered } from "./services/tethered.ts";
import { freePort } from "./support/free-port.ts";

const run = promisify(execFile);

export type Postgres = {
  /** `postgres://…` of the database `postgres`, superuser, no password. */
  readonly url: string;
  /** A new empty database, UTF-8 with C.UTF-8, so that trigrams of Korean text exist. Answers its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
};
export type Redis = { readonly url: string; stop(): Promise<void> };
export type Chromium = { readonly browser: Browser; stop(): Promise<void> };

/** A cluster of its own, about a second. Not durable: fsync is off. As root it runs as the user `postgres`, which the package makes. */
export async function startPostgres(): Promise<Postgres> {
  const initdb = await findProgram({ names: ["initdb"], folders: versionFolders("/usr/lib/postgresql", "bin"), apt: "postgresql" });
  const server = await findProgram({
    names: ["postgres"],
    folders: [dirname(initdb), ...versionFolders("/usr/lib/postgresql", "bin")],
    apt: "postgresql",
  });
  const { port, stop } = await onFreePort("postgres", async (scratch, candidate) => {
    const as = await unprivileged("postgres", scratch);
    const data = join(scratch, "data");
    const [program = "", ...args] = [
      ...as,
      initdb,
      "--pgdata",
      data,
      "--encoding=UTF8",
      "--locale=C.UTF-8",
      "--username=postgres",
      "--auth=trust",
      "--no-sync",
      "--no-instructions",
    ];
    await run(program, args, { cwd: scratch });
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${candidate}`,
      "unix_socket_directories=",
      "fsync=off",
      "synchronous_commit=off",
      "full_page_writes=off",
      "shared_buffers=32MB",
    ];
    return startTethered({
      command: [...as, server, "-D", data, ...settings.flatMap((setting) => ["-c", setting])],
      scratch,
      signal: "INT",
      ready: /ready to accept connections/,
    });
  });
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let made = 0;
  return {
    url: urlOf("postgres"),
    stop,
    async createDatabase() {
      made += 1;
      const name = `test_${made}`;
      const client = new Client({ connectionString: urlOf("postgres") });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return urlOf(name);
    },
  };
}

/** Redis (or Valkey) that keeps nothing on disk. */
export async function startRedis(): Promise<Redis> {
  const server = await findProgram({ names: ["redis-server", "valkey-server"], apt: "redis-server" });
  const { port, stop } = await onFreePort("redis", (scratch, candidate) =>
    startTethered({
      command: [server, "--bind", "127.0.0.1", "--port", String(candidate), "--dir", scratch, "--save", "", "--appendonly", "no"],
      scratch,
      signal: "TERM",
      ready: /ready to accept connections/i,
    }),
  );
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/** Path of a Chromium that runs here: `CHROMIUM_PATH`, the system's, or the packed one. */
export async function findChromium(): Promise<string> {
  return (await locateChromium()).path;
}

/** A headless browser that reaches nothing by itself. It ends when the pipe to this process closes. */
export async function startChromium(): Promise<Chromium> {
  const { path, env } = await locateChromium();
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const browser = await chromium.launch({ executablePath: path, headless: true, args, env: { ...process.env, ...env } });
  return { browser, stop: () => browser.close() };
}

/** Starts on a free port in a scratch folder; a port that someone else took meanwhile is worth another try. */
async function onFreePort(
  name: string,
  start: (scratch: string, port: number) => Promise<Tethered>,
): Promise<Tethered & { readonly port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const scratch = await mkdtemp(join(tmpdir(), `postern-${name}-`));
    const port = await freePort();
    try {
      return { port, ...(await start(scratch, port)) };
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      if (attempt === 3 || !/in use/i.test(String(error))) throw error;
    }
  }
}

/** Command prefix that gives up root for `user`, who then owns `folder`; nothing for everybody else. */
async function unprivileged(user: string, folder: string): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const idOf = async (flag: "-u" | "-g"): Promise<number> => Number((await run("id", [flag, user])).stdout);
  await chown(folder, await idOf("-u"), await idOf("-g"));
  return ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];
}
