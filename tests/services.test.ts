/** Each service really works, and none outlives its owner. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { Redis } from "ioredis";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { findChromium, startChromium, startPostgres, startRedis } from "./services.ts";
import { findProgram } from "./services/program.ts";

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function rows(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Runs a script that starts a service, prints what it `says` and then waits for ever. */
async function ownedElsewhere(call: string, says = "url"): Promise<{ readonly said: string; readonly pid: number; kill(): void }> {
  const script = `const services = await import(${JSON.stringify(new URL("services.ts", import.meta.url).href)}); console.log((await services.${call}()).${says}); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return { said: String(line).trim(), pid: child.pid ?? 0, kill: () => child.kill("SIGKILL") };
}

function childrenOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
}

describe("PostgreSQL", () => {
  it("stores Korean text, finds it by ILIKE and trigrams, and keeps databases apart", async () => {
    const postgres = await startPostgres();
    try {
      const [first, second] = [await postgres.createDatabase(), await postgres.createDatabase()];
      await rows(first, "CREATE EXTENSION pg_trgm");
      await rows(first, "CREATE TABLE note (body text)");
      await rows(first, "INSERT INTO note VALUES ('설계 메모: 문을 Café 뒤에 둔다'), ('다른 글')");
      expect(await rows(first, "SELECT body FROM note WHERE body ILIKE '%설계%' AND body ILIKE '%CAFÉ%'")).toEqual([
        "설계 메모: 문을 Café 뒤에 둔다",
      ]);
      expect(await rows(first, "SELECT cardinality(show_trgm('설계')) > 0")).toEqual([true]);
      expect(
        await rows(
          first,
          "SELECT length('설계'), current_setting('server_encoding'), datctype FROM pg_database WHERE datname = current_database()",
        ),
      ).toEqual([2, "UTF8", "C.UTF-8"]);
      expect(await rows(second, "SELECT to_regclass('note') IS NULL")).toEqual([true]);
    } finally {
      await postgres.stop();
    }
    expect(await listens(postgres.url)).toBe(false);
    await postgres.stop();
  });

  it("does not run as root and listens on loopback only", async () => {
    const postgres = await startPostgres();
    try {
      expect(await rows(postgres.url, "SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')")).toEqual([
        "127.0.0.1",
        "",
      ]);
      const [folder] = await rows(postgres.url, "SELECT current_setting('data_directory')");
      const pid = readFileSync(`${String(folder)}/postmaster.pid`, "utf8").split("\n")[0];
      expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
      await postgres.stop();
      expect(existsSync(String(folder))).toBe(false);
    } finally {
      await postgres.stop();
    }
  });
});

describe("Redis", () => {
  it("keeps a value, runs a script and delivers a message", async () => {
    const service = await startRedis();
    const [client, subscriber] = [new Redis(service.url), new Redis(service.url)];
    try {
      await client.set("열쇠", "값");
      expect(await client.get("열쇠")).toBe("값");
      expect(await client.eval("return redis.call('incrby', KEYS[1], ARGV[1])", 1, "n", 5)).toBe(5);
      await subscriber.subscribe("topic");
      const received = once(subscriber, "message");
      await client.publish("topic", "안녕");
      expect(await received).toEqual(["topic", "안녕"]);
    } finally {
      client.disconnect();
      subscriber.disconnect();
      await service.stop();
    }
    expect(await listens(service.url)).toBe(false);
  });
});

describe("Chromium", () => {
  it("renders a page, runs its script and submits its form", async () => {
    const { browser, stop } = await startChromium();
    try {
      const page = await browser.newPage();
      await page.setContent("<title>문</title><form onsubmit='document.title=`들어감`; return false'><button>열기</button></form>");
      expect(await page.title()).toBe("문");
      // What is drawn, not what the source says: without fonts this is empty.
      expect(await page.getByRole("button").innerText()).toBe("열기");
      await page.getByRole("button", { name: "열기" }).click();
      await page.waitForFunction("document.title === `들어감`");
      expect((await page.screenshot()).subarray(1, 4).toString()).toBe("PNG");
    } finally {
      await stop();
    }
    expect(browser.isConnected()).toBe(false);
  });

  it("refuses a CHROMIUM_PATH that cannot be executed, and says so", async () => {
    const before = process.env["CHROMIUM_PATH"];
    process.env["CHROMIUM_PATH"] = "/nowhere/chromium";
    try {
      await expect(findChromium()).rejects.toThrow("CHROMIUM_PATH names /nowhere/chromium");
    } finally {
      if (before === undefined) delete process.env["CHROMIUM_PATH"];
      else process.env["CHROMIUM_PATH"] = before;
    }
  });
});

describe("a service whose owner is killed", () => {
  it.each(["startPostgres", "startRedis"])("ends with it: %s", async (call) => {
    const { said: url, kill } = await ownedElsewhere(call);
    expect(await listens(url)).toBe(true);
    kill();
    await expect.poll(() => listens(url), { timeout: 15_000, interval: 100 }).toBe(false);
  });
});

describe("a browser whose owner is killed", () => {
  it("ends with it", async () => {
    const { pid, kill } = await ownedElsewhere("startChromium", "browser.version()");
    const [browser] = childrenOf(pid);
    expect(browser).toBeDefined();
    expect(existsSync(`/proc/${browser}`)).toBe(true);
    kill();
    await expect.poll(() => existsSync(`/proc/${browser}`), { timeout: 15_000, interval: 100 }).toBe(false);
  });
});

describe("a program that is missing", () => {
  it("is asked for by name, with the command that installs it", async () => {
    await expect(findProgram({ names: ["no-such-program"], apt: "no-such-package" }, { uid: 1000 })).rejects.toThrow(
      "sudo apt-get install -y --no-install-recommends no-such-package",
    );
  });
});
