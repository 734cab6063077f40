/**
 * The YAML that nearly every note uses: `key: plain text`, quoted text without escapes, lists of such. A full parser
 * takes half a millisecond a note, this a hundredth of it. Whatever it does not know for certain it leaves to the parser.
 */
import type { Scalar } from "../../ports.ts";
import { coreScalar } from "./core-scalar.ts";

export type YamlValue =
  /** `source`: the text as written (without quotes), for values shown as text. */
  | { readonly kind: "scalar"; readonly scalar: Scalar; readonly source: string }
  | { readonly kind: "list"; readonly sources: readonly string[] };

const keyLine = /^([A-Za-z][A-Za-z0-9_-]*):(?: +([^ ].*))?$/;
/** A plain scalar would be another type of key: `true: 1`. */
const typedKey = /^(?:true|false|null)$/i;
const itemLine = /^( *)- +([^ ].*)$/;
/** Begins with a letter or digit; then anything visible, but no `: `, no ` #`, no colon at the end. */
const plainText = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\p{S}\p{Pc}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}]|(?!:)\p{Po}|:(?=[^ ])| +(?=[^ #]))*$/u;
/** As an item between brackets: brackets, braces and commas would mean something. */
const flowText = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _./-]*$/u;
const quoted =
  /^(?:"([\p{L}\p{M}\p{N}\p{S}\p{Zs}\p{Pc}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}!#%&'*,./:;?@]*)"|'([\p{L}\p{M}\p{N}\p{S}\p{Zs}\p{Pc}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}!#%&"*,./:;?@\\]*)')$/u;

/** `null` = not surely plain. */
export function readPlainYaml(yaml: string): ReadonlyMap<string, YamlValue> | null {
  const values = new Map<string, YamlValue>();
  /** The list under way, if the last key had nothing on its line. */
  let open: { readonly key: string; indent: number | null; readonly sources: string[] } | null = null;
  for (const raw of yaml.split("\n")) {
    const line = raw.replace(/ *\r?$/, "");
    if (line === "" || line.startsWith("#")) continue;
    const item = itemLine.exec(line);
    if (item !== null) {
      const [, indent = "", text = ""] = item;
      const value = plainValue(text);
      if (open === null || value === null || (open.indent !== null && open.indent !== indent.length)) return null;
      open.indent = indent.length;
      open.sources.push(value.source);
      values.set(open.key, { kind: "list", sources: open.sources });
      continue;
    }
    const entry = keyLine.exec(line);
    if (entry === null) return null;
    const [, key = "", text] = entry;
    if (values.has(key) || typedKey.test(key)) return null;
    const value = text === undefined ? nothing : (plainValue(text) ?? flowList(text));
    if (value === null) return null;
    values.set(key, value);
    open = text === undefined ? { key, indent: null, sources: [] } : null;
  }
  return values;
}

const nothing: YamlValue = { kind: "scalar", scalar: null, source: "" };

function plainValue(text: string): (YamlValue & { readonly kind: "scalar" }) | null {
  if (plainText.test(text)) return { kind: "scalar", scalar: coreScalar(text), source: text };
  const match = quoted.exec(text);
  if (match === null) return null;
  const inner = match[1] ?? match[2] ?? "";
  return { kind: "scalar", scalar: inner, source: inner };
}

function flowList(text: string): YamlValue | null {
  if (!text.startsWith("[") || !text.endsWith("]")) return null;
  const inner = text.slice(1, -1).trim();
  if (inner === "") return { kind: "list", sources: [] };
  const sources = inner.split(",").map((part) => part.trim());
  return sources.every((source) => flowText.test(source)) ? { kind: "list", sources } : null;
}
