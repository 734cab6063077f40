/** `vault_search`: which notes hold these words. */
import * as z from "zod";
import type { Vault } from "../../../storage/ports.ts";
import { defineTool, refuse, type Tool } from "../../tool.ts";
import { answer } from "./answer.ts";
import {
  chosenVault,
  commitInput,
  commitOutput,
  cursorInput,
  given,
  limitInput,
  nextCursor,
  prefixInput,
  unreadableNotes,
  vaultInput,
} from "./vault-schemas.ts";

export function vaultSearch(vaults: readonly Vault[], limitBytes: number): Tool {
  return defineTool({
    name: "vault_search",
    title: "Search notes",
    description:
      "Searches titles and texts of the person's Markdown vault: personal reasons, work contracts, current state. Finds notes that hold every word given, also as part of a longer word, in any letter case; it knows no synonyms and no other languages, so after no hits try one shorter word as the notes would write it. A snippet is not the note: read the related notes with vault_read before you judge.",
    effect: "read",
    input: z.strictObject({
      ...vaultInput(vaults),
      query: z
        .string()
        .min(1, "give at least one word")
        .max(1000, "a query has at most 1000 characters")
        .describe(
          "Words that must all be in the note; white space separates them; quotes and operators such as OR have no meaning and are searched as text.",
        ),
      scope: z.enum(["title", "all"], "give title or all").default("all").describe("title: look at titles only. all: titles and texts."),
      prefix: prefixInput,
      commit: commitInput,
      cursor: cursorInput,
      limit: limitInput,
    }),
    output: z.object({
      commit: commitOutput,
      items: z.array(z.object({ path: z.string(), title: z.string(), snippet: z.string(), match_location: z.enum(["title", "body"]) })),
      next_cursor: nextCursor,
      unreadable: unreadableNotes,
      unreadable_total: z.number().optional().describe("How many there are, when more than unreadable names."),
    }),
    async run(args, { signal }) {
      const vault = chosenVault(vaults, args);
      if (vault === undefined) return refuse("INVALID_ARGUMENT", "There is no such vault.", { field: "vault" });
      const { query, scope, prefix, commit, cursor, limit } = args;
      const found = await vault.search({ query, scope, limit, ...given({ prefix, commit, cursor }) }, signal());
      return found.ok ? answer(found.value, limitBytes, "Ask for fewer hits with a smaller limit.") : found;
    },
  });
}
