/**
 * What a configuration that cannot be used still says about revocation. It only ever closes: a client whose audience reads
 * as empty, or whose block cannot be read, is closed at once; nothing that the broken file says opens anything.
 */
import { type Document, isMap, isScalar, type YAMLMap } from "yaml";
import { clientSchema } from "./clients.ts";
import { nearestOf } from "./complaints.ts";
import { parseConfigDocument } from "./document.ts";
import { audienceOf } from "./resolve-clients.ts";
import { expand, type Variables } from "./variables.ts";

export type ServingClients = {
  /** Names of the clients that are open now. */
  readonly open: readonly string[];
  /** False = the file that serves names none, and the open one is the built-in client. */
  readonly areNamed: boolean;
};

/** Of the clients that are open now, those to close. `text` null = the file is gone. Never throws. */
export function clientsToClose(text: string | null, { open, areNamed }: ServingClients, lookUp: Variables): readonly string[] {
  const { tree, problems } = parseConfigDocument(text ?? "");
  // A slip in a file that never named clients says nothing of the built-in one, as long as it can be read to its end.
  if (!areNamed && problems.length === 0 && isSilentOnClients(tree)) return [];
  const clients = clientsNode(tree);
  return open.filter((name) => clients === null || !staysOpen(tree, clients, name, lookUp));
}

function isSilentOnClients({ contents }: Document): boolean {
  return (
    isMap(contents) && !contents.items.some(({ key }) => !isScalar(key) || nearestOf(String(key.value), ["clients", "issuers"]) !== null)
  );
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
    return parsed.success && audienceOf(parsed.data.audience, [], new Map()).kind === "aud";
  } catch {
    return false;
  }
}
