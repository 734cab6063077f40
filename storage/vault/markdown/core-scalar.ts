/** Plain scalars of the YAML 1.2 core schema (yaml.org/spec/1.2.2, 10.3.2): no dates, no base 60, no yes and no. */
import type { Scalar } from "../../ports.ts";

const nullWord = /^(?:~|null|Null|NULL)?$/;
const trueWord = /^(?:true|True|TRUE)$/;
const falseWord = /^(?:false|False|FALSE)$/;
const decimal = /^[-+]?[0-9]+$/;
const octal = /^0o[0-7]+$/;
const hexadecimal = /^0x[0-9a-fA-F]+$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Numbers that JSON cannot carry exactly (too long, infinite, not a number) stay the text they were written as. */
export function coreScalar(source: string): Scalar {
  if (nullWord.test(source)) return null;
  if (trueWord.test(source)) return true;
  if (falseWord.test(source)) return false;
  if (decimal.test(source)) return safeInteger(Number(source), source);
  if (octal.test(source)) return safeInteger(Number.parseInt(source.slice(2), 8), source);
  if (hexadecimal.test(source)) return safeInteger(Number.parseInt(source.slice(2), 16), source);
  if (!float.test(source)) return source;
  const value = Number.parseFloat(source);
  return Number.isFinite(value) ? value : source;
}

function safeInteger(value: number, source: string): Scalar {
  return Number.isSafeInteger(value) ? value : source;
}
