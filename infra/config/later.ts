/** Sections whose parts are not built yet. They are read and checked in full, and Postern says at start that they do nothing. */
import * as z from "zod";
import { flag, hostname, name, text, texts } from "./fields.ts";

const rootSchema = z.strictObject({
  path: text.describe("Folder; `~` is understood."),
  describe: text.default("").describe("One line for the model."),
  write: z
    .union([texts, z.null()], { error: "must be a list of folders or null" })
    .default([])
    .describe("Folders that may be written; empty = read-only, null = the whole root."),
  extensions: texts.default([]).describe("Extensions that may be written, with the dot. Default: common text formats."),
  hidden: texts.default([".git"]).describe("Folder names hidden from every tool."),
  hooks: texts.default([]).describe("Hook settings of this root, relative to it."),
  on_hook_error: z
    .enum(["skip", "block"], { error: "must be skip or block" })
    .default("skip")
    .describe("What a hook that breaks means for the write."),
  lock: flag.default(false).describe("Takes part in the shared file lock."),
});
export const rootsSchema = z.record(name, rootSchema).optional().describe("Folders of files by name.");
export const hooksSchema = z
  .strictObject({ global: text.describe("Hook settings that apply to every root.") })
  .optional()
  .describe("Hooks around writes.");

export const capturesSchema = z
  .strictObject({
    retention: z
      .strictObject({
        flows: z.int({ error: "must be a whole number" }).min(1).default(100_000).describe("Most flows kept per project."),
        days: z.int({ error: "must be a whole number" }).min(1).default(90).describe("Longest a flow is kept, days."),
      })
      .prefault({})
      .describe("What is kept, and for how long."),
    record_mcp: flag.default(false).describe("Record the calls of clients as flows."),
    ingest: z.literal("off", { error: "must be off" }).default("off").describe("How traffic comes in."),
  })
  .optional()
  .describe("The store of captured HTTP traffic.");

export const consoleSchema = z
  .strictObject({
    host: z
      .union([hostname, z.null()], { error: "must be a host name or null" })
      .default(null)
      .describe("Public host of the console; null = the operations listener only."),
  })
  .optional()
  .describe("The operator's web console.");

export const storageSchema = z
  .strictObject({
    database: text.default("sqlite").describe("`sqlite` = one file in `home`. postgres:// is not built yet."),
    bus: text.default("memory").describe("`memory` = this process alone. redis:// is not built yet."),
  })
  .prefault({})
  .describe("Where state is kept.");
