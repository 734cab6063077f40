/**
 * /mcp: gate, then a capped body, then one classified message, then one answer. Not one body byte is read before the gate
 * has admitted the caller.
 */
import { corsHeaders, renderPreflight, renderRefusal } from "../auth/challenge.ts";
import type { Admission, Gate, Refusal } from "../auth/gate.ts";
import type { Log } from "../storage/ports.ts";
import { type BodyProblem, type BodyReader, readBody } from "./body.ts";
import { answer } from "./protocol/answer.ts";
import { type Classified, classify } from "./protocol/envelope.ts";
import { type JsonProblem, parseJson } from "./protocol/json.ts";
import { codes, type RequestId, responseOf, rpcError, type RpcError } from "./protocol/messages.ts";
import type { MethodRequest } from "./protocol/methods.ts";
import { reply, type ReplyMode, type Timers } from "./reply.ts";
import type { Surface } from "./toolset.ts";

/** What the runtime knows of a request beyond the Request itself. */
export type Inbound = {
  /** The socket's address. */
  readonly peerAddress: string;
  /** The request target exactly as it arrived. */
  readonly target: string;
  readonly requestId: string;
  readonly readBody: BodyReader;
  onDisconnect(listener: () => void): void;
};

export type EndpointLimits = { readonly bodyBytes: number; readonly batch: number; readonly depth: number };

export type EndpointDependencies = {
  readonly gate: Gate;
  /** What a client sees now; null = it was removed since it was admitted. */
  readonly surfaceOf: (client: string) => Surface | null;
  readonly limits: () => EndpointLimits;
  readonly log: Log;
  readonly timers: Timers;
  readonly observeRefusal: (refusal: Refusal, inbound: Inbound) => void;
  readonly observeCall: (call: ObservedCall) => void;
};

export type ObservedCall = {
  readonly requestId: string;
  readonly client: string;
  readonly era: string;
  readonly revision: string;
  readonly method: string;
  readonly tool?: string;
  readonly outcome: string;
  /** Why a dependency failed the call, from a closed list. */
  readonly reason?: string;
};

export type Endpoint = (request: Request, inbound: Inbound) => Promise<Response>;

export function createEndpoint(dependencies: EndpointDependencies): Endpoint {
  const { gate, surfaceOf, limits, observeRefusal } = dependencies;
  return async (request, inbound) => {
    const header = (name: string): string | null => request.headers.get(name);
    const decision = await gate.admit({ method: request.method, target: inbound.target, header, peerAddress: inbound.peerAddress });
    if (decision.kind === "refusal") {
      observeRefusal(decision, inbound);
      return renderRefusal(decision);
    }
    if (decision.kind === "preflight") return renderPreflight(decision, header);
    const cors = corsHeaders(decision.origin);
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST", ...cors } });
    const surface = surfaceOf(decision.client.name);
    if (surface === null) return rejected(503, null, rpcError(codes.badRequest, "This app is not configured any more."), cors);
    if (!isJson(header("content-type")))
      return rejected(415, null, rpcError(codes.badRequest, "Send content-type application/json."), cors);
    if ((header("content-encoding") ?? "identity") !== "identity")
      return rejected(415, null, rpcError(codes.badRequest, "Send the body without content-encoding."), cors);
    const { bodyBytes, batch, depth } = limits();
    const body = await readBody(inbound.readBody, header("content-length"), bodyBytes);
    if (!body.ok) return bodyRejected(body.problem, bodyBytes, cors);
    const parsed = parseJson(body.text, depth);
    if (!parsed.ok) return rejected(400, null, jsonProblem(parsed.problem, depth), cors);
    return respond(classify(parsed.value, header, batch), { decision, surface, inbound, header, cors, dependencies });
  };
}

type Handling = {
  readonly decision: Admission;
  readonly surface: Surface;
  readonly inbound: Inbound;
  readonly header: (name: string) => string | null;
  readonly cors: Readonly<Record<string, string>>;
  readonly dependencies: EndpointDependencies;
};

async function respond(message: Classified, handling: Handling): Promise<Response> {
  const { inbound, header, cors, dependencies } = handling;
  const isHandshake = message.kind !== "rejected" && (message.kind !== "call" || message.call.era === "handshake");
  const isInitialize = message.kind === "call" && message.call.method === "initialize";
  if (isHandshake && !isInitialize && header("mcp-session-id") !== null && !isStatelessNotification(message)) {
    return rejected(404, message.kind === "call" ? message.call.id : null, rpcError(-32001, "Unknown session; initialize again."), cors);
  }
  switch (message.kind) {
    case "rejected":
      return rejected(message.status, message.id, message.error, cors);
    case "notification":
    case "response":
      return new Response(null, { status: 202, headers: cors });
    case "batch":
      return respondToBatch(message.items, handling);
    case "call":
      return reply(
        {
          ...methodRequest(message.call, handling),
          mode: modeOf(header("accept")),
          timers: dependencies.timers,
          onDisconnect: (listener) => inbound.onDisconnect(listener),
        },
        cors,
      );
  }
}

function isStatelessNotification(message: Classified): boolean {
  return message.kind === "notification" && message.era === "stateless";
}

/** Reads run side by side; every request gets one answer, in the order of the batch. Progress has no place in it. */
async function respondToBatch(items: readonly Classified[], handling: Handling): Promise<Response> {
  const answers = items.map(async (item) => {
    if (item.kind === "rejected") return { jsonrpc: "2.0", id: item.id, error: item.error };
    if (item.kind !== "call") return null;
    const signal = new AbortController().signal;
    return responseOf(
      item.call.id,
      await answer({ ...methodRequest(item.call, handling), signal: () => signal, progress: () => undefined }),
    );
  });
  const bodies = (await Promise.all(answers)).filter((body) => body !== null);
  if (bodies.length === 0) return new Response(null, { status: 202, headers: handling.cors });
  return new Response(JSON.stringify(bodies), { status: 200, headers: { "content-type": "application/json", ...handling.cors } });
}

function methodRequest(call: MethodRequest["call"], handling: Handling): Omit<MethodRequest, "signal" | "progress"> {
  const { decision, surface, inbound, dependencies } = handling;
  const seen = { requestId: inbound.requestId, client: decision.client.name, era: call.era, revision: call.revision, method: call.method };
  const observe = (tool: string, outcome: string, reason?: string): void =>
    dependencies.observeCall(reason === undefined ? { ...seen, tool, outcome } : { ...seen, tool, outcome, reason });
  return { call, caller: decision, surface, requestId: inbound.requestId, log: dependencies.log, observe };
}

/** Real clients send less than the specification asks for; whoever does not ask for a stream gets JSON. */
function modeOf(accept: string | null): ReplyMode {
  if (accept === null || !/\btext\/event-stream\b/i.test(accept)) return "json";
  return /\bapplication\/json\b|\*\/\*|\bapplication\/\*/i.test(accept) ? "either" : "stream";
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json[ \t]*(?:;|$)/i.test(contentType);
}

function bodyRejected(problem: BodyProblem, limitBytes: number, cors: Readonly<Record<string, string>>): Response {
  if (problem === "too_large")
    return rejected(413, null, rpcError(codes.badRequest, `The body is over the limit of ${limitBytes} bytes.`), cors);
  if (problem === "not_utf8") return rejected(400, null, rpcError(codes.parseError, "The body is not valid UTF-8."), cors);
  return rejected(400, null, rpcError(codes.parseError, "The body ended before it was complete."), cors);
}

function jsonProblem(problem: JsonProblem, depth: number): RpcError {
  if (problem === "too_deep") return rpcError(codes.invalidRequest, `The body is nested deeper than ${depth} levels.`);
  if (problem === "duplicate_key") return rpcError(codes.invalidRequest, "The body holds an object with the same key twice.");
  return rpcError(codes.parseError, "The body is not valid JSON.");
}

function rejected(status: number, id: RequestId | null, error: RpcError, cors: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), { status, headers: { "content-type": "application/json", ...cors } });
}
