/** The import rule of the repository, as data. `judge.ts` applies it, `../layering.test.ts` proves that each line of it can fail. */

/** What a folder (or one file) may name. The longest `path` that matches a file is its area; nothing is inherited. */
export type Area = {
  /** Folder with a trailing slash, or one file. */
  readonly path: string;
  /** Other areas it may import, types included; its own folder is always allowed. */
  readonly imports: readonly string[];
  /** Exceptions to `imports` and to its own folder. */
  readonly never?: readonly string[];
  /** npm packages it may import, types included; subpaths follow the package. */
  readonly packages: readonly string[] | "any";
  /** May name the platform: Node and its globals, Cloudflare, and the packages in `platformPackages`. */
  readonly platform?: true;
  /** May name the clock, chance and environment variables. */
  readonly surroundings?: true;
};

const storagePackages = ["kysely", "yaml", "zod"];
const backend = { imports: [], packages: [...storagePackages, "pg", "ioredis", "undici"], platform: true } as const;

export const areas: readonly Area[] = [
  // infra -> gateway | relay -> auth -> storage/ports.ts
  { path: "infra/", imports: ["gateway/", "relay/", "auth/", "storage/"], packages: "any", platform: true, surroundings: true },
  {
    path: "gateway/",
    imports: ["auth/", "storage/ports.ts"],
    never: ["auth/embedded/"],
    packages: ["hono", "zod", "@modelcontextprotocol/server", "@modelcontextprotocol/core"],
  },
  // Nothing above gateway/protocol knows an era; a tool knows its arguments, its result and its port.
  {
    path: "gateway/tools/",
    imports: ["gateway/", "storage/ports.ts"],
    never: ["gateway/protocol/", "gateway/console/"],
    packages: ["zod"],
  },
  { path: "relay/", imports: ["auth/", "storage/ports.ts"], never: ["auth/embedded/"], packages: ["hono", "zod"] },
  { path: "auth/", imports: ["storage/ports.ts"], never: ["auth/embedded/"], packages: ["hono", "jose", "zod"] },
  {
    path: "auth/embedded/",
    imports: ["auth/", "storage/ports.ts"],
    packages: ["hono", "@hono/node-server", "jose", "oidc-provider", "zod"],
    platform: true,
  },
  { path: "storage/ports.ts", imports: [], packages: [] },
  { path: "storage/", imports: [], packages: storagePackages },
  { path: "storage/backends/", ...backend, imports: ["storage/"] },
  { path: "storage/files/", ...backend, imports: ["storage/"] },
  { path: "storage/vault/git/", ...backend, imports: ["storage/"] },
  { path: "storage/vault/git.ts", ...backend, imports: ["storage/"] },
  { path: "storage/vault/worker/", ...backend, imports: ["storage/"] },
  { path: "storage/vault/worker.ts", ...backend, imports: ["storage/"] },
  { path: "storage/captures/send/", ...backend, imports: ["storage/"] },
  { path: "storage/captures/send.ts", ...backend, imports: ["storage/"] },
  {
    path: "tests/",
    imports: ["infra/", "gateway/", "relay/", "auth/", "storage/"],
    packages: "any",
    platform: true,
    surroundings: true,
  },
];

/** Beside Node's built-in modules: what ties code to one platform or one server. */
export const platformPackages: readonly RegExp[] = [/^cloudflare:/, /^@cloudflare\//, /^bun:/, /^pg$/, /^ioredis$/, /^undici$/];

/** Globals that only Node has. */
export const platformGlobals: readonly string[] = [
  "process",
  "Buffer",
  "NodeJS",
  "__dirname",
  "__filename",
  "require",
  "global",
  "setImmediate",
  "clearImmediate",
];

/** Arguments everywhere but in infra (and tests). Spelled as `uses` in `source.ts` spells them. */
export const surroundings: ReadonlyMap<string, string> = new Map([
  ["process.env", "an environment variable"],
  ["import.meta.env", "an environment variable"],
  ["node:process#env", "an environment variable"],
  ["Date.now", "the clock"],
  ["new Date()", "the clock"],
  ["Date()", "the clock"],
  ["performance.now", "the clock"],
  ["performance.timeOrigin", "the clock"],
  ["process.hrtime", "the clock"],
  ["node:process#hrtime", "the clock"],
  ["node:perf_hooks#performance", "the clock"],
  ["setTimeout", "the clock"],
  ["setInterval", "the clock"],
  ["AbortSignal.timeout", "the clock"],
  ["node:timers", "the clock"],
  ["node:timers/promises", "the clock"],
  ["Math.random", "chance"],
  ["crypto.randomUUID", "chance"],
  ["node:crypto#randomUUID", "chance"],
]);

/** Random bytes make secrets and nonces: a platform's business, so allowed wherever the platform may be named. */
export const platformChance: readonly string[] = ["crypto.getRandomValues"];

/** No file is longer. Blank lines and comments count. */
export const maxLines = 300;

/** Names that say nothing about what is inside. */
export const emptyNames: readonly string[] = ["utils", "util", "helpers", "helper", "common", "types", "misc", "shared", "constants"];

/** Where a default export is the platform's demand. */
export const defaultExportAllowed: readonly RegExp[] = [/^infra\/worker\.ts$/, /^[^/]+\.config\.ts$/];

/** Product files that run from a clone only, and so may import development dependencies. */
export const cloneOnly: readonly string[] = ["infra/build.ts", "infra/check.ts", "infra/cli/demo.ts"];

/** Must run on any Node, to say which one is needed: old syntax, so its variables are `var`. */
export const oldSyntax: readonly string[] = ["infra/cli/postern.js"];
