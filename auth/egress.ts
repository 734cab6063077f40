/**
 * Where a client's cloud calls from. Addresses become 16 bytes once; a check compares prefixes. Only what an address
 * literal means everywhere is read: no octal, no short forms, no zone ids, so that no two readers can disagree.
 */

/** 16 bytes; an IPv4 address is its mapped form `::ffff:a.b.c.d`. */
export type Address = Uint8Array;

export type Range = {
  readonly address: Address;
  /** Leading bits of the 16 bytes that must agree, 1..128. */
  readonly bits: number;
  /** An IPv6 range never admits an IPv4 address, however wide it is. */
  readonly isIpv4: boolean;
};
export type Ranges = readonly Range[];

export type ParsedRanges = { readonly ok: true; readonly value: Ranges } | { readonly ok: false; readonly index: number; readonly problem: RangeProblem };
export type RangeProblem = "not_an_address" | "bad_prefix" | "host_bits" | "everything";

/** Sentences for whoever wrote the range. */
export const rangeProblems: Readonly<Record<RangeProblem, string>> = {
  not_an_address: "is not an IPv4 or IPv6 address with an optional /prefix",
  bad_prefix: "has a prefix length that is not a whole number in range",
  host_bits: "has bits set behind its prefix; write the network address",
  everything: "means every address; write `any` if that is meant",
};

const octet = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/;
const group = /^[0-9a-fA-F]{1,4}$/;
const prefixLength = /^(?:0|[1-9]\d{0,2})$/;
const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Null for anything but one plain address literal (RFC 4291 section 2.2, RFC 791). Zone ids are not addresses. */
export function parseAddress(text: string): Address | null {
  if (text.length > 45) return null;
  const bytes = text.includes(":") ? ipv6(text) : ipv4(text);
  return bytes === null ? null : Uint8Array.from(bytes);
}

/** Parses CIDR ranges; a bare address is a range of one. The first problem is reported with its place in `texts`. */
export function parseRanges(texts: readonly string[]): ParsedRanges {
  const value: Range[] = [];
  for (const [index, text] of texts.entries()) {
    const range = parseRange(text);
    if (typeof range === "string") return { ok: false, index, problem: range };
    value.push(range);
  }
  return { ok: true, value };
}

function parseRange(text: string): Range | RangeProblem {
  const slash = text.indexOf("/");
  const literal = slash === -1 ? text : text.slice(0, slash);
  const address = parseAddress(literal);
  if (address === null) return "not_an_address";
  const width = literal.includes(":") ? 128 : 32;
  const written = slash === -1 ? String(width) : text.slice(slash + 1);
  if (!prefixLength.test(written) || Number(written) > width) return "bad_prefix";
  const bits = Number(written) + (128 - width);
  const isIpv4 = isMapped(address) && bits >= 96;
  if (Number(written) === 0 || (isIpv4 && bits === 96)) return "everything";
  return hasBitsBehind(address, bits) ? "host_bits" : { address, bits, isIpv4 };
}

export function inRanges(ranges: Ranges, address: Address): boolean {
  const isIpv4 = isMapped(address);
  return ranges.some((range) => range.isIpv4 === isIpv4 && agree(range.address, address, range.bits));
}

function isMapped(address: Address): boolean {
  return mappedPrefix.every((byte, at) => address[at] === byte);
}

function agree(left: Address, right: Address, bits: number): boolean {
  const whole = bits >> 3;
  for (let at = 0; at < whole; at += 1) if (left[at] !== right[at]) return false;
  const rest = bits & 7;
  if (rest === 0) return true;
  const mask = 0xff << (8 - rest);
  return ((left[whole] ?? 0) & mask) === ((right[whole] ?? 0) & mask);
}

function hasBitsBehind(address: Address, bits: number): boolean {
  return address.some((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8));
    return (byte & (0xff >> kept)) !== 0;
  });
}

function ipv4(text: string): number[] | null {
  const octets = octetsOf(text);
  return octets === null ? null : [...mappedPrefix, ...octets];
}

function octetsOf(text: string): number[] | null {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => octet.test(part)) ? parts.map(Number) : null;
}

function ipv6(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const head = groupsOf(halves[0] ?? "", halves.length === 1);
  const tail = halves[1] === undefined ? [] : groupsOf(halves[1], true);
  if (head === null || tail === null) return null;
  if (halves.length === 1) return head.length === 16 ? head : null;
  const missing = 16 - head.length - tail.length;
  return missing >= 2 ? [...head, ...Array.from({ length: missing }, () => 0), ...tail] : null;
}

/** Bytes of colon-separated groups; the last one may be dotted if `dotted`. An empty text has none. */
function groupsOf(text: string, dotted: boolean): number[] | null {
  if (text === "") return [];
  const bytes: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (dotted && index === parts.length - 1 && part.includes(".")) {
      const octets = octetsOf(part);
      if (octets === null) return null;
      bytes.push(...octets);
    } else if (group.test(part)) {
      const value = Number.parseInt(part, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return null;
    }
  }
  return bytes;
}
