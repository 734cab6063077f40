/** Where refusals and calls are counted and logged. */
import { type Refusal, statusOf } from "../auth/refusal.ts";
import type { Inbound, ObservedCall } from "../gateway/endpoint.ts";
import type { Log } from "../storage/ports.ts";
import type { Metrics } from "./metrics.ts";
import type { RefusalLog } from "./refusal-log.ts";

export type Observers = {
  readonly refusal: (refusal: Refusal, inbound: Inbound) => void;
  readonly call: (call: ObservedCall) => void;
};

export function createObservers(log: Log, refusals: RefusalLog, metrics: Metrics): Observers {
  return {
    refusal: (refusal, inbound) => {
      const client = refusal.client?.name ?? "none";
      metrics.count("postern_refusals_total", { client, reason: refusal.reason });
      refusals.write(`${refusal.reason} ${client} ${inbound.peerAddress}`, {
        request_id: inbound.requestId,
        client,
        reason: refusal.reason,
        status: statusOf(refusal),
        detail: refusal.detail,
        path: pathOf(inbound.target),
        peer_address: inbound.peerAddress,
      });
    },
    call: ({ requestId, client, era, revision, method, tool, outcome }) => {
      metrics.count("postern_tool_calls_total", { client, tool: tool ?? method, outcome });
      log("info", "call", { request_id: requestId, client, era, revision, method, tool, outcome });
    },
  };
}

/** The path alone: a query may hold a token that somebody put there. */
function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return (end === -1 ? target : target.slice(0, end)).slice(0, 200);
}
