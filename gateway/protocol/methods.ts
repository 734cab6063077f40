/** What a method of either era is given, and what it returns. */
import type { Admission } from "../../auth/gate.ts";
import type { Log } from "../../storage/ports.ts";
import type { Progress } from "../tool.ts";
import type { Surface } from "../toolset.ts";
import type { Answer, Call } from "./messages.ts";

export type MethodRequest = {
  readonly call: Call;
  readonly caller: Admission;
  /** What this client sees: tools, instructions, server name. */
  readonly surface: Surface;
  readonly requestId: string;
  readonly log: Log;
  /** Aborted when the call is cancelled. A function, so that calls which never look pay nothing for it. */
  readonly signal: () => AbortSignal;
  readonly progress: (step: Progress) => void;
  /** Counts and logs one tool call. `reason`: why a dependency failed it, from a closed list. */
  readonly observe: (tool: string, outcome: string, reason?: string) => void;
};

export type Method = (request: MethodRequest) => Answer | Promise<Answer>;
export type Methods = Readonly<Record<string, Method>>;
