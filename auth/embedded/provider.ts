/** oidc-provider, configured. Imported when the first request needs it: it costs a quarter of a second and some 17 MB. */
import { createHash } from "node:crypto";
import type { Configuration, errors as oidcErrors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Log, Now, OAuthRecords, SecretStore } from "../../storage/ports.ts";
import { sendPage } from "./answers.ts";
import { signingAlgorithm, signingKeys } from "./keys.ts";
import { messagePage } from "./login-page.ts";
import { clientAuthMethods, paths } from "./metadata.ts";
import { recordsAdapter } from "./records-adapter.ts";
import { findResource, type Resource } from "./resources.ts";

const accessTokenSeconds = 15 * 60;
const codeSeconds = 60;
/** How long the page may stay open. */
const interactionSeconds = 10 * 60;
/** How long a browser that gave the passcode need not give it again. */
const sessionSeconds = 12 * 3_600;
/** Counted from the last refresh. */
const refreshSeconds = 60 * 86_400;
/** Counted from the consent: then the app asks once more. */
const grantSeconds = 365 * 86_400;

export type ProviderParts = {
  readonly issuer: string;
  readonly resources: () => readonly Resource[];
  readonly operator: () => string;
  readonly records: OAuthRecords;
  readonly secrets: SecretStore;
  readonly now: Now;
  readonly log: Log;
};

/** A provider and what it was built from; another one is built when keys rotate or the operator changes. Everything it remembers is in `records`. */
export function providerSource(parts: ProviderParts): () => Promise<Provider> {
  let built: { readonly from: string; readonly provider: Promise<Provider> } | null = null;
  return async () => {
    const { secrets } = parts;
    const operator = parts.operator();
    const [signing, cookie] = await Promise.all([signingKeys(secrets), secrets.list("cookie")]);
    const from = JSON.stringify([operator, signing.map((key) => key.public.kid), cookie.map(({ id }) => id)]);
    if (built?.from !== from) {
      const provider = build(parts, { operator, jwks: signing.map((key) => key.private), cookieKeys: cookie.map(({ value }) => value) });
      built = { from, provider };
      provider.catch(() => {
        built = null;
      });
    }
    return built.provider;
  };
}

type Keys = { readonly operator: string; readonly jwks: readonly Record<string, unknown>[]; readonly cookieKeys: readonly string[] };

async function build(parts: ProviderParts, keys: Keys): Promise<Provider> {
  const { Provider, errors } = await import("oidc-provider");
  const provider = new Provider(parts.issuer, configuration(parts, keys, errors));
  // Koa would print unhandled errors with their stack; `server_error` below says what we want to know.
  provider.silent = true;
  report(provider, parts.log);
  return provider;
}

function configuration(
  { records, now, resources }: ProviderParts,
  { operator, jwks, cookieKeys }: Keys,
  errors: typeof oidcErrors,
): Configuration {
  return {
    adapter: recordsAdapter({ records, now }),
    jwks: { keys: jwks },
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      registration: paths.register,
      revocation: paths.revoke,
      jwks: paths.jwks,
    },
    // `mcp` belongs to the resource, see getResourceServerInfo.
    scopes: ["offline_access"],
    responseTypes: ["code"],
    clientAuthMethods,
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    // The answer is in `embedded.ts`, before any of this runs.
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    cookies: {
      keys: cookieKeys,
      // Named after the operator: when that changes, nobody is signed in as the one before.
      names: {
        session: `postern_session_${createHash("sha256").update(operator).digest("hex").slice(0, 8)}`,
        interaction: "postern_login",
        resume: "postern_resume",
      },
      long: { httpOnly: true, sameSite: "lax", signed: true, path: "/oauth" },
      short: { httpOnly: true, sameSite: "lax", signed: true },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      Grant: grantSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshSeconds,
      Session: sessionSeconds,
    },
    interactions: { url: (_context, interaction) => `${paths.login}/${interaction.uid}` },
    // Consent is asked for every request, so a grant is never taken over from an earlier one.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    // Someone who is not the operator any more gets nothing from an old refresh token.
    findAccount: (_context, subject) => (subject === operator ? { accountId: subject, claims: () => ({ sub: subject }) } : undefined),
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    renderError: async (context, out) => {
      context.respond = false;
      sendPage(context.res, context.status, messagePage("This cannot go on", sentenceFor(out.error)));
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      claimsParameter: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_context, _client, several) => {
          if (several !== undefined) return [...several];
          throw new errors.InvalidTarget("No resource parameter found");
        },
        useGrantedResource: async () => true,
        getResourceServerInfo: async ({ oidc }, indicator) => {
          const asked = oidc.params?.["resource"];
          if (Array.isArray(asked) && asked.length > 1) throw new errors.InvalidTarget("Only one resource can be asked for at a time");
          // Asked again at every token: an audience that was cleared since gives no more tokens.
          const resource = findResource(resources(), indicator);
          if (resource === null) throw new errors.InvalidTarget("Unknown resource");
          return {
            scope: "mcp",
            audience: resource.audience,
            accessTokenTTL: accessTokenSeconds,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: signingAlgorithm } },
          };
        },
      },
    },
  };
}

function sentenceFor(error: string): string {
  switch (error) {
    case "invalid_client":
      return "This app is not registered here, or not any more. Remove the connection in the app and add it again.";
    case "invalid_redirect_uri":
      return "The app asked to be answered at an address that it did not register. Nothing was sent there.";
    case "server_error":
      return "Something broke inside Postern. Its log says more.";
    default:
      return "The request was incomplete or has expired. Go back to the app and start the connection again.";
  }
}

/** Only our own words and the error codes of the standards are logged: descriptions may repeat what the caller sent. */
function report(provider: Provider, log: Log): void {
  const refused = ({ oidc }: KoaContextWithOIDC, { error }: oidcErrors.OIDCProviderError) =>
    log("warn", "oauth_refused", { path: oidc.route, reason: error, oauth_client: oidc.client?.clientId });
  provider.on("authorization.error", refused);
  provider.on("grant.error", refused);
  provider.on("registration_create.error", refused);
  provider.on("revocation.error", refused);
  provider.on("registration_create.success", (_context, client) => log("info", "oauth_registered", { oauth_client: client.clientId }));
  provider.on("grant.success", ({ oidc }) =>
    log("info", "oauth_token_issued", { oauth_client: oidc.client?.clientId, reason: grantTypeOf(oidc.params?.["grant_type"]) }),
  );
  provider.on("grant.revoked", ({ oidc }) => log("info", "oauth_grant_ended", { path: oidc.route, oauth_client: oidc.client?.clientId }));
  provider.on("server_error", ({ oidc }, error) => log("error", "oauth_failed", { path: oidc?.route, reason: error.name }));
}

function grantTypeOf(value: unknown): string {
  return value === "authorization_code" || value === "refresh_token" ? value : "other";
}
