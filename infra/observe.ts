/** Where refusals and calls are counted and logged. */
import { type Refusal, statusOf } from "../auth/refusal.ts";
import type { Inbound, ObservedCall } from "../gateway/endpoint.ts";
import type { PrepareLine } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { RefusalLog } from "./refusal-log.ts";

export type Observers = {
  readonly refusal: (refusal: Refusal, inbound: Inbound) => void;
  readonly call: (call: ObservedCall) => void;
};

export function createObservers(prepareLine: PrepareLine, refusals: RefusalLog, metrics: Metrics): Observers {
  // Every call comes through here: what is the same for many calls is made once. The parts come from closed lists and configuration.
  const lines = new Map<string, (requestId: string) => void>();
  const lineOf = ({ client, era, revision, method, tool = method, outcome, reason }: ObservedCall): ((requestId: string) => void) => {
    const add = metrics.counter("postern_tool_calls_total", { client, tool, outcome });
    const write = prepareLine("info", "call", { client, era, revision, method, tool, outcome, reason });
    return (requestId) => {
      add();
      write(requestId);
    };
  };
  return {
    refusal: (refusal, inbound) => {
      const client = refusal.client?.name ?? "none";
      // Behind a proxy every peer is the proxy; who called is what tells one refused caller from another.
      const { host = "", callerAddress = inbound.peerAddress } = refusal;
      metrics.count("postern_refusals_total", { client, reason: refusal.reason });
      refusals.write(`${refusal.reason} ${client} ${host} ${callerAddress}`, {
        request_id: inbound.requestId,
        client,
        host: refusal.host,
        reason: refusal.reason,
        status: statusOf(refusal),
        detail: refusal.detail,
        path: pathOf(inbound.target),
        peer_address: inbound.peerAddress,
        caller_address: refusal.callerAddress,
      });
    },
    call: (call) => {
      const key = `${call.client} ${call.revision} ${call.method} ${call.tool} ${call.outcome} ${call.reason}`;
      let line = lines.get(key);
      if (line === undefined) lines.set(key, (line = lineOf(call)));
      line(call.requestId);
    },
  };
}

/** The path alone: a query may hold a token that somebody put there. */
function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return (end === -1 ? target : target.slice(0, end)).slice(0, 200);
}
