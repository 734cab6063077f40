/** Runs one classified call through the method table of its era. Nothing above this file asks which era it was. */
import { handshakeMethods } from "./handshake.ts";
import { type Answer, codes, failed } from "./messages.ts";
import type { MethodRequest } from "./methods.ts";
import type { Era } from "./revisions.ts";
import { statelessMethods } from "./stateless.ts";

const tables = { handshake: handshakeMethods, stateless: statelessMethods } as const;
/** 2026-07-28 demands 404 for an unknown method; the handshake era answers in band. */
const unknownMethodStatus: Readonly<Record<Era, number>> = { handshake: 200, stateless: 404 };

export function answer(request: MethodRequest): Answer | Promise<Answer> {
  const { era, method, revision } = request.call;
  const table = tables[era];
  const run = Object.hasOwn(table, method) ? table[method] : undefined;
  if (run === undefined)
    return failed(codes.methodNotFound, `Revision ${revision} has no such method here.`, undefined, unknownMethodStatus[era]);
  return run(request);
}
