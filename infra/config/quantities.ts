/** Sizes and durations as people write them, parsed once into bytes and milliseconds. */
import * as z from "zod";

const sizeUnits: Readonly<Record<string, number>> = { "": 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const sizePattern = /^(\d{1,9})(B|KiB|MiB|GiB)?$/;
const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/;

function parse(pattern: RegExp, units: Readonly<Record<string, number>>, text: string): number {
  const [, digits = "0", unit = ""] = pattern.exec(text) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}

/** A size such as `1MiB`, `64KiB` or plain bytes. */
export function size({ atLeast, atMost }: { readonly atLeast: number; readonly atMost: number }) {
  const error = `must be a size such as 64KiB or 1MiB, from ${atLeast} to ${atMost} bytes`;
  return z
    .union([z.int(), z.string()], { error })
    .refine((value) => sizePattern.test(String(value)), { error })
    .transform((value) => parse(sizePattern, sizeUnits, String(value)))
    .refine((bytes) => bytes >= atLeast && bytes <= atMost, { error });
}

/** A duration such as `500ms`, `30s` or `24h`. */
export function duration({ atLeastMs, atMostMs }: { readonly atLeastMs: number; readonly atMostMs: number }) {
  const error = `must be a duration such as 30s or 24h, from ${atLeastMs} to ${atMostMs} milliseconds`;
  return z
    .string({ error })
    .regex(durationPattern, { error })
    .transform((text) => parse(durationPattern, durationUnits, text))
    .refine((ms) => ms >= atLeastMs && ms <= atMostMs, { error });
}
