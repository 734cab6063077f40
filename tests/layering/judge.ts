/** Applies `rules.ts` to a set of files. Pure: the real tree and the planted violations go through the same door. */
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { cyclesOf } from "./graph.ts";
import * as rules from "./rules.ts";
import { readSource, type Import, type Source } from "./source.ts";
import type { Files, Packages } from "./tree.ts";

export type Violation = { readonly rule: Rule; readonly file: string; readonly line: number; readonly message: string };
export type Rule =
  | "area"
  | "direction"
  | "target"
  | "package"
  | "platform"
  | "surroundings"
  | "cycle"
  | "length"
  | "name"
  | "barrel"
  | "default-export"
  | "class"
  | "module-state";

type Found = Omit<Violation, "file">;

export function judge(files: Files, packages: Packages): readonly Violation[] {
  const sources = [...files].map(([path, code]) => readSource(path, code));
  const perFile = sources.flatMap((source) => judgeSource(source, files, packages).map((found) => ({ ...found, file: source.path })));
  const edges = new Map(
    sources.map((source) => [
      source.path,
      source.imports.filter(({ kind }) => kind === "value").flatMap((one) => localTarget(source.path, one) ?? []),
    ]),
  );
  const cycles = cyclesOf(edges).map((cycle): Violation => ({
    rule: "cycle",
    file: cycle[0] ?? "",
    line: 0,
    message: [...cycle, cycle[0]].join(" -> "),
  }));
  return [...perFile, ...cycles];
}

export function render(violations: readonly Violation[]): string {
  return violations.map(({ file, line, rule, message }) => `${file}${line > 0 ? `:${line}` : ""}  ${message}  (${rule})`).join("\n");
}

function judgeSource(source: Source, files: Files, packages: Packages): readonly Found[] {
  const shape = shapeOf(source);
  if (!source.path.includes("/")) return shape;
  const area = areaOf(source.path);
  if (area === null) return [...shape, { rule: "area", line: 0, message: "lies in no area of tests/layering/rules.ts" }];
  return [...shape, ...source.imports.flatMap((one) => judgeImport(one, source.path, area, files, packages)), ...judgeUses(source, area)];
}

function areaOf(path: string): rules.Area | null {
  const matching = rules.areas.filter((area) => matches(path, area.path));
  return matching.reduce<rules.Area | null>((best, area) => (best === null || area.path.length > best.path.length ? area : best), null);
}

const matches = (path: string, pattern: string): boolean => (pattern.endsWith("/") ? path.startsWith(pattern) : path === pattern);

function localTarget(from: string, { specifier }: Import): string | null {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : null;
}

function judgeImport(one: Import, from: string, area: rules.Area, files: Files, packages: Packages): readonly Found[] {
  const { line } = one;
  const target = localTarget(from, one);
  if (target !== null) {
    if (!files.has(target) && !target.endsWith(".json"))
      return [{ rule: "target", line, message: `imports ${target}, which is not there` }];
    const home = area.path.endsWith("/") ? [area.path] : [];
    const allowed = [...home, ...area.imports].some((pattern) => matches(target, pattern)) || target.endsWith(".json");
    // A nested area may forbid what its own folder holds, so `never` is asked last; its own files are always its own.
    const refused = (area.never ?? []).some((pattern) => matches(target, pattern));
    if (allowed && !refused) return [];
    return [
      {
        rule: "direction",
        line,
        message: `imports ${target}; ${area.path} may import ${[...area.imports].join(", ") || "nothing"}${area.never ? ` but not ${area.never.join(", ")}` : ""}`,
      },
    ];
  }
  return [...judgePlatform(one, area), ...judgePackage(one, from, area, packages)];
}

const isPlatform = (specifier: string): boolean =>
  isBuiltin(specifier) || rules.platformPackages.some((pattern) => pattern.test(packageOf(specifier)));

function judgePlatform({ specifier, names, line }: Import, area: rules.Area): readonly Found[] {
  const found: Found[] = [];
  if (isPlatform(specifier) && area.platform !== true)
    found.push({ rule: "platform", line, message: `names the platform (${specifier}); take it as an argument` });
  const canonical = isBuiltin(specifier) && !specifier.startsWith("node:") ? `node:${specifier}` : specifier;
  for (const name of [canonical, ...names.map((imported) => `${canonical}#${imported}`)]) {
    const what = rules.surroundings.get(name);
    if (what !== undefined && area.surroundings !== true)
      found.push({ rule: "surroundings", line, message: `names ${what} (${name}); take it as an argument` });
  }
  return found;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function judgePackage({ specifier, kind, line }: Import, from: string, area: rules.Area, packages: Packages): readonly Found[] {
  if (isBuiltin(specifier) || /^[a-z]+:/.test(specifier)) return [];
  const name = packageOf(specifier);
  // Where the platform may not be named at all, that rule has already spoken.
  if (area.packages !== "any" && !area.packages.includes(name) && !(isPlatform(name) && area.platform !== true))
    return [{ rule: "package", line, message: `imports ${name}, which is not for ${area.path}` }];
  if (packages.dependencies.includes(name)) return [];
  if (!packages.development.includes(name))
    return [{ rule: "package", line, message: `imports ${name}, which package.json does not declare` }];
  const atHome = kind === "type" || area.path === "tests/" || rules.cloneOnly.includes(from);
  return atHome ? [] : [{ rule: "package", line, message: `imports ${name} at run time, which is a development dependency` }];
}

function judgeUses(source: Source, area: rules.Area): readonly Found[] {
  const found = source.uses.flatMap(({ name, line }): readonly Found[] => {
    const what = rules.surroundings.get(name);
    if (what !== undefined && area.surroundings !== true)
      return [{ rule: "surroundings", line, message: `names ${what} (${name}); take it as an argument` }];
    const ofPlatform = rules.platformGlobals.includes(name) || rules.platformChance.includes(name);
    if (ofPlatform && area.platform !== true)
      return [{ rule: "platform", line, message: `names the platform (${name}); take it as an argument` }];
    return [];
  });
  return found;
}

function shapeOf(source: Source): readonly Found[] {
  const { path } = source;
  const found: Found[] = [];
  const base = posix.basename(path).replace(/(\.config|\.test|\.d)?\.[a-z]+$/, "");
  if (source.lines > rules.maxLines)
    found.push({ rule: "length", line: 0, message: `has ${source.lines} lines; the limit is ${rules.maxLines}` });
  if (rules.emptyNames.includes(base))
    found.push({ rule: "name", line: 0, message: `is called ${base}, which does not say what is inside` });
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base)) found.push({ rule: "name", line: 0, message: "is not in kebab-case" });
  if (source.isBarrel) found.push({ rule: "barrel", line: 0, message: "only passes on what others export; import from the source" });
  for (const line of source.starExports)
    found.push({ rule: "barrel", line, message: "exports everything of another file; name what you export" });
  if (!rules.defaultExportAllowed.some((pattern) => pattern.test(path))) {
    for (const line of source.defaultExports) found.push({ rule: "default-export", line, message: "has a default export; name it" });
  }
  for (const { name, line } of source.classes)
    found.push({ rule: "class", line, message: `has the class ${name || "(unnamed)"}; only errors are classes` });
  if (!path.startsWith("tests/") && !rules.oldSyntax.includes(path)) {
    for (const { name, line } of source.mutable)
      found.push({ rule: "module-state", line, message: `keeps state in the module (${name}); keep it in what a function returns` });
  }
  return found;
}
