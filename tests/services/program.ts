/** Finds a program that tests need, or installs it: tests that need a service never skip. */
import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Wanted = {
  /** Any of these will do, in this order. */
  readonly names: readonly string[];
  /** Folders to look in beside PATH, e.g. where a distribution keeps servers. */
  readonly folders?: readonly string[];
  /** Debian package that brings it. */
  readonly apt: string;
};

/** Who asks: only root installs. */
export type Asker = { readonly uid: number | undefined };
const self = (): Asker => ({ uid: process.getuid?.() });

/** @throws with the exact way out if it is neither there nor can be installed. */
export async function findProgram(wanted: Wanted, asker = self()): Promise<string> {
  const present = lookFor(wanted);
  if (present !== null) return present;
  await aptInstall([wanted.apt], `${wanted.names.join(" or ")} is missing`, asker);
  const installed = lookFor(wanted);
  if (installed === null)
    throw new Error(
      `Package ${wanted.apt} is installed but holds no ${wanted.names.join(" or ")} on PATH${wanted.folders ? ` or in ${wanted.folders.join(", ")}` : ""}.`,
    );
  return installed;
}

/** Absolute path of a program that can be executed, or `null`. */
export function lookFor({ names, folders = [] }: Pick<Wanted, "names" | "folders">): string | null {
  const places = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", ...folders].filter((folder) => folder !== "");
  const paths = names.flatMap((name) => places.map((folder) => join(folder, name)));
  return paths.find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Version folders below `folder`, newest first: `/usr/lib/postgresql/17/bin` before `…/15/bin`. */
export function versionFolders(folder: string, below: string): readonly string[] {
  try {
    const versions = readdirSync(folder).filter((name) => /^\d+$/.test(name));
    return versions.sort((one, other) => Number(other) - Number(one)).map((version) => join(folder, version, below));
  } catch {
    return [];
  }
}

/** @throws if this is not root on a system with apt, or if apt fails. */
export async function aptInstall(packages: readonly string[], reason: string, asker = self()): Promise<void> {
  const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  const wayOut = `Tests need it. Install it and run again:\n  sudo ${command}\n(or put it on PATH by other means)`;
  if (asker.uid !== 0 || lookFor({ names: ["apt-get"] }) === null)
    throw new Error(`${reason}, and it can be installed from here only as root on Debian. ${wayOut}`);
  console.error(`${reason}: installing ${packages.join(", ")} with apt-get`);
  try {
    await apt(command).catch(async () => {
      await apt("apt-get update");
      await apt(command);
    });
  } catch (error) {
    throw new Error(`${reason}, and \`${command}\` failed. ${wayOut}`, { cause: error });
  }
}

/** Suites run side by side: one apt at a time, and none starts the services that its packages bring. */
async function apt(command: string): Promise<void> {
  await run("flock", ["/tmp/postern-tests-apt.lock", ...command.split(" ")], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
  });
}
