import { describe, expect, it } from "vitest";
import type { Client } from "../../auth/client.ts";
import type { GateRequest } from "../../auth/gate.ts";
import {
  chatgpt,
  claude,
  clients,
  insideOf,
  local,
  newSigner,
  openScene,
  outcomeOf,
  requestTo,
  type Scene,
  signerOf,
  tokenFor,
} from "./scene.ts";

const reasonOf = async (scene: Scene, request: GateRequest): Promise<string> => outcomeOf(await scene.admit(request));
const outside = { headers: { "cf-connecting-ip": "198.51.100.9" } };
const revoked = (client: Client): Client => ({ ...client, audience: { kind: "revoked", why: "its audience is empty" } });

describe("the gate", () => {
  it.each(clients.map((client) => [client.name, client] as const))(
    "admits the client %s with its own token from its own cloud",
    async (_name, client) => {
      expect(await openScene().admit(requestTo(client, await tokenFor(client)))).toMatchObject({
        kind: "admission",
        client: { name: client.name },
        identity: "me@example.com",
        callerAddress: insideOf[client.name],
      });
    },
  );

  it("refuses in its order: address, audience, credential, token, identity", async () => {
    const scene = openScene();
    const stranger = await tokenFor(chatgpt, { claims: { email: "stranger@example.com" } });
    const expired = await tokenFor(chatgpt, { claims: { exp: 1, email: "stranger@example.com" } });
    expect(await reasonOf(scene, requestTo(chatgpt, stranger))).toBe("identity_not_allowed");
    expect(await reasonOf(scene, requestTo(chatgpt, expired))).toBe("token_expired");
    expect(await reasonOf(scene, requestTo(chatgpt, null))).toBe("credential_missing");
    scene.apply(clients.map(revoked));
    expect(await scene.admit(requestTo(chatgpt, null))).toMatchObject({
      reason: "revoked",
      detail: "its audience is empty",
      callerAddress: insideOf["chatgpt"],
    });
    expect(await reasonOf(scene, requestTo(chatgpt, null, outside))).toBe("outside_egress");
  });

  it("takes the configured credential and ignores the other kind", async () => {
    const scene = openScene();
    const [access, bearer] = [await tokenFor(claude), await tokenFor(chatgpt)];
    const both = { authorization: `Bearer ${bearer}`, "cf-access-jwt-assertion": access };
    expect(await reasonOf(scene, requestTo(claude, null, { headers: { authorization: `Bearer ${access}` } }))).toBe("credential_missing");
    expect(await reasonOf(scene, requestTo(chatgpt, null, { headers: { "cf-access-jwt-assertion": bearer } }))).toBe("credential_missing");
    expect(await reasonOf(scene, requestTo(claude, null, { headers: both }))).toBe("admission");
    expect(await reasonOf(scene, requestTo(chatgpt, null, { headers: both }))).toBe("admission");
  });

  it.each(["Bearer ", "bearer", "Basic abc", "Bearer a b", "Token x", "Bearer\tx"])("finds no credential in %j", async (authorization) => {
    expect(await reasonOf(openScene(), requestTo(chatgpt, null, { headers: { authorization } }))).toBe("credential_missing");
  });

  it("looks at no token longer than 8192 characters", async () => {
    const scene = openScene();
    expect(await reasonOf(scene, requestTo(chatgpt, "x".repeat(8193)))).toBe("token_too_long");
    expect(scene.hashed()).toBe(0);
  });
});

describe("the caller's address", () => {
  it("is the trusted proxy's word, and only a trusted proxy's", async () => {
    const scene = openScene();
    const token = await tokenFor(chatgpt);
    expect(await reasonOf(scene, requestTo(chatgpt, token))).toBe("admission");
    expect(await reasonOf(scene, requestTo(chatgpt, token, { peerAddress: "::ffff:127.0.0.1" }))).toBe("admission");
    expect(await reasonOf(scene, requestTo(chatgpt, token, { peerAddress: "198.51.100.9" }))).toBe("outside_egress");
    expect(await reasonOf(scene, requestTo(chatgpt, token, { peerAddress: "203.0.113.7", ...outside }))).toBe("admission");
  });

  it("is the proxy itself when it reports none", async () => {
    const scene = openScene();
    const bare = { headers: { "cf-connecting-ip": null } };
    expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt), bare))).toBe("outside_egress");
    expect(await reasonOf(scene, requestTo(local, await tokenFor(local), bare))).toBe("admission");
  });

  it.each([
    "",
    " ",
    "203.0.113.7, 198.51.100.9",
    "203.0.113.7:443",
    "203.0.113.7 ",
    "203.0.113.007",
    "[2001:db8:aa::1]",
    "unknown",
    "fe80::1%eth0",
  ])("reported as %j is no address, and nobody is let in with it", async (address) =>
    expect(await reasonOf(openScene(), requestTo(chatgpt, await tokenFor(chatgpt), { headers: { "cf-connecting-ip": address } }))).toBe(
      "caller_address_unreadable",
    ),
  );

  it("is the socket's without a proxy, whatever headers say", async () => {
    const scene = openScene();
    scene.apply(clients, null);
    const token = await tokenFor(chatgpt);
    expect(await reasonOf(scene, requestTo(chatgpt, token))).toBe("outside_egress");
    expect(
      await reasonOf(scene, requestTo(chatgpt, token, { peerAddress: "203.0.113.7", headers: { "x-forwarded-for": "198.51.100.9" } })),
    ).toBe("admission");
  });

  it("does not matter where any is written", async () => {
    const scene = openScene([{ ...chatgpt, egress: { kind: "any" } }]);
    expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt), outside))).toBe("admission");
  });
});

describe("revocation", () => {
  it.each(clients.map((client) => [client.name, client] as const))(
    "of %s counts at the next request, though its token was verified a moment ago",
    async (_name, client) => {
      const scene = openScene();
      const request = requestTo(client, await tokenFor(client));
      expect(await reasonOf(scene, request)).toBe("admission");
      scene.apply(clients.map((one) => (one.name === client.name ? revoked(one) : one)));
      expect(await reasonOf(scene, request)).toBe("revoked");
      scene.apply(clients);
      expect(await reasonOf(scene, request)).toBe("admission");
    },
  );

  it("also counts for a request whose token is being verified at that moment", async () => {
    const scene = openScene();
    const request = requestTo(claude, await tokenFor(claude));
    const admitted = scene.admit(request);
    scene.apply(clients.map(revoked));
    expect(outcomeOf(await admitted)).toBe("revoked");
  });

  it("is not outlived by a narrower list of people or addresses either", async () => {
    const scene = openScene();
    const request = requestTo(chatgpt, await tokenFor(chatgpt));
    expect(await reasonOf(scene, request)).toBe("admission");
    scene.apply([{ ...chatgpt, identities: ["you@example.com"] }]);
    expect(await reasonOf(scene, request)).toBe("identity_not_allowed");
  });
});

describe("a verified token", () => {
  it("is not verified again within 30 s, and never counts past its own end", async () => {
    const scene = openScene();
    const request = requestTo(
      chatgpt,
      await tokenFor(chatgpt, { claims: { exp: Math.floor(Date.UTC(2026, 10, 30, 12, 0, 0) / 1000) + 10 } }),
    );
    expect(await reasonOf(scene, request)).toBe("admission");
    scene.pass(9_000);
    expect(await reasonOf(scene, request)).toBe("admission");
    scene.pass(31_001);
    expect(await reasonOf(scene, request)).toBe("token_expired");
  });

  it("of one client is not known at another", async () => {
    const scene = openScene();
    const token = await tokenFor(chatgpt);
    expect(await reasonOf(scene, requestTo(chatgpt, token))).toBe("admission");
    expect(await reasonOf(scene, requestTo(local, token))).toMatch(/^token_/);
  });

  it("is verified again when its issuer changed its keys", async () => {
    const scene = openScene();
    await scene.admit(requestTo(chatgpt, await tokenFor(chatgpt)));
    scene.pass(29_000);
    const remembered = requestTo(chatgpt, await tokenFor(chatgpt, { claims: { jti: "remembered" } }));
    expect(await reasonOf(scene, remembered)).toBe("admission");
    const next = await newSigner("ES256", "next");
    scene.publish("sso", { ok: true, keys: [next.jwk] });
    scene.pass(1000);
    expect(await reasonOf(scene, remembered)).toBe("admission");
    expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt, { signer: next })))).toBe("admission");
    expect(await reasonOf(scene, remembered)).toBe("token_key_unknown");
  });
});

describe("failed verifications", () => {
  it("close the door for their client and address after twenty in a minute, and for nobody else", async () => {
    const scene = openScene();
    const known = requestTo(chatgpt, await tokenFor(chatgpt));
    expect(await reasonOf(scene, known)).toBe("admission");
    for (let attempt = 0; attempt < 20; attempt += 1)
      expect(await reasonOf(scene, requestTo(chatgpt, `bad-${attempt}`))).toBe("token_malformed");
    const fresh = requestTo(chatgpt, await tokenFor(chatgpt, { claims: { jti: "fresh" } }));
    expect(await scene.admit(fresh)).toMatchObject({ reason: "too_many_failures", retryAfterSeconds: 60 });
    // A token that was good before passes, from the cache and after it; so do other addresses and other clients.
    expect(await reasonOf(scene, known)).toBe("admission");
    scene.pass(31_000);
    expect(await reasonOf(scene, known)).toBe("admission");
    expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt), { headers: { "cf-connecting-ip": "203.0.113.8" } }))).toBe(
      "admission",
    );
    expect(await reasonOf(scene, requestTo(claude, await tokenFor(claude)))).toBe("admission");
    scene.pass(30_000);
    expect(await reasonOf(scene, fresh)).toBe("admission");
  });
});

describe("keys that cannot be had", () => {
  it("are no verdict on the token: 503 with the time of the next attempt, for bearer and Access alike", async () => {
    const scene = openScene();
    for (const client of [claude, chatgpt]) {
      scene.publish(client.issuer.name, { ok: false, reason: "unreachable" });
      expect(await scene.admit(requestTo(client, await tokenFor(client)))).toMatchObject({
        reason: "keys_unavailable",
        retryAfterSeconds: 30,
        detail: `the keys of issuer ${client.issuer.name} cannot be had: unreachable`,
      });
      scene.publish(client.issuer.name, { ok: true, keys: [signerOf(client.issuer).jwk] });
      scene.pass(31_000);
      expect(await reasonOf(scene, requestTo(client, await tokenFor(client)))).toBe("admission");
    }
  });

  it("are asked for at most once in 30 s by tokens with unknown or false signatures", async () => {
    const scene = openScene();
    await scene.admit(requestTo(chatgpt, await tokenFor(chatgpt)));
    const forger = await newSigner("ES256", "sso-1");
    const unknown = await newSigner("ES256", "nobody");
    for (let attempt = 0; attempt < 9; attempt += 1) {
      expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt, { signer: forger })))).toBe("token_signature");
      expect(await reasonOf(scene, requestTo(chatgpt, await tokenFor(chatgpt, { signer: unknown })))).toBe("token_key_unknown");
    }
    expect(scene.fetches("sso")).toBe(1);
    scene.pass(30_000);
    await scene.admit(requestTo(chatgpt, await tokenFor(chatgpt, { signer: unknown })));
    expect(scene.fetches("sso")).toBe(2);
  });
});
