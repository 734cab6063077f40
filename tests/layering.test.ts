/** The import rule, the size limit and the house's shape, read from the sources; and proof that each rule can fail. */
import { describe, expect, it } from "vitest";
import { judge, render, type Rule } from "./layering/judge.ts";
import { areas } from "./layering/rules.ts";
import { declaredPackages, sourceFiles, type Packages } from "./layering/tree.ts";

describe("the sources", () => {
  it("keep the import rule, the size limit and the house's shape", () => {
    const files = sourceFiles();
    expect(files.size).toBeGreaterThan(20);
    expect(render(judge(files, declaredPackages()))).toBe("");
  });
});

/** Files that break no rule, for planted ones to import. */
const ground: readonly (readonly [string, string])[] = [
  ["storage/ports.ts", "export type Port = { get(): string };"],
  ["storage/backends/sqlite.ts", 'import type { Port } from "../ports.ts"; export const sqlite = (): Port => ({ get: () => "" });'],
  ["storage/vault/engine.ts", "export const engine = 1;"],
  ["auth/gate.ts", "export const admit = 1;"],
  ["auth/embedded/server.ts", 'import { createServer } from "node:http"; export const server = createServer;'],
  ["gateway/tool.ts", 'import type { Port } from "../storage/ports.ts"; export const tool = (port: Port): Port => port;'],
  ["gateway/protocol/envelope.ts", "export const classify = 1;"],
  ["gateway/app.ts", 'import { admit } from "../auth/gate.ts"; export const app = admit;'],
  ["relay/app.ts", "export const relay = 1;"],
  ["infra/wire.ts", 'import { app } from "../gateway/app.ts"; export const wire = app;'],
  ["tests/wire.test.ts", 'import { wire } from "../infra/wire.ts"; export const seen = wire;'],
];
const packages: Packages = {
  dependencies: ["hono", "zod", "pg", "ioredis", "undici", "oidc-provider", "jose", "kysely"],
  development: ["vitest", "@modelcontextprotocol/server"],
};

/** Rules that one more file breaks, each once, in the file planted. */
function broken(path: string, code: string): readonly Rule[] {
  const violations = judge(new Map([...ground, [path, code]]), packages);
  expect(violations.every(({ file }) => file === path)).toBe(true);
  return [...new Set(violations.map(({ rule }) => rule))];
}

type Planted = readonly [what: string, path: string, code: string];

const wrongDirection: readonly Planted[] = [
  [
    "a tool that reaches a backend",
    "gateway/tools/vault/read.ts",
    'import { sqlite } from "../../../storage/backends/sqlite.ts"; export const x = sqlite;',
  ],
  ["a tool that knows an era", "gateway/tools/ping.ts", 'import { classify } from "../protocol/envelope.ts"; export const x = classify;'],
  ["a tool that knows the gate", "gateway/tools/ping.ts", 'import { admit } from "../../auth/gate.ts"; export const x = admit;'],
  [
    "the gateway naming a storage engine",
    "gateway/list.ts",
    'import { engine } from "../storage/vault/engine.ts"; export const x = engine;',
  ],
  ["the gateway naming infra", "gateway/list.ts", 'import { wire } from "../infra/wire.ts"; export const x = wire;'],
  ["the gateway naming the relay", "gateway/list.ts", 'import { relay } from "../relay/app.ts"; export const x = relay;'],
  [
    "the gateway naming the embedded server",
    "gateway/list.ts",
    'import { server } from "../auth/embedded/server.ts"; export const x = server;',
  ],
  ["the relay naming the gateway", "relay/token.ts", 'import { app } from "../gateway/app.ts"; export const x = app;'],
  ["the relay naming the gateway in a type", "relay/token.ts", 'import type { app } from "../gateway/app.ts"; export type X = typeof app;'],
  ["auth naming the gateway", "auth/token.ts", 'import { app } from "../gateway/app.ts"; export const x = app;'],
  ["auth naming a backend", "auth/token.ts", 'import { sqlite } from "../storage/backends/sqlite.ts"; export const x = sqlite;'],
  ["the gate naming the embedded server", "auth/token.ts", 'import { server } from "./embedded/server.ts"; export const x = server;'],
  [
    "the embedded server naming a backend",
    "auth/embedded/state.ts",
    'import { sqlite } from "../../storage/backends/sqlite.ts"; export const x = sqlite;',
  ],
  ["a backend naming auth", "storage/backends/redis.ts", 'import { admit } from "../../auth/gate.ts"; export const x = admit;'],
  [
    "a backend naming the gateway by import()",
    "storage/backends/redis.ts",
    'export const x = (): unknown => import("../../gateway/app.ts");',
  ],
  ["a backend naming the gateway in an inline type", "storage/backends/redis.ts", 'export type X = import("../../gateway/app.ts").App;'],
  ["the gateway passing a backend on", "gateway/list.ts", 'export { sqlite } from "../storage/backends/sqlite.ts"; export const y = 1;'],
  ["infra naming a test", "infra/node.ts", 'import { seen } from "../tests/wire.test.ts"; export const x = seen;'],
];

const namesPlatform: readonly Planted[] = [
  ["node: in the gateway", "gateway/list.ts", 'import { readFile } from "node:fs"; export const x = readFile;'],
  ["a Node module without its prefix", "auth/token.ts", 'import { readFile } from "fs"; export const x = readFile;'],
  ["node: in a type", "relay/token.ts", 'import type { Server } from "node:http"; export type X = Server;'],
  ["node: in the vault engine", "storage/vault/search.ts", 'import { spawn } from "node:child_process"; export const x = spawn;'],
  ["pg in the gateway", "gateway/list.ts", 'import { Pool } from "pg"; export const x = Pool;'],
  ["ioredis in auth", "auth/token.ts", 'import { Redis } from "ioredis"; export const x = Redis;'],
  ["undici in the relay, lazily", "relay/token.ts", 'export const x = (): unknown => import("undici");'],
  ["Cloudflare in the gateway", "gateway/list.ts", 'import { env } from "cloudflare:workers"; export const x = env;'],
  ["Buffer in the gateway", "gateway/list.ts", 'export const x = (): unknown => Buffer.from("a");'],
  ["Buffer as a type in auth", "auth/token.ts", "export type X = Buffer;"],
  ["process through globalThis", "auth/token.ts", "export const x = (): unknown => globalThis.process.pid;"],
  ["random bytes in the gateway", "gateway/list.ts", "export const x = (): unknown => crypto.getRandomValues(new Uint8Array(8));"],
];

const wrongPackage: readonly Planted[] = [
  ["oidc-provider outside auth/embedded", "auth/token.ts", 'import Provider from "oidc-provider"; export const x = Provider;'],
  ["hono in a tool", "gateway/tools/ping.ts", 'import { Hono } from "hono"; export const x = Hono;'],
  ["hono in storage", "storage/vault/search.ts", 'import { Hono } from "hono/tiny"; export const x = Hono;'],
  ["kysely in the gateway", "gateway/list.ts", 'import { Kysely } from "kysely"; export const x = Kysely;'],
  ["a package that is not declared", "infra/node.ts", 'import { x } from "left-pad"; export const y = x;'],
  [
    "a development dependency at run time",
    "gateway/list.ts",
    'import { Server } from "@modelcontextprotocol/server"; export const x = Server;',
  ],
];

const namesSurroundings: readonly Planted[] = [
  ["Date.now", "gateway/list.ts", "export const x = (): number => Date.now();"],
  ["Date.now as a value", "gateway/list.ts", "export const x = Date.now;"],
  ["now taken out of Date", "gateway/list.ts", "export const x = (): number => { const { now } = Date; return now(); };"],
  ["new Date()", "auth/token.ts", "export const x = (): Date => new Date();"],
  ["Date()", "auth/token.ts", "export const x = (): string => Date();"],
  ["performance.now", "relay/token.ts", "export const x = (): number => performance.now();"],
  ["setTimeout", "storage/backends/redis.ts", "export const x = (): unknown => setTimeout(() => {}, 1);"],
  ["setInterval through globalThis", "gateway/list.ts", "export const x = (): unknown => globalThis.setInterval(() => {}, 1);"],
  ["AbortSignal.timeout", "gateway/list.ts", "export const x = (): unknown => AbortSignal.timeout(5);"],
  ["node:timers/promises", "storage/backends/redis.ts", 'import { setTimeout } from "node:timers/promises"; export const x = setTimeout;'],
  ["Math.random", "gateway/list.ts", "export const x = (): number => Math.random();"],
  ["crypto.randomUUID", "gateway/list.ts", "export const x = (): string => crypto.randomUUID();"],
  ["randomUUID from node:crypto", "storage/backends/redis.ts", 'import { randomUUID } from "node:crypto"; export const x = randomUUID;'],
  ["process.env", "auth/embedded/state.ts", "export const x = process.env;"],
  ["process['env']", "storage/backends/redis.ts", "export const x = process['env'];"],
  ["env taken out of process", "storage/backends/redis.ts", "export const x = (): unknown => { const { env } = process; return env; };"],
  ["env from node:process", "storage/backends/redis.ts", 'import { env } from "node:process"; export const x = env;'],
];

const wrongShape: readonly (readonly [Rule, ...Planted])[] = [
  ["length", "a file of 301 lines", "gateway/long.ts", `export const x = [\n${"  1,\n".repeat(299)}];\n`],
  ["name", "a file called utils", "gateway/utils.ts", "export const x = 1;"],
  ["name", "a file called types", "auth/types.ts", "export type X = 1;"],
  ["name", "a test helper called helpers", "tests/helpers.ts", "export const x = 1;"],
  ["name", "a file in camel case", "gateway/editFile.ts", "export const x = 1;"],
  ["barrel", "a file that only passes on", "auth/all.ts", 'export { admit } from "./gate.ts";'],
  ["barrel", "export * beside own code", "auth/all.ts", 'export * from "./gate.ts"; export const x = 1;'],
  ["default-export", "a default export", "gateway/list.ts", "export default 1;"],
  ["default-export", "a default export by another name", "gateway/list.ts", "const x = 1; export { x as default };"],
  ["class", "a class", "gateway/list.ts", "export class Store {}"],
  ["class", "a class extending another class", "gateway/list.ts", "import { Hono } from 'hono'; export const x = class extends Hono {};"],
  ["module-state", "let at the top of a module", "gateway/list.ts", "let count = 0; export const x = (): number => (count += 1);"],
  ["target", "an import that leads nowhere", "gateway/list.ts", 'import { a } from "./gone.ts"; export const x = a;'],
  ["area", "a folder outside the layout", "lib/list.ts", "export const x = 1;"],
];

describe("a planted violation", () => {
  it("is not in the ground it is planted on", () => expect(render(judge(new Map(ground), packages))).toBe(""));
  it.each(wrongDirection)("of the direction is caught: %s", (_what, path, code) => expect(broken(path, code)).toEqual(["direction"]));
  it.each(namesPlatform)("of the platform rule is caught: %s", (_what, path, code) => expect(broken(path, code)).toEqual(["platform"]));
  it.each(wrongPackage)("of the package rule is caught: %s", (_what, path, code) => expect(broken(path, code)).toEqual(["package"]));
  it.each(namesSurroundings)("of the rule on clock, chance and environment is caught: %s", (_what, path, code) =>
    expect(broken(path, code)).toContain("surroundings"),
  );
  it.each(wrongShape)("of the %s rule is caught: %s", (rule, _what, path, code) => expect(broken(path, code)).toEqual([rule]));

  it("of the cycle rule is caught, over three files, and named once", () => {
    const cycle = [
      ["gateway/a.ts", 'import { b } from "./b.ts"; export const a = (): unknown => b;'],
      ["gateway/b.ts", 'export { c as b } from "./c.ts"; export const own = 1;'],
      ["gateway/c.ts", 'export const c = (): unknown => import("./a.ts");'],
    ] as const;
    expect(judge(new Map([...ground, ...cycle]), packages)).toEqual([
      { rule: "cycle", file: "gateway/a.ts", line: 0, message: "gateway/a.ts -> gateway/b.ts -> gateway/c.ts -> gateway/a.ts" },
    ]);
  });
});

describe("what is allowed", () => {
  const allowed: readonly Planted[] = [
    ["types that need each other", "gateway/list.ts", 'import type { tool } from "./tool.ts"; export type X = typeof tool;'],
    ["a time made from a number", "gateway/list.ts", "export const x = (at: number): Date => new Date(at);"],
    [
      "a timer that came as an argument",
      "gateway/list.ts",
      "export const x = (setTimeout: (run: () => void) => void): void => setTimeout(() => {});",
    ],
    ["a clock's name in text and comments", "gateway/list.ts", 'export const x = "Date.now() and process.env"; // setTimeout, node:fs'],
    ["a property of a clock's name", "gateway/list.ts", "export const x = (step: { setTimeout: number }): number => step.setTimeout;"],
    [
      "Node in a backend",
      "storage/backends/files.ts",
      'import { readFile } from "node:fs/promises"; export const x = (): unknown => [readFile, Buffer];',
    ],
    ["the vault's git processes", "storage/vault/git/cat-file.ts", 'import { spawn } from "node:child_process"; export const x = spawn;'],
    ["oidc-provider in auth/embedded", "auth/embedded/provider.ts", 'export const x = (): unknown => import("oidc-provider");'],
    ["a class for an error", "gateway/list.ts", "export class SessionError extends Error {}"],
    [
      "types of a development dependency",
      "gateway/list.ts",
      'import type { Server } from "@modelcontextprotocol/server"; export type X = Server;',
    ],
    ["the Worker's default export", "infra/worker.ts", "export default { fetch: (): unknown => Date.now() };"],
    ["300 lines", "gateway/long.ts", `export const x = [\n${"  1,\n".repeat(298)}];\n`],
  ];
  it.each(allowed)("passes: %s", (_what, path, code) => expect(render(judge(new Map([...ground, [path, code]]), packages))).toBe(""));

  it("is said for every folder of the layout, and for none twice", () => {
    const paths = areas.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toEqual(expect.arrayContaining(["infra/", "gateway/", "relay/", "auth/", "storage/", "tests/"]));
  });
});
