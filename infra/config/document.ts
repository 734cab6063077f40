/** The text of a configuration as a tree that remembers its lines. Broken YAML still gives as much of the tree as can be read. */
import { type Document, isMap, isNode, isScalar, LineCounter, type ParsedNode, parseDocument, visit } from "yaml";
import type { Path, Problem } from "./problem.ts";

export type ConfigDocument = {
  readonly tree: Document.Parsed<ParsedNode>;
  /** Plain values; only sound when `problems` is empty. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Where a setting stands; an absent one is placed at the nearest parent that is there. */
  readonly placeOf: (path: Path) => { readonly line: number; readonly column: number };
};

/** Anchors repeated more often than this are an attack or an accident. */
const maxAliases = 100;

export function parseConfigDocument(text: string): ConfigDocument {
  const lines = new LineCounter();
  const tree = parseDocument(text, {
    schema: "core",
    version: "1.2",
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: "error",
  });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = tree.errors.map(({ code, pos }): Problem => ({
    ...at(pos[0]),
    path: "",
    message: yamlMessage(code, text.slice(pos[0], pos[0] + 80)),
  }));
  problems.push(...strangeTags(tree).map((offset) => ({ ...at(offset), path: "", message: "carries a tag that is not understood here" })));
  let value: unknown = null;
  try {
    if (problems.length === 0) value = tree.toJS({ maxAliasCount: maxAliases });
    // Throws on an anchor that holds itself.
    JSON.stringify(value);
  } catch {
    value = null;
    problems.push({ line: 1, column: 1, path: "", message: "uses an anchor that is not there, that holds itself, or too often" });
  }
  return { tree, value, problems, placeOf: (path) => at(offsetOf(tree, path)) };
}

/** Offsets of nodes with a tag such as `!!binary` or `!secret`: what they would become is no plain setting. */
function strangeTags(tree: Document.Parsed): readonly number[] {
  const offsets: number[] = [];
  visit(tree, {
    Node: (_key, { tag, range }) => {
      if (tag !== undefined && !/^tag:yaml\.org,2002:(?:map|seq|str|int|float|bool|null)$/.test(tag)) offsets.push(range?.[0] ?? 0);
    },
  });
  return offsets;
}

/** `found`: the text from there on; a key that stands twice begins it. */
function yamlMessage(code: string, found: string): string {
  if (code === "DUPLICATE_KEY") {
    const [key] = /^[\w-]{1,64}(?=\s*:)/.exec(found) ?? [];
    return key === undefined ? "holds the same key twice in one place" : `holds ${key} twice in one place; put all of it under one ${key}`;
  }
  if (code === "MULTIPLE_DOCS") return "begins a second document; put everything into one, without the --- between";
  if (code === "TAB_AS_INDENT") return "is indented with a tab; use spaces";
  return `is not valid YAML here (${code.toLowerCase().replaceAll("_", " ")})`;
}

/** Offset of the key at the end of the path, so that an unknown key is pointed at and not its value. */
function offsetOf(tree: Document.Parsed, path: Path): number {
  let node: unknown = tree.contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return offset;
      if (isNode(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else {
      node = tree.getIn(path.slice(0, path.indexOf(step) + 1), true);
      if (isNode(node) && node.range) offset = node.range[0];
    }
  }
  return offset;
}
