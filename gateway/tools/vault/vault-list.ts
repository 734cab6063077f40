/** `vault_list`: what notes there are. */
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
  noteFacts,
  prefixInput,
  unreadableNotes,
  vaultInput,
} from "./vault-schemas.ts";

export function vaultList(vaults: readonly Vault[], limitBytes: number): Tool {
  return defineTool({
    name: "vault_list",
    title: "List notes",
    description:
      "Lists the notes of the person's Markdown vault, personal context and work documents, by path, with title and description, a page at a time. It shows which documents exist; to find one by its words use vault_search, to read the text vault_read.",
    effect: "read",
    input: z.strictObject({ ...vaultInput(vaults), prefix: prefixInput, commit: commitInput, cursor: cursorInput, limit: limitInput }),
    output: z.object({
      commit: commitOutput,
      items: z.array(
        z.object({
          path: z.string(),
          title: z.string(),
          description: z.union([z.string(), z.number(), z.boolean(), z.null()]),
          ...noteFacts,
        }),
      ),
      next_cursor: nextCursor,
      unreadable: unreadableNotes,
      unreadable_total: z.number().optional().describe("How many there are, when more than unreadable names."),
    }),
    async run(args, { signal }) {
      const vault = chosenVault(vaults, args);
      if (vault === undefined) return refuse("INVALID_ARGUMENT", "There is no such vault.", { field: "vault" });
      const { prefix, commit, cursor, limit } = args;
      const listed = await vault.list({ limit, ...given({ prefix, commit, cursor }) }, signal());
      return listed.ok ? answer(listed.value, limitBytes, "Ask for fewer notes with a smaller limit.") : listed;
    },
  });
}
