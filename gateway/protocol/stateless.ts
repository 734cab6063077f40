/**
 * The methods of the stateless era (2026-07-28): no handshake, no session, every result marked with `resultType`, lists
 * with how long and for whom they may be cached (server/utilities/caching).
 */
import { answerToolCall, answerToolList } from "../dispatch.ts";
import type { Answer } from "./messages.ts";
import type { Method, MethodRequest, Methods } from "./methods.ts";
import { allRevisions } from "./revisions.ts";

/** Lists depend on who asks, so no shared cache may keep them; 5 s is how late a changed toolset may be noticed. */
const cacheHints = { ttlMs: 5000, cacheScope: "private" } as const;

const discover: Method = ({ surface }) => ({
  kind: "result",
  result: { supportedVersions: allRevisions, capabilities: surface.capabilities, instructions: surface.instructions, ...cacheHints },
});

export const statelessMethods: Methods = {
  "server/discover": complete(discover),
  "tools/list": complete((request) => withHints(answerToolList(request))),
  "tools/call": complete(answerToolCall),
};

function withHints(answer: Answer): Answer {
  return answer.kind === "result" ? { kind: "result", result: { ...answer.result, ...cacheHints } } : answer;
}

/** Marks a result as complete and says who answered (2026-07-28 basic, `_meta`). */
function complete(method: Method): Method {
  const finish = (answer: Answer, { surface }: MethodRequest): Answer => {
    if (answer.kind === "error") return answer;
    return {
      kind: "result",
      result: { resultType: "complete", ...answer.result, _meta: { "io.modelcontextprotocol/serverInfo": surface.serverInfo } },
    };
  };
  return (request) => {
    const answer = method(request);
    return answer instanceof Promise ? answer.then((settled) => finish(settled, request)) : finish(answer, request);
  };
}
