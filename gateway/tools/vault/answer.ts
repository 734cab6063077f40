/** A vault's answer as a tool's output, or the refusal of one that is too large. */
import type { Outcome } from "../../../storage/ports.ts";
import { renderResult, resultBytes, tooLarge } from "../../result.ts";
import type { ToolOutput } from "../../tool.ts";

type Answer = Readonly<Record<string, unknown>> & { readonly commit: string };

/** `way`: how to ask for less, in one sentence. */
export function answer(value: Answer, limitBytes: number, way: string): Outcome<ToolOutput> {
  const output = outputOf(value);
  const bytes = outputBytes(output);
  return bytes <= limitBytes ? { ok: true, value: output } : { ok: false, fault: tooLarge(bytes, limitBytes, way) };
}

export function outputOf(value: Answer): ToolOutput {
  return { kind: "json", value, origin: { kind: "vault", commit: value.commit } };
}

/** Bytes of the whole result, both copies. */
export function outputBytes(output: ToolOutput): number {
  return resultBytes(renderResult(output));
}
