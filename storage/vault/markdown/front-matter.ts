/** The YAML block at the head of a note, and the few values of it that Postern shows. */
import { isAlias, isMap, isScalar, isSeq, type Document, parseDocument } from "yaml";
import type { Scalar } from "../../ports.ts";
import { coreScalar } from "./core-scalar.ts";
import { readPlainYaml, type YamlValue } from "./plain-yaml.ts";

export type FrontMatter = {
  /** Offset in UTF-16 code units at which the body begins; after a byte order mark if there is no front matter. */
  readonly bodyAt: number;
  /** `null` when absent or blank. Numbers and words such as `true` are taken as written. */
  readonly title: string | null;
  readonly description: Scalar;
  readonly type: Scalar;
  readonly status: Scalar;
  readonly verified: Scalar;
  /** From `aliases` or `alias`: a list, or one text. */
  readonly aliases: readonly string[];
  /** Our sentence on why the block could not be read; then none of its values is used. */
  readonly error: string | null;
};

/** Largest block parsed, in UTF-16 code units. */
const maxYamlLength = 65_536;

const byteOrderMark = "\ufeff";
/** Three dashes alone open and close the block. `---js` and the like are text: nothing in a note is ever run. */
const opening = /^---[ \t]*\r?\n/;
const closing = /(?:^|\n)---[ \t]*\r?(?:\n|$)/;

export function readFrontMatter(text: string): FrontMatter {
  const from = text.startsWith(byteOrderMark) ? 1 : 0;
  const open = opening.exec(text.slice(from, from + 256));
  if (open === null) return empty(from, null);
  const yamlAt = from + open[0].length;
  const rest = text.slice(yamlAt);
  const close = closing.exec(rest);
  if (close === null) return empty(from, null);
  const bodyAt = yamlAt + close.index + close[0].length;
  const yaml = rest.slice(0, close.index + (close[0].startsWith("\n") ? 1 : 0));
  if (yaml.length > maxYamlLength) return empty(bodyAt, `The front matter is longer than ${maxYamlLength} characters.`);
  const plain = readPlainYaml(yaml);
  const read = plain === null ? readYaml(yaml) : { values: plain, error: null };
  if (read.error !== null) return empty(bodyAt, read.error);
  const { values } = read;
  const scalar = (key: string): Scalar => {
    const value = values.get(key);
    return value?.kind === "scalar" ? value.scalar : null;
  };
  return {
    bodyAt,
    title: titleOf(values.get("title")),
    description: scalar("description"),
    type: scalar("type"),
    status: scalar("status"),
    verified: scalar("verified"),
    aliases: [...textsOf(values.get("aliases")), ...textsOf(values.get("alias"))],
    error: null,
  };
}

function empty(bodyAt: number, error: string | null): FrontMatter {
  return { bodyAt, title: null, description: null, type: null, status: null, verified: null, aliases: [], error };
}

function titleOf(value: YamlValue | undefined): string | null {
  if (value?.kind !== "scalar" || value.scalar === null) return null;
  const title = value.source.replace(/\s+/gu, " ").trim();
  return title === "" ? null : title;
}

function textsOf(value: YamlValue | undefined): readonly string[] {
  const sources = value === undefined ? [] : value.kind === "list" ? value.sources : value.scalar === null ? [] : [value.source];
  return sources.map((source) => source.trim()).filter((source) => source !== "");
}

type YamlRead = { readonly values: ReadonlyMap<string, YamlValue>; readonly error: null } | { readonly error: string };

/** The whole of YAML 1.2, for what `plain-yaml.ts` does not know. */
function readYaml(yaml: string): YamlRead {
  let document: Document.Parsed;
  try {
    document = parseDocument(yaml, { version: "1.2", schema: "core", uniqueKeys: true, prettyErrors: true, logLevel: "silent" });
  } catch {
    // The parser recurses, so a thousand brackets can exhaust the stack.
    return { error: "The front matter is nested too deeply." };
  }
  const problem = document.errors[0];
  // The opening line of the block is line 1 of the note.
  if (problem !== undefined) return { error: sentence(problem.code, (problem.linePos?.[0].line ?? 0) + 1) };
  const { contents } = document;
  const values = new Map<string, YamlValue>();
  if (contents === null || (isScalar(contents) && contents.value === null)) return { values, error: null };
  if (!isMap(contents)) return { error: "The front matter is not a list of keys and values." };
  for (const { key, value } of contents.items) {
    const target = isAlias(value) ? value.resolve(document) : value;
    const read = yamlValue(target);
    if (isScalar(key) && typeof key.value === "string" && read !== null) values.set(key.value, read);
  }
  return { values, error: null };
}

function yamlValue(node: unknown): YamlValue | null {
  if (node === null) return { kind: "scalar", scalar: null, source: "" };
  if (isScalar(node)) {
    if (typeof node.value === "string") return { kind: "scalar", scalar: node.value, source: node.value };
    const source = node.source ?? "";
    return { kind: "scalar", scalar: coreScalar(source), source };
  }
  if (!isSeq(node)) return null;
  const sources = node.items.flatMap((item) => (isScalar(item) ? [typeof item.value === "string" ? item.value : (item.source ?? "")] : []));
  return { kind: "list", sources };
}

function sentence(code: string, line: number): string {
  if (code === "DUPLICATE_KEY") return `Line ${line} of the front matter repeats a key.`;
  if (code === "TAB_AS_INDENT") return `Line ${line} of the front matter is indented with a tab.`;
  return `Line ${line} of the front matter is not valid YAML.`;
}
