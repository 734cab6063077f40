/** Section `issuers`: who signs tokens. */
import * as z from "zod";
import { flag, name, origin, text, texts, url } from "./fields.ts";

const kindText = "Which kind of issuer; it decides where the token stands and how its keys are found.";
const access = z.strictObject({
  kind: z.literal("cloudflare-access").describe(kindText),
  team: origin.describe("Team origin; keys are read from its /cdn-cgi/access/certs."),
});
const oidc = z.strictObject({
  kind: z.literal("oidc").describe(kindText),
  issuer: url.describe("The `iss` of its tokens, compared as text; also where discovery starts (RFC 8414, OpenID Connect Discovery)."),
  scopes: texts.default(["mcp"]).describe("Scopes a token must carry, all of them."),
  identity_claim: text.default("email").describe("Claim that names the person."),
  jwks: url.optional().describe("Address of the keys. Default: by discovery."),
});
const embedded = z.strictObject({
  kind: z.literal("embedded").describe(kindText),
  public: flag.default(false).describe("Serve it beyond this machine. Refused until passkey sign-in exists."),
});

const issuerSchema = z
  .discriminatedUnion("kind", [access, oidc, embedded], { error: "must have a kind: cloudflare-access, oidc or embedded" })
  .describe(
    "`cloudflare-access`: assertion header, RS256. `oidc`: bearer JWT of any authorization server. `embedded`: built in, this machine only.",
  );

export const issuersSchema = z.record(name, issuerSchema).optional().describe("Who signs tokens, by name.");
export type IssuerInput = z.output<typeof issuerSchema>;
