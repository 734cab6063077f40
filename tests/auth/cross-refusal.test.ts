import { describe, expect, it } from "vitest";
import { hash } from "node:crypto";
import { createGate, prepareGateState } from "../../auth/gate.ts";
import { createKeys } from "../../auth/keys.ts";
import { load, whole } from "../infra/config/scene.ts";
import { goodClaims, outcomeOf, requestTo, signerOf, startMs, tokenFor } from "./scene.ts";

// Every client, host and address comes from the configuration: whoever adds a client there gets its rows here.
const loaded = load(whole);
const settings = loaded.ok ? loaded.config.clients : [];
const proxy = loaded.ok ? loaded.config.proxy : null;
const all = settings.map(({ client }) => client);
const insideOf: Readonly<Record<string, string>> = { claude: "160.79.104.10", chatgpt: "203.0.113.7", local: "127.0.0.1" };
const outside = "198.51.100.9";

const gate = createGate({
  current: () => state,
  now: () => startMs,
  hash: (text) => hash("sha256", text),
  keysFor: ({ issuer }) =>
    createKeys({ load: async () => ({ ok: true, keys: [signerOf(issuer).jwk] }), now: () => startMs, random: () => 0 }),
});
const state = prepareGateState({ generation: 1, clients: all, proxy });

type Row = readonly [token: string, host: string, address: string, expected: string];

async function rows(): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const owner of all) {
    const token = await tokenFor(owner, { claims: goodClaims(owner) });
    for (const door of all) {
      for (const host of door.hosts) {
        for (const address of [...all.map(({ name }) => insideOf[name] ?? ""), outside]) {
          // The token in both places: the door takes the one it is configured for.
          const headers = { host, authorization: `Bearer ${token}`, "cf-access-jwt-assertion": token, "cf-connecting-ip": address };
          const decision = await gate.admit(requestTo(door, null, { headers }));
          const isInside = door.egress.kind === "any" || address === insideOf[door.name];
          const expected = !isInside ? "outside_egress" : owner.name === door.name ? "admission" : "token";
          found.push([`${owner.name}'s token`, `${host} from ${address}`, outcomeOf(decision).replace(/^token_.*/, "token"), expected]);
        }
      }
    }
  }
  return found;
}

describe("every client's token at every host from every address", () => {
  it("opens its own door from its own addresses, and nothing else", async () => {
    const table = await rows();
    expect(all.map(({ issuer }) => issuer.kind).toSorted()).toEqual(["cloudflare-access", "embedded", "oidc"]);
    expect(table).toHaveLength(all.length * all.flatMap(({ hosts }) => hosts).length * (all.length + 1));
    expect(table.filter(([, , outcome, expected]) => outcome !== expected)).toEqual([]);
    const opened = table.filter(([, , outcome]) => outcome === "admission");
    // One address each, and every address at the door that says `any`.
    expect(opened).toHaveLength(1 + 2 * (all.length + 1) + 2);
  });
});
