import { importJWK, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { Client } from "../../auth/client.ts";
import { createKeys } from "../../auth/keys.ts";
import { verifyToken } from "../../auth/token.ts";
import { verifies } from "../requirements.ts";
import { clients, goodClaims, newSigner, signerOf, startMs, startSeconds, tokenFor, unsigned } from "./scene.ts";
import { judge, judged } from "./verdict.ts";

describe.each(clients.map((client) => [client.issuer.kind, client] as const))("a token for a client of %s", (kind, client) => {
  it("is good as its issuer makes it", async () => expect(await judged(client)).toBe("good"));

  it.each([
    ["expires in a moment", { exp: startSeconds + 1 }, "good"],
    ["expired 10 s ago", { exp: startSeconds - 10 }, "good"],
    ["expired 29 s ago", { exp: startSeconds - 29 }, "good"],
    ["expired 30 s ago", { exp: startSeconds - 30 }, "token_expired"],
    ["expired 45 s ago", { exp: startSeconds - 45 }, "token_expired"],
    ["expired an hour ago", { exp: startSeconds - 3600 }, "token_expired"],
    ["has no expiry", { exp: undefined }, "token_claims"],
    ["has an expiry of null", { exp: null }, "token_claims"],
    ["has an expiry in words", { exp: String(startSeconds + 600) }, "token_claims"],
    ["is valid from 20 s ahead", { nbf: startSeconds + 20 }, "good"],
    ["is valid from 30 s ahead", { nbf: startSeconds + 30 }, "good"],
    ["is valid from 31 s ahead", { nbf: startSeconds + 31 }, "token_not_yet_valid"],
    ["is valid from 45 s ahead", { nbf: startSeconds + 45 }, "token_not_yet_valid"],
    ["is valid from a time in words", { nbf: "now" }, "token_claims"],
    ["was issued 20 s ahead", { iat: startSeconds + 20 }, "good"],
    ["was issued 30 s ahead", { iat: startSeconds + 30 }, "good"],
    ["was issued 31 s ahead", { iat: startSeconds + 31 }, "token_not_yet_valid"],
    ["was issued an hour ahead", { iat: startSeconds + 3600 }, "token_not_yet_valid"],
    ["was issued long ago", { iat: startSeconds - 86_400 }, "good"],
    ["says not when it was issued", { iat: undefined }, "token_claims"],
    ["was issued at a time in words", { iat: "now" }, "token_claims"],
  ])(`${verifies("oauth.expiry")}: that %s is judged so`, async (_what, claims, verdict) =>
    expect(await judged(client, { claims })).toBe(verdict),
  );

  it.each([
    ["another client's", "https://other.example/mcp"],
    ["in another case", () => audienceOf(client).toUpperCase()],
    ["a longer one", () => `${audienceOf(client)}x`],
    ["with a slash after its path", () => `${audienceOf(client)}/`],
    ["empty", ""],
    ["an empty list", []],
    ["null", null],
    ["a list in a list", () => [[audienceOf(client)]]],
    ["an object", () => ({ [audienceOf(client)]: true })],
    ["a list of others", ["https://other.example/mcp", ""]],
  ])(`${verifies("oauth.audience")}: whose audience is %s is refused`, async (_what, aud) => {
    expect(await judged(client, { claims: { aud: typeof aud === "function" ? aud() : aud } })).toBe("token_audience");
  });
  it(`${verifies("oauth.audience")}: without an audience is refused`, async () =>
    expect(await judged(client, { claims: { aud: undefined } })).toBe("token_audience"));
  it("may be for others as well", async () =>
    expect(await judged(client, { claims: { aud: ["https://other.example", audienceOf(client)] } })).toBe("good"));
  it("is refused for an audience that is cleared, whatever it says", async () => {
    for (const audience of [
      { kind: "revoked", why: "its audience is empty" },
      { kind: "aud", value: "" },
      { kind: "aud", value: " \t" },
    ] as const) {
      for (const aud of [audienceOf(client), "", undefined, " \t"])
        expect(await judge({ ...client, audience }, await tokenFor(client, { claims: { aud } }))).toBe("revoked");
    }
  });
  it("is refused for an audience that is cleared before keys are fetched", async () => {
    let loads = 0;
    const keys = createKeys({
      load: async () => {
        loads += 1;
        return { ok: true, keys: [signerOf(client.issuer).jwk] };
      },
      now: () => startMs,
      random: () => 0,
    });
    expect(
      await verifyToken(await tokenFor(client), { ...client, audience: { kind: "revoked", why: "its audience is empty" } }, keys, startMs),
    ).toEqual({
      ok: false,
      reason: "revoked",
    });
    expect(loads).toBe(0);
  });

  it.each([
    ["another issuer", "https://other.example"],
    ["a trailing slash", `${client.issuer.issuer}/`],
    ["another case", client.issuer.issuer.toUpperCase()],
    ["a list", [client.issuer.issuer]],
    ["nothing", undefined],
    ["an empty issuer", ""],
  ])("that names %s is refused", async (_what, iss) => expect(await judged(client, { claims: { iss } })).toBe("token_issuer"));

  it(`${verifies("oauth.algorithms")}: is refused without a signature, or with one made from a shared secret`, async () => {
    const { kid, jwk } = signerOf(client.issuer);
    for (const alg of ["none", "None", "NONE", "nOnE", ""])
      expect(await judge(client, unsigned({ alg, kid, typ: "at+jwt" }, goodClaims(client)))).toBe("token_algorithm");
    // The public key as the secret: what a verifier would use that lets the token choose.
    const secret = await importJWK({ kty: "oct", k: Buffer.from(JSON.stringify(jwk)).toString("base64url"), alg: "HS256" });
    for (const alg of ["HS256", "HS384", "HS512"]) {
      const token = await new SignJWT(goodClaims(client)).setProtectedHeader({ alg, kid, typ: "JWT" }).sign(secret);
      expect(await judge(client, token)).toBe("token_algorithm");
    }
    expect(await judge(client, unsigned({ kid, typ: "JWT" }, goodClaims(client)))).toBe("token_algorithm");
    expect(await judge(client, unsigned({ alg: ["RS256"], kid }, goodClaims(client)))).toBe("token_algorithm");
  });

  it("is refused when its signature is not the key's", async () => {
    const { alg, kid, jwk } = signerOf(client.issuer);
    const forger = await newSigner(alg, kid);
    expect(await judged(client, { signer: forger })).toBe("token_signature");
    const [header = "", payload = "", signature = ""] = (await tokenFor(client)).split(".");
    expect(await judge(client, `${header}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`)).toBe(
      "token_signature",
    );
    const [, foreign = ""] = (await tokenFor(client, { claims: { email: "you@example.com" } })).split(".");
    expect(await judge(client, `${header}.${foreign}.${signature}`)).toBe("token_signature");
    // Keys and addresses of keys that the token brings along are not looked at.
    const smuggled = { jwk: forger.jwk, jku: "https://evil.example/keys", x5u: "https://evil.example/x5u", kid };
    expect(await judged(client, { signer: forger, header: smuggled })).toBe("token_signature");
    expect(await judged(client, { header: { ...smuggled, jwk } })).toBe("good");
  });

  it("is refused when it names a key that nobody published, or none, or one that two keys share", async () => {
    const { kid, jwk, alg } = signerOf(client.issuer);
    for (const other of ["other", `${kid} `, kid.toUpperCase(), "", undefined, 1, null]) {
      expect(
        await judge(client, unsigned({ alg, kid: other, typ: kind === "embedded" ? "at+jwt" : "JWT" }, goodClaims(client), "AAAA")),
      ).toBe("token_key_unknown");
    }
    const { jwk: twin } = await newSigner(alg, kid);
    expect(await judge(client, await tokenFor(client), [jwk, twin])).toBe("token_key_unknown");
  });

  it("is refused with an extension that must be understood", async () => {
    const { kid, alg } = signerOf(client.issuer);
    const typ = kind === "embedded" ? "at+jwt" : "JWT";
    expect(await judge(client, unsigned({ alg, kid, typ, crit: ["x"], x: 1 }, goodClaims(client), "AAAA"))).toBe("token_malformed");
  });

  it.each([
    "",
    "abcdef",
    "a.b",
    "a.b.c.d",
    "a.b.c.d.e",
    "..",
    "a..c",
    "é.é.é",
    "a b.c.d",
    "e30.e30.e30",
    "bm90anNvbg.e30.AA",
    "W10.e30.AA",
    "IiI.e30.AA",
    "bnVsbA.e30.AA",
    "oauth:opaque-token-of-the-edge",
  ])("that is %j is refused, and never a fault of ours", async (token) =>
    expect(await judge(client, token)).toMatch(/^token_(malformed|algorithm)$/),
  );

  it("whose claims are not an object is refused", async () => {
    const signer = signerOf(client.issuer);
    const { CompactSign } = await import("jose");
    for (const text of ["[]", "null", '"x"', "1", "{", ""]) {
      const token = await new CompactSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: kind === "embedded" ? "at+jwt" : "JWT" })
        .sign(signer.privateKey);
      expect(await judge(client, token)).toBe("token_malformed");
    }
  });
});

function audienceOf({ audience }: Client): string {
  return audience.kind === "aud" ? audience.value : "";
}
