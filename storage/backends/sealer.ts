/** Seals text that a caller carries for us (cursors, request state) with the deployment's keys: AES-256-GCM, one derived key a purpose. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Now, Sealer, Secret, SecretStore } from "../ports.ts";

/** A new key seals only when it is this old, so that every process of the deployment has loaded it by then. Refresh more often than that. */
const settleMs = 10 * 60_000;
const ivBytes = 12;
const tagBytes = 16;
/** Longest text `open` looks at. Nothing we seal comes near; a longer one is not ours. */
const maxSealedChars = 64 * 1024;

export type RefreshableSealer = Sealer & {
  /** Loads the keys again. Call it every five minutes or so: it is how a new key, or another process's, becomes known. A failure leaves the loaded keys in use. */
  refresh(): Promise<void>;
};

type Key = { readonly id: string; readonly createdAtMs: number; derived(purpose: string): Uint8Array };

/**
 * `seal` gives `<key id>.<iv, ciphertext and tag in base64url>`: 55 characters more than 4/3 of the UTF-8 bytes of the payload.
 * The purpose `request-state` has keys of its own in the store; every other one is derived from the keys of `cursor`.
 * What is sealed may be opened as long as its key is kept (`rotation` in `secrets.ts`); expiry, where wanted, belongs into the payload.
 */
export async function openSealer({ secrets, now }: { readonly secrets: SecretStore; readonly now: Now }): Promise<RefreshableSealer> {
  const load = async () => ({
    cursor: (await secrets.list("cursor")).map(keyOf),
    "request-state": (await secrets.list("request-state")).map(keyOf),
  });
  let keys = await load();
  const keysOf = (purpose: string) => (purpose === "request-state" ? keys["request-state"] : keys.cursor);

  return {
    seal(purpose, payload) {
      const candidates = keysOf(purpose);
      // Newest first; right after the very first start none has settled, and the oldest is what everyone has.
      const key = candidates.find((candidate) => now() - candidate.createdAtMs >= settleMs) ?? candidates.at(-1);
      if (key === undefined) throw new Error("no sealing key");
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key.derived(purpose), iv, { authTagLength: tagBytes });
      const sealed = Buffer.concat([iv, cipher.update(payload, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${key.id}.${sealed.toString("base64url")}`;
    },
    open(purpose, text) {
      if (text.length > maxSealedChars) return null;
      const dot = text.indexOf(".");
      const key = keysOf(purpose).find((candidate) => candidate.id === text.slice(0, dot));
      const encoded = text.slice(dot + 1);
      const sealed = Buffer.from(encoded, "base64url");
      // One spelling only: Node's decoder skips what is not base64url, and ignores the last character's spare bits.
      if (key === undefined || sealed.length < ivBytes + tagBytes || sealed.toString("base64url") !== encoded) return null;
      const decipher = createDecipheriv("aes-256-gcm", key.derived(purpose), sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      const start = decipher.update(sealed.subarray(ivBytes, -tagBytes));
      try {
        return Buffer.concat([start, decipher.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
    async refresh() {
      keys = await load();
    },
  };
}

function keyOf({ id, value, createdAtMs }: Secret): Key {
  const root = Buffer.from(value, "base64url");
  const derivedKeys = new Map<string, Uint8Array>();
  return {
    id,
    createdAtMs,
    derived(purpose) {
      let key = derivedKeys.get(purpose);
      if (key === undefined) {
        key = new Uint8Array(hkdfSync("sha256", root, id, `postern seal ${purpose}`, 32));
        derivedKeys.set(purpose, key);
      }
      return key;
    },
  };
}
