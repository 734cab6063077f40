/**
 * Decides once per message which era it belongs to and whether it is well formed there. The body is the truth and
 * headers only cross-check it (2026-07-28 basic/versioning and basic/transports/streamable-http, Backward Compatibility).
 * It leaves to the method tables whether a method exists, and to dispatch what it does.
 */
import { disagreement, type HeaderLookup, mismatch } from "./headers.ts";
import { type Call, codes, isRecord, type RequestId, type RpcError, rpcError } from "./messages.ts";
import {
  assumedHandshake,
  handshakeRevisions,
  isHandshakeRevision,
  isStatelessRevision,
  namesStatelessEra,
  newestHandshake,
  type Era,
  type HandshakeRevision,
  type Revision,
  statelessRevisions,
} from "./revisions.ts";

export type Rejected = {
  readonly kind: "rejected";
  readonly era: Era;
  readonly status: number;
  readonly id: RequestId | null;
  readonly error: RpcError;
};
export type Classified =
  | { readonly kind: "call"; readonly call: Call }
  | {
      readonly kind: "notification";
      readonly era: Era;
      readonly revision: Revision;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** A client's answer to a request of ours; only the handshake era has them. */
  | { readonly kind: "response" }
  | { readonly kind: "batch"; readonly items: readonly Classified[] }
  | Rejected;

const metaPrefix = "io.modelcontextprotocol/";
const claimKey = `${metaPrefix}protocolVersion`;
const capabilitiesKey = `${metaPrefix}clientCapabilities`;

/** Classifies a parsed body. `maxBatch`: most elements a batch may hold. */
export function classify(body: unknown, header: HeaderLookup, maxBatch: number): Classified {
  if (Array.isArray(body)) return classifyBatch(body, header, maxBatch);
  return classifyMessage(body, header);
}

function classifyMessage(body: unknown, header: HeaderLookup): Classified {
  const versionHeader = header("mcp-protocol-version");
  const eraByHeader: Era = versionHeader !== null && namesStatelessEra(versionHeader) ? "stateless" : "handshake";
  if (!isRecord(body) || body["jsonrpc"] !== "2.0") return notAMessage(eraByHeader);
  const { method, params, id } = body;
  if (method === undefined) return classifyResponse(body, eraByHeader);
  if (typeof method !== "string" || (params !== undefined && !isRecord(params)))
    return notAMessage(eraByHeader, isRequestId(id) ? id : null);
  const isNotification = !Object.hasOwn(body, "id");
  if (!isNotification && !isRequestId(id)) return notAMessage(eraByHeader);
  const requestId = isRequestId(id) ? id : null;
  const meta = isRecord(params?.["_meta"]) ? params["_meta"] : {};
  if (Object.hasOwn(meta, claimKey) || (eraByHeader === "stateless" && !isNotification)) {
    return classifyStateless(requestId, method, params ?? {}, meta, header, versionHeader);
  }
  if (eraByHeader === "stateless")
    return { kind: "notification", era: "stateless", revision: statelessRevisions[0], method, params: params ?? {} };
  return classifyHandshake(requestId, method, params ?? {}, meta, versionHeader);
}

/** `requestId` null = a notification. The order of checks is the order of precedence of their errors. */
function classifyStateless(
  requestId: RequestId | null,
  method: string,
  params: Record<string, unknown>,
  meta: Record<string, unknown>,
  header: HeaderLookup,
  versionHeader: string | null,
): Classified {
  const reject = (error: RpcError): Rejected => ({ kind: "rejected", era: "stateless", status: 400, id: requestId, error });
  const claim = meta[claimKey];
  const missing = [claimKey, capabilitiesKey].filter((key) => !Object.hasOwn(meta, key));
  if (typeof claim !== "string") return reject(badEnvelope(missing, claim === undefined ? [] : [claimKey]));
  if (versionHeader !== null && versionHeader !== claim)
    return reject(mismatch("The MCP-Protocol-Version header does not match the revision in the body."));
  if (!isStatelessRevision(claim)) return reject(unsupported(claim));
  if (requestId === null) {
    // A notification says nothing that a proxy must route by, so its headers may be absent; they may not lie.
    const methodHeader = header("mcp-method");
    if (methodHeader !== null && methodHeader !== method)
      return reject(mismatch("The Mcp-Method header does not match the method of the body."));
    return { kind: "notification", era: "stateless", revision: claim, method, params };
  }
  if (!isRecord(meta[capabilitiesKey])) return reject(badEnvelope(missing, missing.includes(capabilitiesKey) ? [] : [capabilitiesKey]));
  if (versionHeader === null)
    return reject(mismatch("The MCP-Protocol-Version header is missing; it must repeat the revision in the body."));
  const disagreed = disagreement(method, params, header);
  if (disagreed !== null) return reject(disagreed);
  return { kind: "call", call: { era: "stateless", revision: claim, id: requestId, method, params, ...progressTokenOf(meta) } };
}

function classifyHandshake(
  requestId: RequestId | null,
  method: string,
  params: Record<string, unknown>,
  meta: Record<string, unknown>,
  versionHeader: string | null,
): Classified {
  if (versionHeader !== null && !isHandshakeRevision(versionHeader) && method !== "initialize") return unservedHeader(requestId);
  const revision =
    method === "initialize" ? negotiated(params["protocolVersion"]) : isHandshakeRevision(versionHeader) ? versionHeader : assumedHandshake;
  if (requestId === null) return { kind: "notification", era: "handshake", revision, method, params };
  return { kind: "call", call: { era: "handshake", revision, id: requestId, method, params, ...progressTokenOf(meta) } };
}

function unservedHeader(id: RequestId | null): Rejected {
  const served = `The MCP-Protocol-Version header names a revision that is not served here. Served: ${handshakeRevisions.join(", ")}.`;
  return { kind: "rejected", era: "handshake", status: 400, id, error: rpcError(codes.badRequest, served) };
}

/** A known revision is echoed, anything else answered with our newest (2025-11-25 basic/lifecycle). */
function negotiated(requested: unknown): HandshakeRevision {
  return isHandshakeRevision(requested) ? requested : newestHandshake;
}

function classifyResponse(body: Record<string, unknown>, era: Era): Classified {
  const isResponse =
    Object.hasOwn(body, "result") !== Object.hasOwn(body, "error") && (isRequestId(body["id"]) || Object.hasOwn(body, "error"));
  if (!isResponse) return notAMessage(era, isRequestId(body["id"]) ? body["id"] : null);
  if (era === "stateless")
    return {
      kind: "rejected",
      era,
      status: 400,
      id: null,
      error: rpcError(codes.invalidRequest, "This revision has no responses from client to server."),
    };
  return { kind: "response" };
}

/** Batches exist up to 2025-03-26 and were removed in 2025-06-18 (its changelog). */
function classifyBatch(body: readonly unknown[], header: HeaderLookup, maxBatch: number): Classified {
  const versionHeader = header("mcp-protocol-version");
  const era: Era = versionHeader !== null && namesStatelessEra(versionHeader) ? "stateless" : "handshake";
  const reject = (message: string): Rejected => ({
    kind: "rejected",
    era,
    status: 400,
    id: null,
    error: rpcError(codes.invalidRequest, message),
  });
  if (era === "stateless" || versionHeader === "2025-11-25" || versionHeader === "2025-06-18")
    return reject("This revision has no batches; send one message.");
  if (versionHeader !== null && !isHandshakeRevision(versionHeader)) return unservedHeader(null);
  if (body.length === 0) return reject("An empty batch is not a message.");
  if (body.length > maxBatch) return reject(`A batch may hold ${maxBatch} messages; send fewer at once.`);
  const items = body.map((element): Classified => {
    const item = classifyMessage(element, header);
    if (item.kind !== "call" || item.call.method !== "initialize") return item;
    return {
      kind: "rejected",
      era,
      status: 400,
      id: item.call.id,
      error: rpcError(codes.invalidRequest, "initialize must not be part of a batch."),
    };
  });
  const broken = items.find((item) => item.kind === "rejected" && item.id === null);
  if (broken?.kind === "rejected") return broken;
  if (items.some((item) => eraOf(item) === "stateless")) return reject("Requests of the stateless era cannot be part of a batch.");
  return { kind: "batch", items };
}

function eraOf(item: Classified): Era {
  if (item.kind === "call") return item.call.era;
  return item.kind === "notification" || item.kind === "rejected" ? item.era : "handshake";
}

function notAMessage(era: Era, id: RequestId | null = null): Rejected {
  return {
    kind: "rejected",
    era,
    status: 400,
    id,
    error: rpcError(codes.invalidRequest, "The body is not a JSON-RPC 2.0 request, notification or response."),
  };
}

function badEnvelope(missing: readonly string[], malformed: readonly string[]): RpcError {
  const message = `params._meta lacks what every request of this revision carries: ${[...missing, ...malformed].join(", ")}.`;
  return rpcError(codes.invalidParams, message, { missing, malformed });
}

function unsupported(requested: string): RpcError {
  return rpcError(codes.unsupportedProtocolVersion, "This revision is not served per request.", {
    supported: statelessRevisions,
    requested: requested.slice(0, 64),
  });
}

/** Integers beyond 2^53 are refused: they could not be echoed as they were sent. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function progressTokenOf(meta: Record<string, unknown>): { readonly progressToken?: string | number } {
  const token = meta["progressToken"];
  return typeof token === "string" || (typeof token === "number" && Number.isSafeInteger(token)) ? { progressToken: token } : {};
}
