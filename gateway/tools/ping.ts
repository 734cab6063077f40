/** `ping`: the smallest proof that an app reached Postern, and as whom. */
import * as z from "zod";
import { defineTool, type Tool } from "../tool.ts";

export const ping: Tool = defineTool({
  name: "ping",
  title: "Ping",
  description: "Checks the connection and says how Postern sees this app: its client name, the protocol era and the revision of this call.",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    client: z.string().describe("Configured name of the client whose door this call came through."),
    era: z.enum(["handshake", "stateless"]),
    revision: z.string().describe("Protocol revision of this call, a date."),
  }),
  run: (_args, { client, era, revision }) => ({
    ok: true,
    value: { kind: "json", value: { client, era, revision }, origin: { kind: "postern" } },
  }),
});
