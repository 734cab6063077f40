/**
 * What a configuration that cannot be used still says about revocation. It only ever closes: a client whose audience reads
 * as empty, or whose block cannot be read, is closed at once; nothing that the broken file says opens anything.
 */
import { type Document, isMap, isScalar, type YAMLMap } from "yaml";
import { clientSchema } from "./clients.ts";
import { parseConfigDocument } from "./document.ts";
import { audienceOf } from "./resolve-clients.ts";
import { expand, type Variables } from "./variables.ts";

/** Of the clients that are open now, those to close. `text` null = the file is gone. Never throws. */
export function clientsToClose(text: string | null, open: readonly string[], lookUp: Variables): readonly string[] {
  const tree = parseConfigDocument(text ?? "").tree;
  const clients = clientsNode(tree);
  return open.filter((name) => clients === null || !staysOpen(tree, clients, name, lookUp));
}

function clientsNode(tree: Document): YAMLMap | null {
  if (!isMap(tree.contents)) return null;
  const blocks = tree.contents.items.filter(({ key }) => isScalar(key) && key.value === "clients");
  const [block] = blocks;
  return blocks.length === 1 && isMap(block?.value) ? block.value : null;
}

function staysOpen(tree: Document, clients: YAMLMap, name: string, lookUp: Variables): boolean {
  // A name that stands twice is ambiguous, and so is a key that does: whichever half is meant, it cannot be read.
  const blocks = clients.items.filter(({ key }) => isScalar(key) && key.value === name);
  const block = blocks[0]?.value;
  if (blocks.length !== 1 || !isMap(block)) return false;
  const keys = block.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  if (new Set(keys).size !== keys.length) return false;
  try {
    const parsed = clientSchema.safeParse(expand(block.toJS(tree, { maxAliasCount: 100 }), lookUp));
    return parsed.success && audienceOf(parsed.data.audience).kind === "aud";
  } catch {
    return false;
  }
}
