/** The query of `/oauth/authorize`, reduced to what this server supports. */
import { scopes } from "./metadata.ts";
import { canonicalResource, type Resource } from "./resources.ts";

/** Passed on. `request` and `request_uri` only so that oidc-provider refuses them by name; the rest (nonce, hints, locales) means nothing here. */
const passed = ["client_id", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method", "request", "request_uri"];
const knownPrompts = ["none", "login", "consent"];

/**
 * - `scope` becomes `mcp`, with `offline_access` if that was asked for: clients ask for nothing, or for what another server had.
 * - `prompt` always holds `consent` (unless it is `none`): nobody is let in silently.
 * - `resource` gets its first spelling.
 * Repeated parameters stay repeated, to be refused.
 */
export function normalizeAuthorize(query: URLSearchParams, resources: readonly Resource[]): URLSearchParams {
  const result = new URLSearchParams();
  for (const name of passed) for (const value of query.getAll(name)) result.append(name, value);
  const asked = query.getAll("scope").join(" ").split(" ");
  result.set("scope", scopes.filter((scope) => scope === "mcp" || asked.includes(scope)).join(" "));
  const prompts = query
    .getAll("prompt")
    .join(" ")
    .split(" ")
    .filter((prompt) => knownPrompts.includes(prompt));
  result.set("prompt", prompts.includes("none") ? "none" : [...new Set([...prompts, "consent"])].join(" "));
  for (const resource of new Set(query.getAll("resource").map((value) => canonicalResource(resources, value))))
    result.append("resource", resource);
  // Only `query` is offered; any other value is passed on as one that does not exist, so that the client hears it.
  for (const mode of query.getAll("response_mode")) result.append("response_mode", mode === "query" ? mode : "unsupported");
  return result;
}
