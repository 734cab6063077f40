/** From an era-neutral call to a tool and back. Checks again at every call what the listing showed. */
import { nameOf, whereOf } from "./fault-site.ts";
import { renderFault, renderResult } from "./result.ts";
import { type Answer, codes, failed } from "./protocol/messages.ts";
import type { MethodRequest } from "./protocol/methods.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";
import type { Fault, Outcome } from "../storage/ports.ts";

/** All tools fit one page, so the only cursor there can be is the empty first one (2025-11-25 server/utilities/pagination). */
export function answerToolList({ call, surface }: MethodRequest): Answer {
  const cursor = call.params["cursor"];
  if (cursor !== undefined && cursor !== "") return failed(codes.invalidParams, "Unknown cursor; start again without one.");
  return { kind: "result", result: { tools: surface.listings } };
}

export function answerToolCall(request: MethodRequest): Answer | Promise<Answer> {
  const { call, surface } = request;
  const { name, arguments: args } = call.params;
  if (typeof name !== "string") return failed(codes.invalidParams, "tools/call needs params.name.");
  const tool = surface.tools.get(name);
  if (tool !== undefined) return runTool(tool, args ?? {}, request);
  const setting = surface.withheld.get(name);
  if (setting === undefined) return failed(codes.invalidParams, "Unknown tool; tools/list names those there are.");
  const fault: Fault = {
    code: "TOOL_DISABLED",
    message: `The tool ${name} exists but the operator withholds it from this app (${setting}).`,
    details: { layer: setting },
  };
  request.observe(name, fault.code);
  return { kind: "result", result: renderFault(fault) };
}

/** A tool that is done at once is answered at once: a promise would cost more than `ping` itself. */
function runTool(tool: Tool, args: unknown, request: MethodRequest): Answer | Promise<Answer> {
  const { caller, call } = request;
  const context: ToolContext = {
    client: caller.client.name,
    subject: caller.identity,
    era: call.era,
    revision: call.revision,
    signal: request.signal,
    progress: request.progress,
  };
  try {
    const outcome = tool.call(args, context);
    if (!(outcome instanceof Promise)) return answerOf(outcome, tool, request);
    return outcome.then((settled) => answerOf(settled, tool, request)).catch((error: unknown) => internalFault(error, tool, request));
  } catch (error) {
    return internalFault(error, tool, request);
  }
}

function answerOf(outcome: Outcome<ToolOutput>, tool: Tool, { surface, observe }: MethodRequest): Answer {
  const result = outcome.ok ? renderResult(outcome.value, surface.responseBytes) : renderFault(outcome.fault);
  if (outcome.ok) observe(tool.name, outcomeOf(result));
  else observe(tool.name, outcome.fault.code, reasonOf(outcome.fault));
  return { kind: "result", result };
}

/** Only of a dependency's failure: there the reason is a word of ours, while other details repeat the caller's data. */
function reasonOf({ code, details }: Fault): string | undefined {
  const reason = details?.["reason"];
  return code === "UPSTREAM_UNAVAILABLE" && typeof reason === "string" ? reason : undefined;
}

/** The name and our own stack say where; the message may hold data and stays out of both log and answer. */
function internalFault(error: unknown, tool: Tool, request: MethodRequest): Answer {
  request.log("error", "tool_failed", {
    request_id: request.requestId,
    client: request.caller.client.name,
    tool: tool.name,
    error: nameOf(error),
    at: whereOf(error),
  });
  request.observe(tool.name, "INTERNAL");
  return {
    kind: "result",
    result: renderFault({ code: "INTERNAL", message: `The tool failed; the log holds it under request ${request.requestId}.` }),
  };
}

function outcomeOf(result: Readonly<Record<string, unknown>>): string {
  const structured = result["structuredContent"];
  if (result["isError"] !== true) return "ok";
  return typeof structured === "object" && structured !== null && "error_code" in structured ? String(structured.error_code) : "error";
}
