/**
 * `node infra/build.ts`: makes the JavaScript that the published package ships, in `dist/`. `main.js` is the command line;
 * what it imports lazily (each command, the authorization server) stays a chunk of its own, so that a start reads no more
 * than it runs. Files that the sources read beside themselves are copied to the same place below `dist/`.
 */
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle, type Metafile, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * CommonJS packages that are imported only when configured: they come from the installed dependencies, because a bundled
 * one would lose its named exports.
 */
const installed = ["pg", "ioredis"];

/** CommonJS inside a bundled package asks for Node's modules through `require`, which a module does not have. */
const requireForBundled = 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** Empties and fills `outDir`. @throws what esbuild found wrong with the sources. */
export async function build(outDir: string, entry = join(root, "infra/cli/main.ts")): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const assets = new Set<string>();
  const { metafile } = await bundle({
    entryPoints: { main: entry },
    absWorkingDir: root,
    outdir: outDir,
    // Flat: `ownPlaces` counts on every chunk standing directly in `outDir`.
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external: installed,
    banner: { js: requireForBundled },
    plugins: [ownPlaces(assets)],
    metafile: true,
    logLevel: "warning",
  });
  for (const asset of assets) await cp(join(root, asset), join(outDir, asset), { recursive: true });
  await writeFile(join(outDir, "LICENSES.txt"), await licences(metafile));
}

/**
 * A source that reads `new URL("./x", import.meta.url)` means the file beside itself. In the bundle every source keeps its
 * own place below `dist/`, and what stands at such an address is collected in `assets`, relative to the repository.
 */
function ownPlaces(assets: Set<string>): Plugin {
  return {
    name: "own-places",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        if (path.includes(`${sep}node_modules${sep}`) || !source.includes("import.meta.url")) return null;
        for (const [, target = ""] of source.matchAll(/new URL\(\s*["'`](\.[^"'`]*)["'`],\s*import\.meta\.url/g)) {
          const asset = relative(root, resolve(dirname(path), target));
          if (asset === "" || asset.startsWith("..")) throw new Error(`${path}: ${target} is not inside the repository, or all of it`);
          if (/\.[jt]s$/.test(asset)) throw new Error(`${path}: ${target} is a program; give it an entry of its own in infra/build.ts`);
          assets.add(asset);
        }
        const place = JSON.stringify(`./${relative(root, path)}`);
        return { contents: source.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`), loader: "ts" };
      });
    },
  };
}

/** The licence texts of the packages whose code is in the bundle: each of them asks to stand beside its copies. */
async function licences(metafile: Metafile): Promise<string> {
  const folders = new Set(Object.keys(metafile.inputs).map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]));
  const texts: string[] = [];
  for (const folder of [...folders].filter((path) => path !== undefined).toSorted()) {
    texts.push(`${folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length)}\n\n${await licenceOf(join(root, folder))}`);
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** The text, or what `package.json` names where a package carries no text. @throws when it says nothing at all. */
async function licenceOf(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return await readFile(join(folder, file), "utf8");
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const named = typeof manifest === "object" && manifest !== null && "license" in manifest ? manifest.license : undefined;
  if (typeof named !== "string") throw new Error(`${folder} is bundled and names no licence`);
  return `${named}\n`;
}

if (import.meta.main) await build(join(root, "dist"));
