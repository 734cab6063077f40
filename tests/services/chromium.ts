/** The browser of the tests: the system's, or the one packed in `@sparticuz/chromium`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { aptInstall, isExecutable, lookFor } from "./program.ts";

const run = promisify(execFile);

export type Found = {
  readonly path: string;
  /** What the browser needs in its environment beside ours. */
  readonly env: Readonly<Record<string, string>>;
};

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const systemFolders = ["/usr/bin", "/usr/local/bin"];
const systemNames = ["chromium", "chromium-browser", "google-chrome-stable"];

/** `CHROMIUM_PATH`, else the system's, else the packed one, else Debian's by apt-get. @throws with the way out if none can be had. */
export async function locateChromium(): Promise<Found> {
  const asked = process.env["CHROMIUM_PATH"] ?? "";
  if (asked !== "") {
    if (!isExecutable(asked)) throw new Error(`CHROMIUM_PATH names ${asked}, which cannot be executed. Correct it or unset it.`);
    return { path: asked, env: {} };
  }
  const system = lookFor({ names: systemNames, folders: systemFolders });
  if (system !== null) return { path: system, env: {} };
  if (process.platform === "linux" && process.arch === "x64") {
    const packed = await unpack();
    const missing = await missingLibraries(packed.path);
    if (missing.length > 0)
      await aptInstall(["libnss3", "libnspr4", "libexpat1", "fontconfig-config"], `The packed Chromium lacks ${missing.join(", ")}`);
    return packed;
  }
  await aptInstall(["chromium"], "Chromium is missing");
  const installed = lookFor({ names: systemNames, folders: systemFolders });
  if (installed === null) throw new Error("Package chromium is installed but brought no chromium in /usr/bin. Set CHROMIUM_PATH.");
  return { path: installed, env: {} };
}

/** Unpacks once per clone (about 4 s, 200 MB) into a folder that appears whole or not at all, so that suites may race for it. */
async function unpack(): Promise<Found> {
  const home = join(modules, ".cache", "postern-chromium");
  const found = { path: join(home, "chromium"), env: { FONTCONFIG_FILE: join(home, "fonts.conf") } };
  if (existsSync(found.path) && existsSync(found.env.FONTCONFIG_FILE)) return found;
  await rm(home, { recursive: true, force: true });
  await mkdir(dirname(home), { recursive: true });
  const scratch = await mkdtemp(`${home}-`);
  try {
    // The package unpacks into the temporary folder of its process.
    const script = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
    await run(process.execPath, ["--input-type=module", "-e", script], {
      cwd: modules,
      env: { ...process.env, TMPDIR: scratch },
      timeout: 120_000,
    });
    await writeFile(join(scratch, "fonts.conf"), fontsOf(home));
    await rename(scratch, home).catch((error: unknown) => {
      if (!existsSync(found.path)) throw error;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return found;
}

/** The packed configuration names folders of another machine; without any font no text is drawn and password fields crash. */
function fontsOf(home: string): string {
  const folders = [join(home, "fonts"), "/usr/share/fonts", "/usr/local/share/fonts"];
  const lines = folders.map((folder) => `<dir>${folder}</dir>`).join("");
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${lines}<cachedir>${join(home, "fonts-cache")}</cachedir></fontconfig>\n`;
}

async function missingLibraries(program: string): Promise<readonly string[]> {
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }));
  return [...stdout.matchAll(/^\s*(\S+) => not found$/gm)].map(([, library]) => library ?? "");
}
