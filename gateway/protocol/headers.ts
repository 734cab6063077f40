/**
 * Header agreement of the stateless era: what intermediaries read in headers must be what the body says
 * (2026-07-28 basic/transports/streamable-http, Standard Request Headers).
 */
import { codes, isRecord, type RpcError, rpcError } from "./messages.ts";

/** Value of one request header, or null. Repeated headers arrive joined by a comma. */
export type HeaderLookup = (name: string) => string | null;

/** Methods whose `Mcp-Name` header mirrors a body value, and which one. */
const nameSource: Readonly<Record<string, "name" | "uri">> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** Checks `Mcp-Method` and `Mcp-Name` against the body; null = they agree. */
export function disagreement(method: string, params: unknown, header: HeaderLookup): RpcError | null {
  const methodHeader = header("mcp-method");
  if (methodHeader === null) return mismatch("The Mcp-Method header is missing; it must repeat the method of the body.");
  if (methodHeader !== method) return mismatch("The Mcp-Method header does not match the method of the body.");
  const source = Object.hasOwn(nameSource, method) ? nameSource[method] : undefined;
  if (source === undefined) return null;
  const named = isRecord(params) ? params[source] : undefined;
  const nameHeader = header("mcp-name");
  // Neither says a name: what is missing is an argument, not an agreement.
  if (nameHeader === null && typeof named !== "string") return null;
  if (nameHeader === null) return mismatch(`The Mcp-Name header is missing; it must repeat params.${source} of the body.`);
  const decoded = decodeHeaderValue(nameHeader);
  if (decoded === null) return mismatch("The Mcp-Name header is not validly encoded.");
  return decoded === named ? null : mismatch(`The Mcp-Name header does not match params.${source} of the body.`);
}

export function mismatch(message: string): RpcError {
  return rpcError(codes.headerMismatch, message);
}

const sentinelStart = "=?base64?";
const sentinelEnd = "?=";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const plain = /^[\x20-\x7e\t]*$/;

/** A value as the sender meant it: plain visible ASCII, or `=?base64?…?=` around UTF-8. Null = neither. */
export function decodeHeaderValue(value: string): string | null {
  if (!value.startsWith(sentinelStart) || !value.endsWith(sentinelEnd) || value.length < sentinelStart.length + sentinelEnd.length) {
    return plain.test(value) ? value : null;
  }
  const encoded = value.slice(sentinelStart.length, -sentinelEnd.length);
  if (!base64.test(encoded)) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
