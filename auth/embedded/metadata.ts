/** What the built-in authorization server says about itself (RFC 8414, OpenID Connect Discovery 1.0). Everything from the issuer, nothing from a request. */

/** Paths below the issuer's origin. */
export const paths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  jwks: "/oauth/jwks",
  login: "/oauth/login",
} as const;

/** Both document kinds, at the root and with the path of the endpoint inserted: clients probe all four. */
export const metadataPaths: readonly string[] = ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
  `/.well-known/${name}`,
  `/.well-known/${name}/mcp`,
]);

/** `mcp` opens the endpoint; `offline_access` asks for a refresh token, which every client may have that can use one. */
export const scopes = ["mcp", "offline_access"] as const;
export const clientAuthMethods = ["none", "client_secret_basic", "client_secret_post"] as const;

export type Metadata = Readonly<Record<string, string | boolean | readonly string[]>>;

export function metadataOf(issuer: string): Metadata {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    registration_endpoint: issuer + paths.register,
    revocation_endpoint: issuer + paths.revoke,
    jwks_uri: issuer + paths.jwks,
    scopes_supported: scopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: false,
    // OpenID Connect Discovery demands these two; no ID token is ever issued.
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}
