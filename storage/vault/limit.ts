/** How many items a page may have. */
import type { Fault } from "../ports.ts";

const minItems = 1;
const maxItems = 20;

export function checkLimit(limit: number): { readonly ok: true } | { readonly ok: false; readonly fault: Fault } {
  if (Number.isInteger(limit) && limit >= minItems && limit <= maxItems) return { ok: true };
  const message = `The limit is a whole number from ${minItems} to ${maxItems}.`;
  return { ok: false, fault: { code: "INVALID_ARGUMENT", message, field: "limit" } };
}
