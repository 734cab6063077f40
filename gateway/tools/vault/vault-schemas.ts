/** The shapes that the vault tools share. Field descriptions are read by models. */
import * as z from "zod";
import type { Vault } from "../../../storage/ports.ts";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const fact = scalar.describe("As the note's front matter says it; null = it does not say.");

/** Values of the front matter; `metadata_error` says why they could not be read. */
export const noteFacts = {
  type: fact,
  status: fact,
  verified: fact,
  metadata_error: z.string().optional().describe("Why the front matter could not be read; the text is complete all the same."),
};

export const commitOutput = z
  .string()
  .describe("Commit this answer stands on. Pass it as commit in later calls to stay at the same state.");
export const nextCursor = z
  .string()
  .nullable()
  .describe("Pass it as cursor for the next page. null = this was the last page: do not pass it on.");

export const unreadableNotes = z
  .array(
    z.object({
      path: z.string(),
      reason: z.enum(["not_utf8", "lfs_pointer", "over_index_limit", "object_missing", "object_corrupt"]),
      offset: z.number().optional(),
    }),
  )
  .optional()
  .describe("Notes left out because they cannot be read.");

export const commitInput = z
  .string()
  .regex(
    /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
    "give the full id that an answer named, 40 or 64 lower-case hexadecimal digits; names such as HEAD are not accepted, and the newest state is read when commit is left out",
  )
  .optional()
  .describe("Full commit id from an earlier answer, to stay at that state. Leave out for the newest state.");

export const prefixInput = z
  .string()
  .max(4096, "a path has at most 4096 characters")
  .optional()
  .describe(
    "Folder to stay in, from the top of the vault and without a leading slash, such as projects/garden. Leave out for the whole vault.",
  );

export const cursorInput = z
  .string()
  .max(16_384, "this is no cursor")
  .optional()
  .describe(
    "next_cursor of the page before, unchanged, with the same other arguments; only limit may differ. Leave out for the first page.",
  );

export const limitInput = z
  .int("give a whole number from 1 to 20")
  .min(1, "give a whole number from 1 to 20")
  .max(20, "give a whole number from 1 to 20")
  .default(5)
  .describe("Items per page, 1 to 20.");

/** The argument `vault`, which exists only where there is something to choose. */
export function vaultInput(vaults: readonly Vault[]): { vault?: z.ZodEnum<Record<string, string>> } {
  const names = vaults.map(({ name }) => name);
  if (names.length < 2) return {};
  return { vault: z.enum(names, `name one of the vaults: ${names.join(", ")}`).describe("Which vault.") };
}

/** The vault that `args` name, or the only one. */
export function chosenVault(vaults: readonly Vault[], args: object): Vault | undefined {
  const name = "vault" in args ? args.vault : undefined;
  return name === undefined ? vaults[0] : vaults.find((vault) => vault.name === name);
}

/** Leaves out what the caller left out. */
export function given<Value extends Readonly<Record<string, string | undefined>>>(
  values: Value,
): { readonly [Key in keyof Value]?: string } {
  const kept: { [Key in keyof Value]?: string } = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept;
}
