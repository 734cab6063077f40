/** An app registers itself (RFC 7591): checked by us, and reduced to what this server supports. */
import * as z from "zod";
import { clientAuthMethods } from "./metadata.ts";
import { parseRedirect } from "./redirects.ts";

const maxRedirects = 20;

/**
 * Everything else is ignored (RFC 7591 §2): every URL that would have to be fetched or shown (keys, logo, policies), and `scope`,
 * because official clients register what the resource names and then ask for `offline_access` as well.
 */
const registrationSchema = z.object({
  redirect_uris: z.array(z.string()).min(1).max(maxRedirects),
  client_name: z.string().max(1_000).optional(),
  token_endpoint_auth_method: z.enum(clientAuthMethods).optional(),
});

export type Registration =
  | { readonly ok: true; readonly metadata: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: "invalid_redirect_uri" | "invalid_client_metadata"; readonly description: string };

/** All or nothing: one bad redirect URI refuses the registration. The answer tells the client what it got, as RFC 7591 §3.2.1 wants. */
export function parseRegistration(body: Uint8Array): Registration {
  const parsed = registrationSchema.safeParse(jsonOf(body));
  if (!parsed.success) return describe(parsed.error);
  const { redirect_uris: redirectUris, client_name: name, token_endpoint_auth_method: method } = parsed.data;
  for (const [index, uri] of redirectUris.entries()) {
    const redirect = parseRedirect(uri);
    if (!redirect.ok) return { ok: false, error: "invalid_redirect_uri", description: `redirect_uris[${index}] ${redirect.problem}` };
  }
  return {
    ok: true,
    metadata: {
      redirect_uris: redirectUris,
      ...(name === undefined ? {} : { client_name: name }),
      token_endpoint_auth_method: method ?? "client_secret_basic",
      // Some clients list grants of other servers (the device grant, say); everyone gets the two there are.
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      // oidc-provider's rules for web clients allow plain http to anywhere, those for native ones forbid https to localhost: each where it is the stricter.
      application_type: redirectUris.every((uri) => uri.startsWith("https:")) ? "web" : "native",
    },
  };
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function describe(error: z.ZodError): Registration {
  const field = error.issues[0]?.path[0];
  if (field === "redirect_uris")
    return { ok: false, error: "invalid_redirect_uri", description: `redirect_uris must be a list of 1 to ${maxRedirects} URIs` };
  if (field === "token_endpoint_auth_method") {
    return {
      ok: false,
      error: "invalid_client_metadata",
      description: `token_endpoint_auth_method must be one of ${clientAuthMethods.join(", ")}`,
    };
  }
  return {
    ok: false,
    error: "invalid_client_metadata",
    description: typeof field === "string" ? `${field} is not valid` : "the body must be a JSON object",
  };
}
