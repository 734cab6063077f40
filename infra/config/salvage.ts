/**
 * What a configuration that cannot be used still says about revocation. It only ever closes: a client whose audience reads
 * as empty, or whose block cannot be read, is closed at once; nothing that the broken file says opens anything.
 */
import { isMap, isScalar, type YAMLMap } from "yaml";
import { clientSchema } from "./clients.ts";
import { parseConfigDocument } from "./document.ts";
import { audienceOf } from "./resolve-clients.ts";
import { expand, type Variables } from "./variables.ts";

/** Of the clients that are open now, those to close. `text` null = the file is gone. Never throws. */
export function clientsToClose(text: string | null, open: readonly string[], lookUp: Variables): readonly string[] {
  const clients = text === null ? null : clientsNode(text);
  return open.filter((name) => clients === null || !staysOpen(clients, name, lookUp));
}

function clientsNode(text: string): YAMLMap | null {
  const { tree } = parseConfigDocument(text);
  if (!isMap(tree.contents)) return null;
  const blocks = tree.contents.items.filter(({ key }) => isScalar(key) && key.value === "clients");
  const [block] = blocks;
  return blocks.length === 1 && isMap(block?.value) ? block.value : null;
}

function staysOpen(clients: YAMLMap, name: string, lookUp: Variables): boolean {
  // A name that stands twice is ambiguous, and so is a key that does: whichever half is meant, it cannot be read.
  const blocks = clients.items.filter(({ key }) => isScalar(key) && key.value === name);
  const block = blocks[0]?.value;
  if (blocks.length !== 1 || !isMap(block)) return false;
  const keys = block.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  if (new Set(keys).size !== keys.length) return false;
  try {
    const parsed = clientSchema.safeParse(expand(block.toJSON(), lookUp));
    return parsed.success && audienceOf(parsed.data.audience).kind === "aud";
  } catch {
    return false;
  }
}
