/** The whole configuration file. Unknown keys are refused everywhere; what is not built yet is read all the same. */
import * as z from "zod";
import { clientsSchema } from "./clients.ts";
import { listenAddress, text } from "./fields.ts";
import { issuersSchema } from "./issuers.ts";
import { capturesSchema, consoleSchema, hooksSchema, rootsSchema, storageSchema } from "./later.ts";
import { size } from "./quantities.ts";
import { vaultSchema, vaultsSchema } from "./vaults.ts";

const count = (atMost: number) =>
  z
    .int({ error: `must be a whole number from 1 to ${atMost}` })
    .min(1, { error: `must be from 1 to ${atMost}` })
    .max(atMost, { error: `must be from 1 to ${atMost}` });

/** Where `operations` listens unless something else is asked for. */
export const usualOperations = "127.0.0.1:8788";

export const defaultStreams = 64;

const limitsSchema = z
  .strictObject({
    body: size({ atLeast: 1024, atMost: 64 * 1024 ** 2 })
      .prefault("1MiB")
      .describe("Largest request body, from 1 KiB to 64 MiB; over it: 413."),
    batch: count(1000).default(50).describe("Most messages of a JSON-RPC batch (2025-03-26 and before)."),
    depth: count(512).default(64).describe("Deepest nesting of a request body."),
    streams: count(10_000).default(defaultStreams).describe("Most open streams of one caller. Not built yet: no stream outlives its call."),
    response: size({ atLeast: 4096, atMost: 16 * 1024 ** 2 })
      .prefault("64KiB")
      .describe("Largest tool result, serialised with its text copy, from 4 KiB to 16 MiB; over it: RESPONSE_TOO_LARGE."),
  })
  .prefault({})
  .describe("Bounds on what one request may cost.");

const proxySchema = z
  .strictObject({
    trusted: z.array(text).min(1, { error: "must name at least one range" }).describe("CIDR ranges of proxies whose header is believed."),
    header: text
      .regex(/^[a-z0-9-]+$/, { error: "must be a header name in lower case" })
      .describe(
        "Header in which the proxy reports the caller's address, such as cf-connecting-ip. X-Forwarded-Host and Forwarded are never read.",
      ),
  })
  .optional()
  .describe("A proxy or tunnel in front. No default: without it only the socket's address counts.");

export const configSchema = z.strictObject({
  listen: listenAddress.prefault("127.0.0.1:8787").describe("Public listener, host:port; PORT overrides the port."),
  operations: z
    .union([listenAddress, z.null()], { error: "must be host:port or null" })
    .prefault(usualOperations)
    .describe(
      "Listener for health and metrics, host:port; null = off. If another program has this one, Postern starts without and says so.",
    ),
  home: text.default("./.postern").describe("Data directory, made with mode 0700. POSTERN_HOME overrides it."),
  env_file: text
    .optional()
    .describe(
      "File of NAME=value lines for `${NAME}`; its names win over the environment. `~` and relative paths (from this file) are understood, `${NAME}` is not. Watched like this file.",
    ),
  proxy: proxySchema,
  operators: z
    .array(text)
    .min(1, { error: "must name at least one operator" })
    .default(["operator@localhost"])
    .describe("Who owns this deployment; may call every client unless its `identities` say otherwise."),
  limits: limitsSchema,
  issuers: issuersSchema,
  clients: clientsSchema,
  vault: vaultSchema.optional().describe("Short for `vaults` with one entry, named `vault`; the same keys."),
  vaults: vaultsSchema,
  roots: rootsSchema,
  hooks: hooksSchema,
  captures: capturesSchema,
  console: consoleSchema,
  storage: storageSchema,
});

export type ConfigInput = z.output<typeof configSchema>;
