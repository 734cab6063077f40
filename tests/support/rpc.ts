/** Raw MCP requests over real HTTP, for tests that look at the wire. */
import { request as httpRequest } from "node:http";

export const stateless = "2026-07-28";
const prefix = "io.modelcontextprotocol/";

/** The envelope every stateless request carries. */
export function envelope(version: unknown = stateless, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    [`${prefix}protocolVersion`]: version,
    [`${prefix}clientInfo`]: { name: "probe", version: "1" },
    [`${prefix}clientCapabilities`]: {},
    ...more,
  };
}

export function statelessHeaders(method: string, name?: string, version: string = stateless): Record<string, string> {
  return { "mcp-protocol-version": version, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) };
}

/** What a JSON-RPC answer may hold; a test reads the half it expects and fails on the other. */
export type JsonRpcReply = {
  readonly id: number | string | null;
  readonly result: Readonly<Record<string, unknown>> & {
    readonly structuredContent: Readonly<Record<string, unknown>>;
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly tools: readonly Readonly<Record<string, unknown>>[];
  };
  readonly error: { readonly code: number; readonly message: string; readonly data: unknown };
};

export type RawReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: () => JsonRpcReply;
  /** The answer of a batch. */
  readonly batch: () => readonly JsonRpcReply[];
};

export type RawRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  /** Sent as it is, e.g. an absolute-form target. Default: path and query of the URL. */
  readonly target?: string;
};

/** Unlike `fetch` it sends any Host, any target and repeated headers, and follows nothing. */
export function send(url: string, { method = "POST", headers = {}, body, target }: RawRequest = {}): Promise<RawReply> {
  const { hostname, port, pathname, search } = new URL(url);
  const text = body === undefined ? undefined : typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port,
        method,
        path: target ?? `${pathname}${search}`,
        headers: headers as Record<string, string | string[]>,
        agent: false,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const received = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: received,
            json: () => JSON.parse(received),
            batch: () => JSON.parse(received),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** An authenticated POST of one message. */
export function post(url: string, token: string | null, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RawReply> {
  return send(url, { body, headers: { ...json, ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers } });
}

export function call(id: number, name: string, args: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

export function statelessCall(id: number, name: string, args: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: envelope() } };
}
