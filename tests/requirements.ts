/**
 * What public specifications demand of Postern: requirement id -> clause -> behaviour. A test that proves one cites its id:
 * `it(`${verifies("mcp.era.by-body")}: a header alone never makes a stateless call`, …)` or `verifies("…")` inside.
 * `requirements.test.ts` checks both ways: every row has a test, every cited id has a row.
 */
type Requirement = readonly [clause: string, behaviour: string];

const mcp = "https://modelcontextprotocol.io/specification";
const stateless = `${mcp}/2026-07-28`;
const transport = `${stateless}/basic/transports/streamable-http`;
const handshake = `${mcp}/2025-11-25/basic`;
const rfc = "https://www.rfc-editor.org/rfc";

export const requirements = {
  // ---- one endpoint, both eras
  "mcp.era.by-body": [
    `${stateless}/basic/versioning#backward-compatibility-with-initialization-based-versions`,
    "The body decides the era; headers only cross-check and never make a call stateless by themselves.",
  ],
  "mcp.origin-refused": [`${transport}#security-endpoint`, "A request whose Origin is present and not allowed is answered 403."],
  "mcp.parse-error": [`${stateless}/basic`, "A body that is not JSON is answered 400 with -32700."],
  "mcp.invalid-request": [`${stateless}/basic`, "JSON that is no JSON-RPC message is answered 400 with -32600."],
  "mcp.content-type": [`${transport}#sending-messages`, "A body that does not call itself JSON is answered 415."],

  // ---- stateless era
  "mcp.2026-07-28.version-header-required": [
    `${transport}#protocol-version-header`,
    "An enveloped call without MCP-Protocol-Version is answered 400 with -32020.",
  ],
  "mcp.2026-07-28.header-mismatch": [
    `${transport}#server-validation`,
    "MCP-Protocol-Version that differs from the envelope is answered 400 with -32020.",
  ],
  "mcp.2026-07-28.method-header": [
    `${transport}#standard-request-headers`,
    "Mcp-Method that is missing or differs from `method`, in its case too, is answered 400 with -32020.",
  ],
  "mcp.2026-07-28.name-header": [
    `${transport}#standard-request-headers`,
    "Mcp-Name that is missing or differs from the tool's name is answered 400 with -32020.",
  ],
  "mcp.2026-07-28.name-header-base64": [
    `${transport}#value-encoding`,
    "A header value in the =?base64?…?= form is decoded before it is compared.",
  ],
  "mcp.2026-07-28.envelope-required-keys": [
    `${stateless}/basic`,
    "An envelope without protocolVersion or clientCapabilities is answered 400 with -32602.",
  ],
  "mcp.2026-07-28.header-without-envelope": [
    `${stateless}/basic/versioning#backward-compatibility-with-initialization-based-versions`,
    "A header that names 2026-07-28 over a body without envelope is answered 400 with -32602.",
  ],
  "mcp.2026-07-28.unsupported-version": [
    `${stateless}/basic/versioning#protocol-version-negotiation`,
    "An envelope with a version not served per request is answered 400 with -32022, `supported` and `requested`.",
  ],
  "mcp.2026-07-28.unknown-method": [`${transport}#protocol-version-header`, "An unknown method is answered 404 with -32601."],
  "mcp.2026-07-28.removed-methods": [
    `${stateless}/changelog`,
    "`initialize`, `ping` and other removed methods under an envelope are answered 404 with -32601.",
  ],
  "mcp.2026-07-28.no-batch": [`${transport}#sending-messages`, "An array that holds an enveloped call is answered 400 with -32600."],
  "mcp.2026-07-28.id-not-null": [`${stateless}/basic#requests`, "A request whose id is null is answered 400 with -32600."],
  "mcp.2026-07-28.no-sessions": [`${stateless}/changelog`, "Mcp-Session-Id and Last-Event-ID are ignored, and no session id is ever sent."],
  "mcp.2026-07-28.post-only": [`${transport}#earlier-streamable-http-revisions`, "GET, DELETE and PUT are answered 405 with Allow: POST."],
  "mcp.2026-07-28.notification-accepted": [`${transport}#sending-messages`, "An accepted notification is answered 202 without a body."],
  "mcp.2026-07-28.discover": [
    `${stateless}/server/discover`,
    "server/discover answers supportedVersions, capabilities, cache hints and who the server is.",
  ],
  "mcp.2026-07-28.result-type": [`${stateless}/basic#resulttype`, "Every result carries resultType."],
  "mcp.2026-07-28.server-info": [`${stateless}/basic#meta`, "Every result names the server under _meta."],
  "mcp.2026-07-28.cache-hints": [
    `${stateless}/server/utilities/caching`,
    "tools/list and server/discover carry ttlMs and cacheScope; a list that depends on the caller is private.",
  ],
  "mcp.2026-07-28.no-cache-hints-on-calls": [`${stateless}/server/utilities/caching`, "tools/call carries no cache hints."],
  "mcp.2026-07-28.disconnect-cancels": [`${transport}#cancellation`, "Closing the response cancels the call."],
  "mcp.2026-07-28.progress-with-token": [
    `${stateless}/basic/patterns/progress#behavior-requirements`,
    "Progress is sent only to a caller that gave a progressToken.",
  ],
  "mcp.2026-07-28.progress-increases": [
    `${stateless}/basic/patterns/progress#behavior-requirements`,
    "Progress that does not grow is not sent, and none after the result.",
  ],
  "mcp.2026-07-28.unknown-tool": [`${stateless}/server/tools#error-handling`, "A tool that does not exist is a protocol error, -32602."],
  "mcp.2026-07-28.input-errors-as-result": [
    `${stateless}/server/tools#error-handling`,
    "Arguments that a tool refuses are a result with isError.",
  ],
  "mcp.2026-07-28.tools-order": [`${stateless}/server/tools#listing-tools`, "tools/list keeps one order."],
  "mcp.2026-07-28.removed-codes": [`${stateless}/basic#error-codes`, "-32002 and -32042 are never sent to an enveloped call."],

  // ---- handshake era
  "mcp.handshake.version-echo": [
    `${handshake}/lifecycle#version-negotiation`,
    "initialize with a served handshake revision is answered with the same one.",
  ],
  "mcp.handshake.version-fallback": [
    `${handshake}/lifecycle#version-negotiation`,
    "initialize with any other revision is answered with 2025-11-25.",
  ],
  "mcp.handshake.initialized-accepted": [
    `${handshake}/transports#sending-messages-to-the-server`,
    "notifications/initialized is answered 202 without a body.",
  ],
  "mcp.handshake.ping": [`${handshake}/utilities/ping`, "ping is answered with an empty result."],
  "mcp.handshake.version-header-absent": [
    `${handshake}/transports#protocol-version-header`,
    "A call without MCP-Protocol-Version is served as 2025-03-26.",
  ],
  "mcp.handshake.version-header-unsupported": [
    `${handshake}/transports#protocol-version-header`,
    "MCP-Protocol-Version that is not served is answered 400.",
  ],
  "mcp.handshake.no-stream-without-session": [
    `${handshake}/transports#listening-for-messages-from-the-server`,
    "GET and DELETE without a session are answered 405.",
  ],
  "mcp.handshake.disconnect-is-no-cancel": [
    `${handshake}/transports#sending-messages-to-the-server`,
    "A call goes on when its caller leaves.",
  ],
  "mcp.2025-03-26.batch": [
    `${mcp}/2025-03-26/basic/transports#sending-messages-to-the-server`,
    "An array of requests is answered with one response for each.",
  ],
  "mcp.2025-03-26.no-initialize-in-batch": [`${mcp}/2025-03-26/basic/lifecycle#initialization`, "initialize inside an array is refused."],
  "mcp.2025-06-18.no-batch": [`${mcp}/2025-06-18/changelog`, "From 2025-06-18 on an array is refused."],
  "mcp.2025-06-18.structured-content": [
    `${mcp}/2025-06-18/server/tools#structured-content`,
    "structuredContent stands, equal, in a text block as well.",
  ],

  // ---- resource server
  "oauth.challenge-on-401": [`${rfc}/rfc6750#section-3`, "401 carries exactly one Bearer challenge, and each of its parameters once."],
  "oauth.no-error-without-credentials": [
    `${rfc}/rfc6750#section-3.1`,
    "The challenge names no error if no credential was presented, and invalid_token if one was.",
  ],
  "oauth.token-in-query": [`${rfc}/rfc9700#section-4.3.2`, "A token in the query is answered 400."],
  "oauth.challenge-names-metadata": [
    `${rfc}/rfc9728#section-5.1`,
    "The challenge names the protected resource metadata by a URL from configuration.",
  ],
  "oauth.metadata-path": [`${rfc}/rfc9728#section-3.1`, "The metadata is served at the root and the path-suffixed well-known address."],
  "oauth.metadata-resource": [`${rfc}/rfc9728#section-3.3`, "`resource` equals the URL that the person typed, whatever headers say."],
  "oauth.audience": [`${rfc}/rfc8707#section-2`, "A token for another client's audience is refused."],
  "oauth.expiry": [`${rfc}/rfc7519#section-4.1.4`, "A token without exp, or past it by more than 30 s, is refused."],
  "oauth.algorithms": [`${rfc}/rfc8725#section-3.1`, "Only the issuer's algorithms are accepted; none and HS256 never are."],
  "oauth.no-challenge-on-403": [
    `${stateless}/basic/authorization#error-handling`,
    "A refusal that no new login can cure carries no challenge.",
  ],
  "oauth.insufficient-scope": [
    `${rfc}/rfc6750#section-3.1`,
    "A token that lacks a scope is answered 403 with insufficient_scope and all scopes needed.",
  ],

  // ---- embedded authorization server
  "oauth.server-metadata": [`${rfc}/rfc8414#section-3`, "The server's metadata names an issuer that equals the one used to find it."],
  "oauth.pkce": [
    `${rfc}/rfc7636#section-4.4.1`,
    "An authorization request without an S256 challenge is refused, and the metadata says S256.",
  ],
  "oauth.registration": [`${rfc}/rfc7591#section-3.1`, "A client can register itself."],
  "oauth.resource-indicator": [
    `${rfc}/rfc8707#section-2`,
    "A granted token carries the resource as aud; an unknown resource is invalid_target.",
  ],
  "oauth.issuer-in-response": [`${rfc}/rfc9207#section-2`, "Authorization responses name the issuer, in success and in error."],
  "oauth.refresh-rotation": [
    `${rfc}/rfc9700#section-4.14.2`,
    "Refresh tokens of public clients rotate; parallel use within the grace succeeds, reuse after it does not.",
  ],
  "oauth.redirect-exact": [
    `${rfc}/rfc8252#section-7.3`,
    "A redirect address matches exactly; only the port of a loopback address is free.",
  ],
} as const satisfies Readonly<Record<string, Requirement>>;

export type RequirementId = keyof typeof requirements;

/** Rows that no test cites yet. A row leaves this list in the change that brings its test; the list never grows. */
export const pending: readonly RequirementId[] = [];

/** Cites requirements in a test's title or body. Answers the ids as one text. */
export function verifies(...ids: readonly RequirementId[]): string {
  return ids.join(", ");
}
