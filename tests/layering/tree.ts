/** The repository's own sources, as a map from path to text. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const folders = ["gateway", "relay", "storage", "auth", "infra", "tests"].filter((folder) => existsSync(join(root, folder)));
/** `tests/workers` is a package of its own, checked by its own configuration. */
const apart = ["tests/workers", "node_modules"];

export type Files = ReadonlyMap<string, string>;

/** Every `.ts`, `.js` and `.mjs` of the product, its tests and its top-level configuration; paths with `/`. */
export function sourceFiles(): Files {
  const paths = [
    ...readdirSync(root).filter((name) => name.endsWith(".ts")),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/")),
    ),
  ];
  const wanted = paths.filter((path) => /\.(ts|js|mjs)$/.test(path) && !apart.some((folder) => path.startsWith(`${folder}/`)));
  return new Map(wanted.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

export type Packages = { readonly dependencies: readonly string[]; readonly development: readonly string[] };

/** Names of the packages that `package.json` declares, by whether a published Postern has them. */
export function declaredPackages(): Packages {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = (key: string): readonly string[] => {
    if (typeof manifest !== "object" || manifest === null) return [];
    const value: unknown = Object.entries(manifest).find(([name]) => name === key)?.[1];
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  };
  return { dependencies: [...names("dependencies"), ...names("optionalDependencies")], development: names("devDependencies") };
}
