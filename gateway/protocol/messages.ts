/** JSON-RPC 2.0 as MCP uses it: ids, error codes and the two kinds of answer. Era-neutral. */
import type { Era, Revision } from "./revisions.ts";

/** String or integer; never null (2025-11-25 basic, Requests). */
export type RequestId = string | number;

/** Error codes. The -3202x ones are defined by the 2026-07-28 revision and go to that era alone. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedProtocolVersion: -32022,
  /** Implementation-defined transport refusal of the handshake era, as the official SDK uses it. */
  badRequest: -32000,
} as const;

export type RpcError = { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> };

/** How a method ended. `status` is set only where a revision demands another HTTP status than 200. */
export type Answer =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: "error"; readonly error: RpcError; readonly status?: number };

/** One classified JSON-RPC request. */
export type Call = {
  readonly era: Era;
  readonly revision: Revision;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Present = the caller wants progress under this token. */
  readonly progressToken?: string | number;
};

export function rpcError(code: number, message: string, data?: Readonly<Record<string, unknown>>): RpcError {
  return data === undefined ? { code, message } : { code, message, data };
}

export function failed(code: number, message: string, data?: Readonly<Record<string, unknown>>, status?: number): Answer {
  const error = rpcError(code, message, data);
  return status === undefined ? { kind: "error", error } : { kind: "error", error, status };
}

/** The JSON-RPC response object for an answer. `id` null only where no id could be read. */
export function responseOf(id: RequestId | null, answer: Answer): Readonly<Record<string, unknown>> {
  return answer.kind === "result" ? { jsonrpc: "2.0", id, result: answer.result } : { jsonrpc: "2.0", id, error: answer.error };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
