import { execFile } from "node:child_process";
import { rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readIfThere } from "../../../infra/config/sources.ts";
import type { WatchOptions } from "../../../infra/config/watch.ts";
import { timers as realTimers } from "../../../infra/timers.ts";
import { load, whole } from "./scene.ts";
import { audiences, type WatchScene, watchScene } from "./watch-scene.ts";

let folder: string;
let file: string;
let applied: WatchScene["applied"];
let refused: WatchScene["refused"];
let noted: WatchScene["noted"];
let serve: WatchScene["serve"];
let stop: WatchScene["stop"];
beforeEach(async () => {
  ({ folder, file, applied, refused, noted, serve, stop } = await watchScene());
});
afterEach(() => stop());

describe("a changed configuration", () => {
  it("is applied, and one that says the same is not", async () => {
    const { check } = await serve(whole);
    await utimes(file, new Date(), new Date());
    await check();
    expect(applied).toHaveLength(0);
    await writeFile(file, whole.replace("${CLAUDE_AUD}", "''"));
    await check();
    expect(audiences(applied[0])).toEqual(["claude revoked", "chatgpt aud", "local aud"]);
    await check();
    expect([applied.length, refused.length]).toEqual([1, 0]);
  });

  it("is applied when another file is renamed over it, and when a link is turned to another file", async () => {
    const { check } = await serve(whole);
    await writeFile(`${file}.new`, whole.replace("Me@Example.com", "other@example.com"));
    await rename(`${file}.new`, file);
    await check();
    expect(applied[0]?.operators).toEqual(["other@example.com"]);
    await writeFile(join(folder, "third.yaml"), whole);
    await rm(file);
    await symlink("third.yaml", file);
    await check();
    expect(applied[1]?.operators).toEqual(["me@example.com"]);
  });

  it("applies all but the addresses and the data directory, and says that these wait", async () => {
    const { check } = await serve(whole);
    await writeFile(file, whole.replace("listen: 127.0.0.1:8787", "listen: 127.0.0.1:9999").replace("Me@Example.com", "other@example.com"));
    await check();
    expect(applied[0]).toMatchObject({ listen: { port: 8787 }, operators: ["other@example.com"] });
    expect([refused, noted]).toEqual([[], [expect.stringContaining("listen changed; that counts from the next start")]]);
  });

  it("keeps what it makes from an address that waits: the built-in issuer and its client stay where they serve", async () => {
    const text = "listen: 127.0.0.1:8787\noperations: 127.0.0.1:8788\n";
    const { check } = await serve(text);
    await writeFile(file, text.replace("8787", "9999").replace("8788", "8787"));
    await check();
    expect(applied[0]).toMatchObject({
      listen: { port: 8787 },
      operations: { port: 8788 },
      clients: [{ client: { issuer: { issuer: "http://127.0.0.1:8787" }, audience: { value: "http://127.0.0.1:8787/mcp" } } }],
    });
    expect(noted).toHaveLength(2);
  });

  it("says once which parts of it are not built yet", async () => {
    const { check } = await serve(whole);
    for (const text of [`${whole}roots: { blog: { path: ~/blog } }\n`, `${whole}roots: { blog: { path: ~/blog } }\n# again\n`]) {
      await writeFile(file, text);
      await check();
    }
    expect(applied).toHaveLength(2);
    expect([refused, noted]).toEqual([[], [expect.stringContaining("roots is configured but not built yet")]]);
  });

  it("that cannot be served (a vault is missing) leaves the old one, but closes whom it revokes or leaves out", async () => {
    const { check } = await serve(whole, { apply: () => Promise.reject(new Error("no such vault")) });
    const without = whole.replace(/ {2}chatgpt:[^]*? {2}local:\n {4}host/, "  local:\n    host").replace("${CLAUDE_AUD}", "''");
    await writeFile(file, without);
    await check();
    expect(refused).toMatchObject([{ closed: ["claude", "chatgpt"] }]);
  });
});

describe("a look", () => {
  it("that is asked for during another one comes after it, and sees what was written before it was asked for", async () => {
    const begun = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    const { check } = await serve(whole, { apply: () => (begun.resolve(), opened.promise) });
    await writeFile(file, whole.replace("Me@Example.com", "other@example.com"));
    const first = check();
    await begun.promise;
    await writeFile(file, whole.replace("${CLAUDE_AUD}", "''"));
    const second = check();
    opened.resolve();
    await first;
    expect(applied).toHaveLength(1);
    await second;
    expect(audiences(applied[1])[0]).toBe("claude revoked");
  });

  it("changes nothing any more once the watcher is stopped", async () => {
    const { check, stop: stopWatching } = await serve(whole);
    await writeFile(file, whole.replace("Me@Example.com", "other@example.com"));
    const looking = check();
    stopWatching();
    await looking;
    expect([applied, refused]).toEqual([[], []]);
  });
});

describe("a configuration that cannot be used", () => {
  it("changes nothing and names its line", async () => {
    const { check } = await serve(whole);
    await writeFile(file, whole.replace("operators:", "operatos:"));
    await check();
    expect([applied, refused]).toEqual([
      [],
      [{ messages: [expect.stringMatching(/^6 .*"operatos".*did you mean "operators"/)], closed: [] }],
    ]);
    await check();
    expect(refused).toHaveLength(1);
    await writeFile(file, `${whole}# mended\n`);
    await check();
    expect(applied).toHaveLength(1);
  });

  it("closes a client at once whose audience can be read as empty, and no other", async () => {
    const { check } = await serve(whole);
    await writeFile(file, whole.replace("${CLAUDE_AUD}", "''").replace("limits: {", "limits: { nonsense: 1,"));
    await check();
    expect([applied, refused]).toMatchObject([[], [{ closed: ["claude"] }]]);
  });

  it("closes a client whose block cannot be read", async () => {
    const { check } = await serve(whole);
    await writeFile(file, whole.replace("host: mcp-claude.example.com", "host: [mcp-claude.example.com"));
    await check();
    expect(refused[0]?.closed).toContain("claude");
    await writeFile(file, whole.replace("vendor: claude", "vendor: clauude"));
    await check();
    expect(refused[1]?.closed).toEqual(["claude"]);
    await writeFile(file, whole.replace("    issuer: sso\n", "    issuer: sso\n    issuer: sso\n"));
    await check();
    expect(refused[2]?.closed).toEqual(["chatgpt"]);
  });

  it.each([
    ["emptied", async () => writeFile(file, "")],
    ["deleted", async () => rm(file)],
    ["replaced by a folder", async () => (await rm(file), await symlink(".", file))],
    ["filled with bytes that are no text", async () => writeFile(file, Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
  ])("closes everybody when it was %s, until it is back", async (_what, change) => {
    const { check } = await serve(whole);
    await change();
    await check();
    expect(refused).toMatchObject([{ closed: ["claude", "chatgpt", "local"] }]);
    await rm(file, { force: true });
    await writeFile(file, whole);
    await check();
    expect(audiences(applied[0])).toEqual(["claude aud", "chatgpt aud", "local aud"]);
  });

  it("never throws, wherever a write of it stopped, and opens nobody wider than the whole of it", async () => {
    const before = whole.replace("${CLAUDE_AUD}", "''");
    const { check } = await serve(before);
    const bytes = Buffer.from(whole);
    for (let length = 0; length < bytes.length; length += 1) {
      await writeFile(file, bytes.subarray(0, length));
      await check();
    }
    const written = load(whole);
    const meant = written.ok ? written.config.clients : [];
    for (const config of applied) {
      for (const { client } of config.clients.filter((one) => one.client.audience.kind === "aud"))
        expect(meant.find((one) => one.client.name === client.name)?.client).toEqual(client);
    }
    expect(refused.length).toBeGreaterThan(500);
  }, 60_000);

  it("is not looked at while it is being written: half a write that is whole a moment later is never seen", async () => {
    let rest: string | null = null;
    const finishWriting = async (task: () => void): Promise<void> => {
      if (rest !== null) await writeFile(file, rest);
      task();
    };
    const timers: WatchOptions["timers"] = {
      every: () => () => undefined,
      after: (ms, task) => {
        if (ms < 1000) void finishWriting(task);
        return () => undefined;
      },
    };
    const { check } = await serve(whole, { timers });
    rest = whole.replace("Me@Example.com", "other@example.com");
    await writeFile(file, rest.slice(0, 200));
    await check();
    await check();
    expect([applied.length, refused.length]).toEqual([1, 0]);
  });
});

describe("a file that is no file any more", () => {
  const run = promisify(execFile);

  it.each(["the configuration", "its env_file"])("a pipe in place of %s keeps nobody waiting and closes its clients", async (which) => {
    await writeFile(join(folder, ".env"), "CLAUDE_AUD=from-file\n");
    const { check } = await serve(`env_file: .env\n${whole}`);
    const path = which === "the configuration" ? file : join(folder, ".env");
    await rm(path);
    await run("mkfifo", [path]);
    await check();
    expect([refused[0]?.closed ?? [], applied.flatMap(audiences)].flat()).toContain(
      which === "the configuration" ? "claude" : "claude revoked",
    );
  });

  it("one that answers no more closes its clients after a moment, is not asked again meanwhile, and opens them when it does", async () => {
    const held = Promise.withResolvers<void>();
    const late: (() => void)[] = [];
    let stuck = 0;
    const { check } = await serve(whole, {
      timers: {
        every: () => () => undefined,
        after: (ms, task) => {
          if (ms < 1000) queueMicrotask(task);
          else late.push(task);
          return () => void late.splice(late.indexOf(task), 1);
        },
      },
      readText: async (path) => {
        if (stuck > 0 && stuck++ > 0) await held.promise;
        return readIfThere(path);
      },
    });
    stuck = 1;
    const looking = check();
    await vi.waitFor(() => expect(late).toHaveLength(1));
    late[0]?.();
    await looking;
    expect(refused).toMatchObject([{ closed: ["claude", "chatgpt", "local"] }]);
    await check();
    expect([stuck, refused.length]).toEqual([2, 1]);
    stuck = 0;
    held.resolve();
    await vi.waitFor(async () => (await check(), expect(applied).toHaveLength(1)));
  });
});

it("a change is noticed without being told", async () => {
  await serve(whole, {
    timers: realTimers,
  });
  await writeFile(file, whole.replace("${CLAUDE_AUD}", "''"));
  await vi.waitFor(() => expect(audiences(applied[0])[0]).toBe("claude revoked"), { timeout: 10_000, interval: 20 });
}, 15_000);
