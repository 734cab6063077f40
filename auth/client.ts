/** A client: one configured AI app, its door, and what it may present there. Built from configuration only. */
import type { Ranges } from "./egress.ts";
import type { VendorName } from "./vendors/vendors.ts";

/** The `aud` that this client's tokens must carry. There is no third state: what is not a non-empty string is revoked. */
export type Audience =
  /** `why`: for the log and the operator; names the setting and never its value. */
  { readonly kind: "revoked"; readonly why: string } | { readonly kind: "aud"; readonly value: string };

export type Issuer =
  /** Cloudflare Access: assertion header, RS256. `issuer` is the team origin without a trailing slash. */
  | { readonly kind: "cloudflare-access"; readonly name: string; readonly issuer: string }
  /** Any authorization server whose access tokens are JWTs; keys by discovery unless `jwksUrl` is set. */
  | {
      readonly kind: "oidc";
      readonly name: string;
      readonly issuer: string;
      /** Scopes a token must carry, all of them. */
      readonly scopes: readonly string[];
      /** Claim that names the person. Default `email`. */
      readonly identityClaim: string;
      readonly jwksUrl?: string;
    }
  /** The built-in authorization server; loopback only. `issuer` is the listen origin. */
  | { readonly kind: "embedded"; readonly name: string; readonly issuer: string };

export type Egress = { readonly kind: "any" } | { readonly kind: "ranges"; readonly ranges: Ranges };

export type Client = {
  readonly name: string;
  readonly vendor: VendorName;
  /** Hostnames without port, lower case; IPv6 in brackets. The only thing that selects a client. Never empty. */
  readonly hosts: readonly string[];
  readonly issuer: Issuer;
  readonly audience: Audience;
  /** Lower-case identities that may call. Never empty. */
  readonly identities: readonly string[];
  readonly egress: Egress;
  /** URL of the MCP endpoint for one of `hosts`, as the person types it into the app. */
  readonly resources: Readonly<Record<string, string>>;
  /** Origins beside the own one and the vendor's that may call: `http://localhost:*` style for loopback doors. */
  readonly loopback: boolean;
};
