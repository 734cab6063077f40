import { BlockList, isIP, isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAddress, inRanges, parseAddress, parseRanges } from "../../auth/egress.ts";
import { ranges } from "./scene.ts";

const admits = (texts: readonly string[], address: string): boolean | "unreadable" => {
  const parsed = parseAddress(address);
  return parsed === null ? "unreadable" : inRanges(ranges(...texts), parsed);
};

describe("an address", () => {
  it.each([
    "160.79.104.1",
    "::ffff:160.79.104.1",
    "::FFFF:160.79.104.1",
    "::ffff:a04f:6801",
    "0:0:0:0:0:ffff:160.79.104.1",
    "0000:0000:0000:0000:0000:ffff:a04f:6801",
  ])("%s is 160.79.104.1", (text) => expect(formatAddress(parseAddress(text) ?? new Uint8Array(16))).toBe("160.79.104.1"));

  it.each([
    "",
    " ",
    "160.79.104",
    "160.79.104.01",
    "160.79.104.256",
    "160.79.104.1.",
    ".160.79.104.1",
    "2689558529",
    "0xa0.79.104.1",
    "0240.79.104.1",
    "160.79.104.1 ",
    " 160.79.104.1",
    "160.79.104.1:443",
    "160.79.104.1, 160.79.104.2",
    "160.79.104.1/32",
    "١٦٠.79.104.1",
    "localhost",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::1%eth0",
    "fe80::1%1",
    "::ffff:160.79.104.1%0",
    "[::1]",
    "g::1",
    "12345::1",
    "1:2:3:4:5:6:7::8",
    "::1.2.3",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "::ffff:160.79.104.01",
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeNull();
    if (!text.includes("%")) expect(isIP(text)).toBe(0);
  });

  it("is never confused by forms that only embed an IPv4 address", () => {
    // NAT64, 6to4 and IPv4-compatible addresses are routed elsewhere than the IPv4 address in them.
    for (const text of ["64:ff9b::160.79.104.1", "2002:a04f:6801::", "::160.79.104.1"])
      expect(admits(["160.79.104.0/21"], text)).toBe(false);
  });

  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.tuple(fc.constantFrom("::ffff:", "::", "0:0:0:0:0:ffff:", "::FFFF:", "64:ff9b::"), fc.ipV4()).map((parts) => parts.join("")),
    fc
      .array(fc.constantFrom("0", "1", "f", "ffff", "01", "255", "256", ".", ":", "::", "%", "e", "/", " ", "1.2.3.4"), { maxLength: 20 })
      .map((parts) => parts.join("")),
    fc.string({ maxLength: 50 }),
  );
  it("is read exactly when Node's own reader takes it, zone ids aside", () => {
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseAddress(candidate) !== null).toBe(isIP(candidate) !== 0 && !candidate.includes("%"));
      }),
      { numRuns: 20_000 },
    );
  });
  it("comes back from its one spelling", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(parseAddress(formatAddress(bytes))).toEqual(bytes);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a range", () => {
  it.each([
    ["160.79.104.0/", "whole number"],
    ["160.79.104.0/33", "at most 32"],
    ["160.79.104.0/129", "at most 32"],
    ["160.79.104.0/ 21", "whole number"],
    ["160.79.104.0/021", "whole number"],
    ["160.79.104.0/+21", "whole number"],
    ["160.79.104.0/-1", "whole number"],
    ["160.79.104.0/1e1", "whole number"],
    ["160.79.104.0/255.255.248.0", "whole number"],
    ["160.79.104.0/21/21", "not an IP address"],
    [" 160.79.104.0/21", "not an IP address"],
    ["160.79.104.0 /21", "not an IP address"],
    ["10/8", "not an IP address"],
    ["10.0.0/8", "not an IP address"],
    ["/21", "not an IP address"],
    ["", "not an IP address"],
    ["any", "not an IP address"],
    ["mcp.example.com", "not an IP address"],
    ["fe80::%eth0/10", "not an IP address"],
    ["2001:db8::/129", "at most 128"],
    ["160.79.104.1/21", "bits set beyond /21"],
    ["2001:db8::1/32", "bits set beyond /32"],
    ["::ffff:160.79.104.1/117", "bits set beyond /117"],
    ["0.0.0.0/0", "every address"],
    ["::/0", "every address"],
    ["160.79.104.0/0", "every address"],
    ["::ffff:0.0.0.0/96", "every address"],
    ["::ffff:0:0/95", "mixes"],
  ])("%j is refused", (text, message) => {
    expect(parseRanges(["192.0.2.1", text])).toEqual({ ok: false, index: 1, message: expect.stringContaining(message) });
  });

  it("may be a bare address, and then holds only that", () => {
    expect(["192.0.2.1", "192.0.2.2", "192.0.2.0"].map((address) => admits(["192.0.2.1"], address))).toEqual([true, false, false]);
    expect(["2001:db8::1", "2001:db8::2"].map((address) => admits(["2001:db8::1"], address))).toEqual([true, false]);
  });

  it("holds its first and last address and no neighbour", () => {
    expect(
      ["160.79.103.255", "160.79.104.0", "160.79.111.255", "160.79.112.0", "::ffff:160.79.112.1"].map((address) =>
        admits(["160.79.104.0/21"], address),
      ),
    ).toEqual([false, true, true, false, false]);
  });

  it("of IPv4 may be written in mapped form", () => {
    expect(admits(["::ffff:160.79.104.0/117"], "160.79.104.9")).toBe(true);
    expect(admits(["::ffff:160.79.104.0/117"], "160.79.112.9")).toBe(false);
  });

  it("of IPv6 holds no IPv4 address, however wide it is", () => {
    expect(admits(["::/1"], "160.79.104.9")).toBe(false);
    expect(admits(["::/80"], "::ffff:160.79.104.9")).toBe(false);
    expect(admits(["::/80"], "::1")).toBe(true);
  });

  it("holds nobody when there is none", () => expect(admits([], "192.0.2.1")).toBe(false));

  const cidr = fc.oneof(
    fc.tuple(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.integer({ min: 1, max: 32 })),
    fc.tuple(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.integer({ min: 1, max: 128 })),
  );
  it("holds exactly what Node's BlockList of the same family holds", () => {
    fc.assert(
      fc.property(
        fc.array(cidr, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(127), { maxLength: 3 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (cidrs, flips, other) => {
          const networks = cidrs.map(([bytes, bits]) => ({ bytes: networkOf(bytes, bits), bits }));
          const texts = networks.map(({ bytes, bits }) => `${spell(bytes)}/${bits}`);
          const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
          for (const { bytes, bits } of networks) {
            const family = bytes.length === 4 ? "ipv4" : "ipv6";
            lists[family].addSubnet(spell(bytes), bits, family);
          }
          const near = networks.map(({ bytes }) => spell(flipped(bytes, flips)));
          for (const candidate of [...near, spell(other), spell(other.slice(0, 4))]) {
            const family = isIPv4(candidate) ? "ipv4" : "ipv6";
            expect([texts, candidate, admits(texts, candidate)]).toEqual([texts, candidate, lists[family].check(candidate, family)]);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

function networkOf(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((byte, at) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - at * 8)))));
}

function flipped(bytes: Uint8Array, bits: readonly number[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const bit of bits) {
    const at = (bit >> 3) % copy.length;
    copy[at] = (copy[at] ?? 0) ^ (0x80 >> (bit & 7));
  }
  return copy;
}

function spell(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, at) => (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16)).join(":");
}
