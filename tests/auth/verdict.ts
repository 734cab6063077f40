/** Verdicts on tokens alone, without a gate around them. */
import type { Client } from "../../auth/client.ts";
import { createKeys } from "../../auth/keys.ts";
import { verifyToken } from "../../auth/token.ts";
import { signerOf, startMs, tokenFor, type TokenChanges } from "./scene.ts";

/** The verdict on a token when the issuer publishes these keys. */
export async function judge(client: Client, token: string, keys = [signerOf(client.issuer).jwk]): Promise<string> {
  const source = createKeys({ load: async () => ({ ok: true, keys }), now: () => startMs, random: () => 0 });
  const verdict = await verifyToken(token, client, source, startMs);
  return verdict.ok ? "good" : verdict.reason;
}
export const judged = async (client: Client, changes: TokenChanges = {}): Promise<string> => judge(client, await tokenFor(client, changes));
