import { describe, expect, it } from "vitest";
import type { Client } from "../../auth/client.ts";
import { verifies } from "../requirements.ts";
import { accessTag, chatgpt, claude, goodClaims, local, newSigner, type Signer, tokenFor, unsigned } from "./scene.ts";
import { judge, judged } from "./verdict.ts";

describe("Cloudflare Access", () => {
  it("signs with RS256 only, whatever its key document may hold", async () => {
    for (const alg of ["RS512", "PS256", "ES256"]) {
      const signer = await newSigner(alg, "team-2");
      expect(await judge(claude, await tokenFor(claude, { signer }), [signer.jwk])).toBe("token_algorithm");
    }
  });
  it("vouches for a log-in to an application and for no other session", async () => {
    for (const type of ["org", "APP", "", undefined, null, ["app"]]) expect(await judged(claude, { claims: { type } })).toBe("token_type");
    for (const typ of ["at+jwt", "logout+jwt", "", 1]) expect(await judged(claude, { header: { typ } })).toBe("token_type");
  });
  it("uses a tag as the audience, never the address of the endpoint", async () => {
    expect(await judged(claude, { claims: { aud: "https://mcp-claude.example.com/mcp" } })).toBe("token_audience");
    expect(await judged(claude, { claims: { aud: [accessTag] } })).toBe("good");
  });
});

describe("the built-in server", () => {
  it("makes access tokens of RFC 9068 and nothing else", async () => {
    for (const typ of ["JWT", undefined, "logout+jwt", "dpop+jwt", "at", "application/at+jwt+x"])
      expect(await judged(local, { header: { typ } })).toBe("token_type");
    for (const typ of ["at+jwt", "AT+JWT", "application/at+jwt"]) expect(await judged(local, { header: { typ } })).toBe("good");
  });
  it("signs with ES256 only", async () => {
    for (const alg of ["RS256", "ES384", "EdDSA"]) {
      const signer = await newSigner(alg, "own-2");
      expect(await judge(local, await tokenFor(local, { signer }), [signer.jwk])).toBe("token_algorithm");
    }
  });
});

describe("an issuer of any make", () => {
  it.each(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"])(
    `${verifies("oauth.algorithms")}: may sign with %s`,
    async (alg) => {
      const signer = await newSigner(alg, `sso-${alg}`);
      expect(await judge(chatgpt, await tokenFor(chatgpt, { signer }), [signer.jwk])).toBe("good");
    },
  );

  it("whose key is of another kind than the token says, or too short, is refused", async () => {
    const rsa = await newSigner("RS256", "k");
    const ec: Signer = await newSigner("ES256", "k");
    expect(await judge(chatgpt, await tokenFor(chatgpt, { signer: ec }), [rsa.jwk])).toBe("token_key_unknown");
    const { alg: _alg, ...anyAlg } = (await newSigner("ES384", "k")).jwk;
    expect(await judge(chatgpt, await tokenFor(chatgpt, { signer: ec }), [anyAlg])).toBe("token_key_unknown");
    // 1024 bits: too short to sign with here, so the signature is made up; the key is what is refused.
    const short = { kty: "RSA", kid: "k", alg: "RS256", e: "AQAB", n: Buffer.alloc(128, 0xd1).toString("base64url") };
    expect(
      await judge(
        chatgpt,
        unsigned({ alg: "RS256", kid: "k", typ: "JWT" }, goodClaims(chatgpt), Buffer.alloc(128, 1).toString("base64url")),
        [short],
      ),
    ).toMatch(/^token_(malformed|signature)$/);
    expect(await judge(chatgpt, await tokenFor(chatgpt, { signer: rsa }), [{ ...rsa.jwk, use: "enc" }])).toBe("token_key_unknown");
  });

  it("may mark access tokens as RFC 9068 does, as JWT, or not at all", async () => {
    for (const typ of ["at+jwt", "application/at+jwt", "JWT", "jwt", undefined])
      expect(await judged(chatgpt, { header: { typ } })).toBe("good");
    for (const typ of ["logout+jwt", "id+jwt", "dpop+jwt", "secevent+jwt", "", null, ["JWT"]])
      expect(await judged(chatgpt, { header: { typ } })).toBe("token_type");
  });

  it.each([
    ["an ID token by its own word", { typ: "ID" }],
    ["a refresh token by its own word", { typ: "Refresh" }],
    ["a token of a type in no words", { typ: 7 }],
    ["an ID token by its use", { typ: undefined, token_use: "id" }],
    ["an ID token by a hash of the access token", { typ: undefined, at_hash: "x" }],
    ["an ID token by a hash of the code", { typ: undefined, c_hash: "x" }],
    ["an ID token by a nonce", { typ: undefined, nonce: "x" }],
    ["a logout token", { typ: undefined, events: {} }],
  ])("may also have made %s, which is no access token", async (_what, claims) =>
    expect(await judged(chatgpt, { claims })).toBe("token_type"),
  );

  it("may put a nonce into what it calls an access token", async () => {
    expect(await judged(chatgpt, { claims: { typ: "Bearer", nonce: "x" } })).toBe("good");
    expect(await judged(chatgpt, { claims: { typ: undefined, token_use: "access", nonce: "x" } })).toBe("good");
    expect(await judged(chatgpt, { header: { typ: "at+jwt" }, claims: { typ: undefined, nonce: "x" } })).toBe("good");
  });
});

describe("the audience of an endpoint at the root of its host", () => {
  const rooted = (value: string): Client => ({ ...chatgpt, audience: { kind: "aud", value } });
  it("is the same with and without its slash, in the configuration and in the token", async () => {
    for (const value of ["https://h.example", "https://h.example/"]) {
      for (const aud of ["https://h.example", "https://h.example/"])
        expect(await judge(rooted(value), await tokenFor(chatgpt, { claims: { aud } }))).toBe("good");
    }
  });
  it("is another one than that of any path, query or port", async () => {
    for (const aud of [
      "https://h.example//",
      "https://h.example/mcp",
      "https://h.example/?",
      "https://h.example:443",
      "http://h.example",
      "h.example",
    ]) {
      expect(await judge(rooted("https://h.example"), await tokenFor(chatgpt, { claims: { aud } }))).toBe("token_audience");
    }
    expect(await judge(rooted("https://h.example/mcp"), await tokenFor(chatgpt, { claims: { aud: "https://h.example" } }))).toBe(
      "token_audience",
    );
    expect(await judge(rooted("https://h.example/mcp"), await tokenFor(chatgpt, { claims: { aud: "https://h.example/mcp" } }))).toBe(
      "good",
    );
  });
});
