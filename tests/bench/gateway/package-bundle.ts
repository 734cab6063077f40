/** Lays the published package out in a scratch folder, as an installation would hold it: the bin, `dist/`, no sources. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../../infra/build.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the path of its bin. */
export async function packageIn(scratch: string): Promise<string> {
  const folder = join(scratch, "package");
  await mkdir(join(folder, "infra/cli"), { recursive: true });
  await build(join(folder, "dist"));
  for (const file of ["package.json", "infra/cli/postern.js"]) await copyFile(join(repository, file), join(folder, file));
  return join(folder, "infra/cli/postern.js");
}
