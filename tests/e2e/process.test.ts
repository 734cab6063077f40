/** Start, signals and end of the product as a process: exit codes, one-line errors, health, reload, stop. */
import { spawnSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, post, send } from "../support/rpc.ts";
import { startProcess, type PosternProcess, type ProcessOptions } from "../support/process.ts";

const started: PosternProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ clean }) => clean()));
});
async function start(options: ProcessOptions = {}): Promise<PosternProcess> {
  const child = await startProcess(options);
  started.push(child);
  return child;
}
async function running(options: ProcessOptions = {}) {
  const child = await start(options);
  await child.ready;
  return { ...child, url: `http://127.0.0.1:${child.port}/mcp`, token: await child.token() };
}
const operations = (child: Pick<PosternProcess, "operations">, path: string, headers = {}) =>
  send(`http://127.0.0.1:${child.operations}${path}`, { method: "GET", headers });

describe("a start", () => {
  it("speaks to people on stdout, ends with `ready`, and writes JSON lines to stderr", async () => {
    const child = await running();
    const lines = child.stdout().trimEnd().split("\n");
    expect(lines.at(-1)).toBe(`ready ${child.url}`);
    expect(child.stdout()).toContain(`$(PORT=${child.port} POSTERN_HOME=${join(child.folder, "home")} npx postern token)`);
    for (const word of ["claude mcp add", "codex mcp add", "inspector", "curl", "passcode"]) expect(child.stdout()).toContain(word);
    await vi.waitFor(() => expect(child.stderr()).toContain('"event":"started"'));
    for (const line of child.stderr().trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ level: "info" });
    expect(`${child.stdout()}${child.stderr()}`).not.toContain(child.token);
  });

  it("keeps its data for its own user only", async () => {
    const child = await running();
    expect((await stat(join(child.folder, "home"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(child.folder, "home/postern.db"))).mode & 0o777).toBe(0o600);
  });

  const failures: readonly (readonly [string, ProcessOptions, number, RegExp])[] = [
    [
      "a configuration that is not valid",
      { config: () => "operatos: [a]\n" },
      78,
      /postern\.yaml:1:1 has an unknown key "operatos"; did you mean "operators"\?/,
    ],
    ["a configuration that is no YAML", { config: () => "clients: {\n" }, 78, /postern\.yaml:\d+:\d+ /],
    ["a configuration that is not there", { env: { POSTERN_CONFIG: "nowhere.yaml" } }, 78, /nowhere\.yaml does not exist/],
    ["a port that is no port", { env: { PORT: "80a" } }, 78, /PORT: it must be a number/],
    [
      "an address that is not this machine's",
      { config: () => "operations: 192.0.2.1:9\n" },
      71,
      /192\.0\.2\.1:9 is no address of this machine/,
    ],
    ["no git", { env: { PATH: "/nonexistent" } }, 69, /git/],
    ["a vault that is not there", { config: () => "vault: { repository: ./nowhere }\n" }, 66, /nowhere does not exist/],
    [
      "a data directory that cannot be made",
      { env: { POSTERN_HOME: "postern.yaml/home" } },
      73,
      /postern\.yaml\/home.*a file, not a directory/,
    ],
    ["words it does not know", { args: ["serve", "--port", "1"] }, 64, /usage: postern serve/],
    ["a command it does not know", { args: ["srve"] }, 64, /no such command/],
  ];
  it.each(failures)("with %s ends with its own exit code and says what to do", async (_what, options, code, words) => {
    const child = await start(options);
    expect([await child.ended, child.stdout()]).toEqual([code, ""]);
    expect(child.stderr()).toMatch(words);
    expect(child.stderr()).toMatch(/^postern: /);
    expect(child.stderr()).not.toMatch(/\n\s+at /);
  });

  it("on a port in use names the port and the way out", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const child = await start({ env: { PORT: String(port) } });
    expect(await child.ended).toBe(71);
    expect(child.stderr()).toBe(
      `postern: 127.0.0.1:${port} is in use by another program, perhaps another Postern; stop it, or set PORT, or \`listen\` in postern.yaml\n`,
    );
    other.close();
  });

  it("goes on without health and metrics when another program has their usual port, and says so", async () => {
    const other = createServer();
    // Free or not: either way somebody else has it.
    await new Promise((resolve) => other.once("listening", resolve).once("error", resolve).listen(8788, "127.0.0.1"));
    const child = await running({ config: () => "operators: [me@example.com]\n" });
    expect(child.stdout()).toMatch(/note: health and metrics are off: 127\.0\.0\.1:8788 is in use by another program/);
    expect((await post(child.url, child.token, call(1, "ping"))).status).toBe(200);
    other.close();
  });

  it("refuses a data directory of a newer Postern and leaves it alone", async () => {
    const first = await running();
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    const file = join(first.folder, "home/postern.db");
    const database = new DatabaseSync(file);
    database.exec("insert into schema_version (version, name) values (9999, 'from the future')");
    database.close();
    const second = await start({ folder: first.folder });
    expect(await second.ended).toBe(73);
    expect(second.stderr()).toMatch(/schema version 9999.*start the newer Postern/);
  });

  it("below Node 24 says so instead of crashing", async () => {
    const source = await readFile(new URL("../../infra/cli/postern.js", import.meta.url), "utf8");
    const old = source.replace("process.versions.node.split", '"20.19.0".split');
    expect(old).not.toBe(source);
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", old]);
    expect([status, stderr.toString()]).toEqual([78, expect.stringContaining("needs Node 24 or newer")]);
  });
});

describe("health", () => {
  it("is answered on both listeners without a look at Host; the rest on the operations listener only, under its own name", async () => {
    const child = await running();
    for (const url of [`http://127.0.0.1:${child.port}`, `http://127.0.0.1:${child.operations}`])
      expect((await send(`${url}/healthz`, { method: "GET", headers: { host: "anything.example" } })).status).toBe(200);
    expect((await operations(child, "/readyz", { host: "evil.example" })).status).toBe(421);
    const ready = JSON.parse((await operations(child, "/readyz")).text);
    expect(ready).toMatchObject({ ready: true, dependencies: expect.arrayContaining([{ name: "database", ok: true }]) });
    expect(ready.dependencies.map(({ name }: { name: string }) => name)).toContain("vault sample");
    for (const path of ["/readyz", "/metrics"])
      expect((await send(`http://127.0.0.1:${child.port}${path}`, { method: "GET" })).status).toBe(404);
  });

  it("is counted in a form that Prometheus reads, without anything from a request", async () => {
    const child = await running();
    await post(child.url, child.token, call(1, "ping"));
    await post(child.url, child.token, call(1, "vault_search", { query: "marker-argument" }));
    await post(child.url, "marker-token", call(1, "ping"));
    const { text, headers } = await operations(child, "/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)*\})? -?[\d.e+]+)$/);
    expect(text).toContain('postern_tool_calls_total{client="local",tool="ping",outcome="ok"} 1');
    expect(text).toContain('postern_refusals_total{client="local",reason="token_malformed"} 1');
    expect(text).not.toContain("marker");
  });

  it("has no listener where the configuration says null", async () => {
    const child = await running({ config: () => "operations: null\n" });
    await expect(operations(child, "/healthz")).rejects.toThrow("ECONNREFUSED");
    expect(child.stdout()).not.toContain("health and metrics");
  });
});

describe("a reload", () => {
  const config = (operationsPort: number, audience: string): string => `
operations: 127.0.0.1:${operationsPort}
issuers: { local: { kind: embedded } }
clients:
  local: { host: [127.0.0.1], issuer: local, audience: '${audience}', egress: [127.0.0.0/8] }
`;
  it("comes by itself, and shuts an app out whose audience was cleared", async () => {
    const child = await running({ config: (port, ops) => config(ops, `http://127.0.0.1:${port}/mcp`) });
    const status = async (): Promise<number> => (await post(child.url, child.token, call(1, "ping"))).status;
    expect(await status()).toBe(200);
    await writeFile(join(child.folder, "postern.yaml"), config(child.operations, ""));
    await vi.waitFor(async () => expect(await status()).toBe(403), { timeout: 10_000, interval: 20 });
  });

  it("comes at once with SIGHUP", async () => {
    const child = await running({ config: (port, ops) => config(ops, `http://127.0.0.1:${port}/mcp`) });
    await writeFile(join(child.folder, "postern.yaml"), config(child.operations, ""));
    child.child.kill("SIGHUP");
    await vi.waitFor(() => expect(child.stderr()).toContain('"event":"configuration_applied","generation":2'), { timeout: 10_000 });
  });
});

describe("a stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("by %s ends with 0, and its git processes with it", async (signal) => {
    const child = await running();
    expect((await post(child.url, child.token, call(1, "vault_search", { query: "산책" }))).status).toBe(200);
    const pid = String(child.child.pid);
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
    expect(children.length).toBeGreaterThan(0);
    child.child.kill(signal);
    expect(await child.ended).toBe(0);
    for (const pid of children) expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  it("lets a call under way finish, says 503 on /readyz and takes no new work meanwhile", async () => {
    const child = await running();
    // A call whose body has not come yet is one under way; it is finished only after the signal.
    const body = JSON.stringify(call(1, "ping"));
    const { connect } = await import("node:net");
    const socket = connect(child.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${child.port}\r\nAuthorization: Bearer ${child.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await vi.waitFor(async () => expect((await operations(child, "/readyz")).status).toBe(200));
    child.child.kill("SIGTERM");
    await vi.waitFor(async () => expect((await operations(child, "/readyz")).status).toBe(503), { timeout: 5000 });
    await expect(post(child.url, child.token, call(1, "ping"))).rejects.toThrow();
    socket.write(body.slice(10));
    expect(await child.ended).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("is insisted on by a second signal", async () => {
    const child = await running();
    const { connect } = await import("node:net");
    const socket = connect(child.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${child.port}\r\nAuthorization: Bearer ${child.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    );
    await vi.waitFor(async () => expect((await operations(child, "/readyz")).status).toBe(200));
    child.child.kill("SIGTERM");
    await vi.waitFor(async () => expect((await operations(child, "/readyz")).status).toBe(503), { timeout: 5000 });
    child.child.kill("SIGTERM");
    expect(await child.ended).toBe(143);
  });
});
