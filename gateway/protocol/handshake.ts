/**
 * The methods of the handshake era (2024-11-05 … 2025-11-25). A method a revision does not have is absent here, so that
 * "method not found" falls out by itself. Every POST stands alone: no session is kept.
 */
import { answerToolCall, answerToolList } from "../dispatch.ts";
import { failed, codes } from "./messages.ts";
import type { Methods } from "./methods.ts";

export const handshakeMethods: Methods = {
  // The revision was settled by the classifier: `call.revision` is what this connection will speak.
  initialize: ({ call, surface }) => {
    if (typeof call.params["protocolVersion"] !== "string") {
      return failed(codes.invalidParams, "initialize needs params.protocolVersion, a dated revision such as 2025-11-25.");
    }
    const result = {
      protocolVersion: call.revision,
      capabilities: surface.capabilities,
      serverInfo: surface.serverInfo,
      instructions: surface.instructions,
    };
    return { kind: "result", result };
  },
  ping: () => ({ kind: "result", result: {} }),
  "tools/list": (request) => answerToolList(request),
  "tools/call": (request) => answerToolCall(request),
};
