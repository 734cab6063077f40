/** The one table of tool errors: what each code means for whoever has to act on it. `docs/errors.md` is generated from it. */
import type { ErrorCode } from "../storage/ports.ts";

export type ErrorFacts = {
  /** Whether the same call, unchanged, may succeed later. */
  readonly retryable: boolean;
  /** What to do about it, in one sentence for a model or a person. */
  readonly advice: string;
};

export const errors: Readonly<Record<ErrorCode, ErrorFacts>> = {
  INVALID_ARGUMENT: { retryable: false, advice: "Correct the named argument and call again." },
  NOT_FOUND: { retryable: false, advice: "List or search for the right name; the details name what is missing." },
  PATH_NOT_ALLOWED: { retryable: false, advice: "Use a path that a listing returned." },
  COMMIT_UNAVAILABLE: { retryable: false, advice: "Leave `commit` out to read the newest state, or use one that an answer named." },
  INVALID_CURSOR: { retryable: false, advice: "Start again without a cursor; a cursor belongs to one query at one commit." },
  RESPONSE_TOO_LARGE: { retryable: false, advice: "Ask for less: fewer paths, a smaller page, or a byte range of one note." },
  UPSTREAM_UNAVAILABLE: { retryable: true, advice: "Try again shortly; if it stays, the operator must look at the vault." },
  LOCKED: { retryable: true, advice: "Wait as long as the details say, then read again and repeat." },
  CONFLICT: { retryable: false, advice: "Read the current state and decide anew." },
  NOT_UNIQUE: { retryable: false, advice: "Give more of the surrounding text, or ask for all occurrences." },
  HOOK_BLOCKED: { retryable: false, advice: "Nothing was written. Change what the hook objects to." },
  HOOK_REPORTED: { retryable: false, advice: "It was written. Fix what the hook reports with a further edit; do not repeat this one." },
  CONFIRM_REQUIRED: { retryable: false, advice: "Tell the person what will change and call again with the token." },
  TOOL_DISABLED: { retryable: false, advice: "The operator withholds this tool from this app; the details name the setting." },
  APPROVAL_PENDING: { retryable: true, advice: "The operator has been asked; call again after the answer." },
  RATE_LIMITED: { retryable: true, advice: "Wait as long as the details say." },
  NO_PROJECT: { retryable: false, advice: "Choose a project first." },
  PROJECT_CHANGED: { retryable: false, advice: "Check which project is chosen and repeat if it is the right one." },
  SESSION_CHANGED: { retryable: false, advice: "Open a new session." },
  QUERY_SYNTAX: { retryable: false, advice: "Correct the query at the position named." },
  SCOPE_BLOCKED: { retryable: false, advice: "The target is outside the scope the operator set." },
  BUDGET_EXHAUSTED: { retryable: false, advice: "Ask the operator to raise the budget." },
  PROJECT_BUSY: { retryable: true, advice: "Try again when the running job has ended." },
  FTS_BACKLOG: { retryable: true, advice: "Try again shortly; the text index is catching up." },
  NETWORK_ERROR: { retryable: true, advice: "Check the target and try again." },
  PROTOCOL_ERROR: { retryable: false, advice: "The target does not speak the expected protocol." },
  REQUEST_TRUNCATED: { retryable: false, advice: "The stored request is incomplete and cannot be sent again." },
  NOT_CONFIRMED: { retryable: false, advice: "Repeat with the token from the preview." },
  NOTHING_TO_SEND: { retryable: false, advice: "Select something to send." },
  REFUSED: { retryable: false, advice: "The operator said no." },
  STORE_ERROR: { retryable: true, advice: "The disk or database could not take it; the operator must look." },
  INTERNAL: { retryable: true, advice: "A fault in Postern; the log holds it under the request id." },
};
