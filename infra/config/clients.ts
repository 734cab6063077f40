/** Section `clients`: one entry per AI app. */
import * as z from "zod";
import { vendors, type VendorName } from "../../auth/vendors/vendors.ts";
import { flag, hostname, name, text, url } from "./fields.ts";
import { duration } from "./quantities.ts";

/** Permission groups and what they are when nobody says otherwise. */
export const permissionDefaults = {
  "vault.capture": "on",
  "files.write": "on",
  "captures.write": "on",
  "vault.propose": "off",
  "captures.projects": "off",
  "captures.scope": "off",
  "captures.send": "off",
} as const;

const permission = z.enum(["on", "ask", "off"], { error: "must be on, ask or off" });
const vendorNames = Object.keys(vendors).filter((word): word is VendorName => word in vendors);
const egressError = "must be any, anthropic, openai, a list of CIDR ranges, or { url, every }";

export const clientSchema = z.strictObject({
  vendor: z
    .enum(vendorNames, { error: `must be one of ${vendorNames.join(", ")}` })
    .default("generic")
    .describe("Whose app it is: decides which browser origins may call."),
  host: z
    .union([hostname, z.array(hostname).min(1, { error: "must name at least one host" })], {
      error: "must be a host name or a list of host names: lower case, no port",
    })
    .describe("Host or hosts the app calls, without port. The only thing that selects a client; no two clients may share one."),
  issuer: name.describe("Name of the entry in `issuers` whose tokens this client presents."),
  audience: z
    .union([text, z.null()], { error: "must be a text" })
    .optional()
    .describe("The `aud` its tokens must carry (RFC 7519 section 4.1.3). Empty, blank or missing = revoked. Usually `${NAME}`."),
  identities: z
    .array(text)
    .min(1, { error: "must name at least one identity" })
    .optional()
    .describe("Who may call, compared in lower case. Default: the operators."),
  egress: z
    .union(
      [
        z.literal(["any", "anthropic", "openai"]),
        z.array(text).min(1),
        z.strictObject({
          url: url.describe("Address of a published list. Not built yet."),
          every: duration({ atLeastMs: 60_000, atMostMs: 7 * 86_400_000 })
            .prefault("24h")
            .describe("How often it is fetched, from 1m to 7d."),
        }),
      ],
      { error: egressError },
    )
    .describe(
      "Where the app's cloud calls from: CIDR ranges, or `any`, which must be written. Named lists (`anthropic`, `openai`) and addresses of lists are not built yet. Checked for /mcp, never for metadata.",
    ),
  tools: text
    .default("@read")
    .describe(
      "Tools it sees: names, `*` globs and the profiles @read, @daily, @voice; comma-separated, read from left to right, a leading - takes away. A word that matches nothing is refused.",
    ),
  read_only: flag.default(false).describe("Only tools that read, whatever else is on."),
  permissions: z
    .strictObject(
      Object.fromEntries(
        Object.entries(permissionDefaults).map(([group, usual]) => [group, permission.optional().describe(`Default: ${usual}.`)]),
      ),
    )
    .default({})
    .describe("Per group of tools: on, ask or off. `ask` is refused until approvals exist; no group has tools yet."),
  confirm: z
    .union([z.literal("voice"), z.null()], { error: "must be voice or null" })
    .default(null)
    .describe("`voice`: writes take two steps."),
  vaults: z.array(name).optional().describe("Vaults it may read. Default: all."),
  project: z.union([name, z.null()], { error: "must be a name or null" }).default(null).describe("Pins it to one capture project."),
  resource: url.optional().describe("URL of the endpoint as typed into the app, where it is not `https://<host>/mcp`."),
});

export const clientsSchema = z
  .record(name, clientSchema)
  .optional()
  .describe("The AI apps, each with its own door. Default, if `issuers` is absent as well: one client `local` on this machine.");

export type ClientInput = z.output<typeof clientSchema>;
