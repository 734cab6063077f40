/** Sections `vault` and `vaults`: git-backed collections of Markdown notes. */
import * as z from "zod";
import { name, text } from "./fields.ts";
import { size } from "./quantities.ts";

export const vaultSchema = z.strictObject({
  repository: text
    .min(1, { error: "must name a repository" })
    .describe(
      "Folder of the git repository; `~` and relative paths (from this file) are understood. Remote repositories are not built yet.",
    ),
  branch: text.min(1, { error: "must name a branch" }).optional().describe("Branch that is served. Default: the one HEAD names."),
  root: text.default("").describe("Folder inside the repository; nothing outside it can be read."),
  unreadable: z
    .enum(["fail", "report"], { error: "must be fail or report" })
    .default("fail")
    .describe("A note that cannot be read fails the call, or is listed in every reply."),
  propose: z.literal("branch", { error: "must be branch" }).optional().describe("Where change proposals go. Not built yet."),
  inbox: text.optional().describe("Folder for captured notes. Not built yet."),
  index_limit: size({ atLeast: 1024, atMost: 64 * 1024 ** 2 })
    .prefault("1MiB")
    .describe("Largest note that is read and searched, from 1 KiB to 64 MiB; a larger one is unreadable."),
});

export const vaultsSchema = z
  .record(name, vaultSchema)
  .optional()
  .describe("Vaults by name. Default, without any: a small sample vault in `home`.");
export type VaultInput = z.output<typeof vaultSchema>;
