import { describe, expect, it } from "vitest";
import { isLocalRequest, isLoopbackOrigin, whyNotLocal, type Reach } from "../../../auth/embedded/reachability.ts";

const local: Reach = {
  listenerIsLoopback: true,
  host: "127.0.0.1:8787",
  headerNames: ["Host", "Accept", "Origin"],
  peerAddress: "127.0.0.1",
};

describe("a request to the built-in authorization server", () => {
  it.each(["127.0.0.1", "127.0.0.1:8787", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8787"])("is local under Host %s", (host) => {
    expect(isLocalRequest({ ...local, host })).toBe(true);
  });

  it.each([
    undefined,
    "",
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "127.0.0.1@evil.example",
    "127.0.0.2",
    "2130706433",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "::1",
    "localhost:",
    "localhost:123456",
    "localhost, evil.example",
    " localhost",
    "localhost.",
  ])("is not local under Host %s", (host) => {
    expect(whyNotLocal({ ...local, host })).toBe("host");
  });

  it.each([
    "cf-connecting-ip",
    "CF-Ray",
    "cf-anything-new",
    "Forwarded",
    "x-forwarded-for",
    "X-Forwarded-Host",
    "x-forwarded-proto",
    "x-forwarded",
    "X-Real-IP",
    "Via",
  ])("is not local with a %s header, whatever it says", (name) => {
    expect(whyNotLocal({ ...local, headerNames: [...local.headerNames, name] })).toBe("forwarded");
  });

  it("is not local when the listener is open to the network, nor from a foreign peer", () => {
    expect(whyNotLocal({ ...local, listenerIsLoopback: false })).toBe("listener");
    for (const peerAddress of ["192.0.2.7", "::ffff:192.0.2.7", "fe80::1", "", "1127.0.0.1", "127.0.0.1.evil"])
      expect(whyNotLocal({ ...local, peerAddress })).toBe("peer");
    for (const peerAddress of ["127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1"])
      expect(whyNotLocal({ ...local, peerAddress })).toBeNull();
  });

  it("knows the browser origins of this machine", () => {
    for (const origin of ["http://localhost:6274", "http://127.0.0.1:1", "http://[::1]:80", "https://localhost"])
      expect(isLoopbackOrigin(origin)).toBe(true);
    for (const origin of [
      "null",
      "",
      "https://evil.example",
      "http://localhost.evil.example",
      "http://localhost:6274/x",
      "http://user@localhost",
      "file://",
      "http://127.0.0.1.evil",
    ]) {
      expect([origin, isLoopbackOrigin(origin)]).toEqual([origin, false]);
    }
  });
});
