/**
 * IP addresses and the ranges a client's cloud calls from. Own code and not a library: an allow-list must read text one way
 * only (no octal, no short forms), and it has to run on Workers as well.
 */

/** 16 bytes. An IPv4 address stands in its mapped form (`::ffff:a.b.c.d`), so all spellings of it are equal. */
export type Address = Uint8Array;

/** A parsed list of CIDR ranges. */
export type Ranges = {
  /** As written in the configuration; for logs. */
  readonly texts: readonly string[];
  readonly prefixes: readonly Prefix[];
};
/** `bits` counts from the first of the 16 bytes: an IPv4 `/21` has 117. */
type Prefix = { readonly bytes: Address; readonly bits: number; readonly isIpv4: boolean };

export type RangesOutcome =
  | { readonly ok: true; readonly value: Ranges }
  /** `index` of the text at fault; `message` is a sentence without the text itself. */
  | { readonly ok: false; readonly index: number; readonly message: string };

/** Bits before an IPv4 address in its mapped form. */
const mappedBits = 96;

/**
 * CIDR texts such as `160.79.104.0/21` or `2001:db8::/32`; a bare address is a range of one. Refused: anything else (also
 * blanks, zone ids, short forms), bits set beyond the prefix, and a range that holds every address: that needs the word
 * `any`, which the configuration reads. No texts make a list that nobody is in.
 */
export function parseRanges(texts: readonly string[]): RangesOutcome {
  const prefixes: Prefix[] = [];
  for (const [index, text] of texts.entries()) {
    const prefix = parsePrefix(text);
    if (typeof prefix === "string") return { ok: false, index, message: prefix };
    prefixes.push(prefix);
  }
  return { ok: true, value: { texts: [...texts], prefixes } };
}

/** A sentence instead of a prefix says what is wrong. */
function parsePrefix(text: string): Prefix | string {
  const [addressText = "", bitsText, more] = text.split("/");
  const bytes = parseAddress(addressText);
  if (bytes === null || more !== undefined) return "This is not an IP address or CIDR range such as 192.0.2.0/24.";
  const isIpv4 = isMapped(bytes);
  // `::ffff:192.0.2.0/120` is written as IPv6 and counts as IPv6 does.
  const offset = isIpv4 && !addressText.includes(":") ? mappedBits : 0;
  if (bitsText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(bitsText)) return "The prefix length must be a whole number.";
  const bits = bitsText === undefined ? 128 : offset + Number(bitsText);
  if (bits > 128) return `The prefix length must be at most ${128 - offset}.`;
  if (bits === offset || (isIpv4 && bits === mappedBits)) return "This range holds every address; write `any` if that is meant.";
  if (isIpv4 && bits < mappedBits) return "This range mixes IPv4 and IPv6 addresses; write two.";
  if (hasBitsBeyond(bytes, bits)) return `The address has bits set beyond /${bits - offset}; write the first address of the range.`;
  return { bytes, bits, isIpv4 };
}

/** Whether one of the ranges holds the address. IPv6 ranges never hold IPv4 addresses, whatever their spelling. */
export function inRanges({ prefixes }: Ranges, address: Address): boolean {
  const isIpv4 = isMapped(address);
  for (const prefix of prefixes) if (prefix.isIpv4 === isIpv4 && holds(prefix, address)) return true;
  return false;
}

function holds({ bytes, bits, isIpv4 }: Prefix, address: Address): boolean {
  const whole = bits >> 3;
  for (let at = isIpv4 ? 12 : 0; at < whole; at++) if (bytes[at] !== address[at]) return false;
  const rest = bits & 7;
  return rest === 0 || ((bytes[whole] ?? 0) ^ (address[whole] ?? 0)) >> (8 - rest) === 0;
}

function hasBitsBeyond(bytes: Address, bits: number): boolean {
  return bytes.some((byte, at) => (byte & (0xff >> Math.min(8, Math.max(0, bits - at * 8)))) !== 0);
}

function isMapped(bytes: Address): boolean {
  for (let at = 0; at < 10; at++) if (bytes[at] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

/** Reads exactly what Node's `net.isIP` accepts, less zone ids (`fe80::1%eth0`). `null` = not an address. */
export function parseAddress(text: string): Address | null {
  if (!text.includes(":")) {
    const quad = parseQuad(text);
    return quad === null ? null : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...quad]);
  }
  // The longest spelling is eight groups with a dotted end: 45 characters.
  if (text.length > 45) return null;
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return null;
  const front = parseGroups(head, tail === undefined);
  const back = tail === undefined ? [] : parseGroups(tail, true);
  if (front === null || back === null) return null;
  const missing = 16 - front.length - back.length;
  // "::" stands for at least one group.
  if (tail === undefined ? missing !== 0 : missing < 2) return null;
  const bytes = new Uint8Array(16);
  bytes.set(front);
  bytes.set(back, 16 - back.length);
  return bytes;
}

/** Bytes of groups such as `2001:db8`; a dotted IPv4 address may end them where `mayEndInQuad`. */
function parseGroups(text: string, mayEndInQuad: boolean): readonly number[] | null {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const quad = mayEndInQuad && at === groups.length - 1 ? parseQuad(group) : null;
    if (quad === null) return null;
    bytes.push(...quad);
  }
  return bytes;
}

const quadPattern = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Four decimal numbers without leading zeros, which some readers take for octal. */
function parseQuad(text: string): readonly number[] | null {
  const match = quadPattern.exec(text);
  if (match === null) return null;
  const bytes: number[] = [];
  for (let at = 1; at <= 4; at++) {
    const part = match[at] ?? "";
    const value = Number(part);
    if (value > 255 || (part.length > 1 && part.startsWith("0"))) return null;
    bytes.push(value);
  }
  return bytes;
}

/** An address and its one spelling. */
export type KnownAddress = { readonly address: Address; readonly text: string };

/** Calls come in runs from few peers; what they have in common is read once. */
const rememberedAddresses = 256;

/** `parseAddress` and `formatAddress` with a memory of bounded size. */
export function createAddressReader(): (text: string) => KnownAddress | null {
  const known = new Map<string, KnownAddress | null>();
  return (text) => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    const address = parseAddress(text);
    const read = address === null ? null : { address, text: formatAddress(address) };
    if (known.size >= rememberedAddresses) known.clear();
    // A long text is no address and not worth keeping.
    if (text.length <= 64) known.set(text, read);
    return read;
  };
}

/** One spelling of each address, for logs and as a key: dotted for IPv4, eight groups for IPv6. */
export function formatAddress(address: Address): string {
  if (isMapped(address)) return address.slice(12).join(".");
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) groups.push((((address[at] ?? 0) << 8) | (address[at + 1] ?? 0)).toString(16));
  return groups.join(":");
}
