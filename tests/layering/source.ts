/** What one source file names: its imports, its exports, the globals it uses. Read from the syntax tree, so text and comments do not count. */
import { parseSync } from "vite";

export type Import = {
  readonly specifier: string;
  /** `value` = there at run time, even if only for its side effects. */
  readonly kind: "value" | "type";
  /** Imported names; empty for side effects, `*` and dynamic imports. */
  readonly names: readonly string[];
  readonly line: number;
};
export type Use = { readonly name: string; readonly line: number };

export type Source = {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** `setTimeout`, `Date.now`, `new Date()`, `process.env`: only names this file does not declare itself. */
  readonly uses: readonly Use[];
  readonly defaultExports: readonly number[];
  /** Lines of `export * from` a neighbour. */
  readonly starExports: readonly number[];
  /** Has re-exports and nothing of its own. */
  readonly isBarrel: boolean;
  /** Classes that do not extend something called `…Error`. */
  readonly classes: readonly Use[];
  /** `let` and `var` at the top level. */
  readonly mutable: readonly Use[];
};

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value;
}

const nodes = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const nameOf = (value: unknown): string => (isNode(value) ? text(value["name"]) || text(value["value"]) : "");

/** Keys that hold a name and not a reference, unless the node is `computed`. */
const nameKeys: Readonly<Record<string, readonly string[]>> = {
  Property: ["key"],
  MethodDefinition: ["key"],
  PropertyDefinition: ["key"],
  TSPropertySignature: ["key"],
  TSMethodSignature: ["key"],
  MemberExpression: ["property"],
  LabeledStatement: ["label"],
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
  TSQualifiedName: ["right"],
  TSNamedTupleMember: ["label"],
  ImportSpecifier: ["imported"],
  ExportSpecifier: ["exported"],
  TSTypeQuery: ["exprName"],
  TSImportType: ["qualifier"],
  MetaProperty: ["meta", "property"],
};

/** @throws if the text is not TypeScript. */
export function readSource(path: string, code: string): Source {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message ?? "unknown reason"}`);
  const starts = lineStarts(code);
  const lineAt = (node: Node): number => starts.filter((start) => start <= node.start).length;

  const imports: Import[] = [];
  const uses: Use[] = [];
  const classes: Use[] = [];
  const declared = new Set<string>();
  const visit = (node: Node): void => {
    const line = lineAt(node);
    const found = importOf(node);
    if (found !== null) imports.push({ ...found, line });
    for (const name of usesOf(node)) uses.push({ name, line });
    for (const name of declarationsOf(node)) declared.add(name);
    if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
      if (!nameOf(node["superClass"]).endsWith("Error")) classes.push({ name: nameOf(node["id"]), line });
    }
    for (const [key, value] of Object.entries(node)) {
      if (nameKeys[node.type]?.includes(key) === true && node["computed"] !== true) continue;
      for (const child of nodes(value)) visit(child);
    }
  };
  const body: readonly Node[] = nodes(program.body);
  body.forEach(visit);

  const reexports = body.filter(
    (node) => node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && isNode(node["source"])),
  );
  const own = body.filter((node) => node.type !== "ImportDeclaration" && !reexports.includes(node));
  return {
    path,
    lines: starts.length - (code.endsWith("\n") ? 1 : 0),
    imports,
    uses: uses.filter((use) => !declared.has(use.name.replace(/^new /, "").split(/[.(]/)[0] ?? "")),
    defaultExports: body.filter(isDefaultExport).map(lineAt),
    starExports: body.filter((node) => node.type === "ExportAllDeclaration").map(lineAt),
    isBarrel: reexports.length > 0 && own.length === 0,
    classes,
    mutable: body.flatMap((node) => mutableOf(node).map((name) => ({ name, line: lineAt(node) }))),
  };
}

function lineStarts(code: string): readonly number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function importOf(node: Node): Omit<Import, "line"> | null {
  const source = node["source"];
  const specifier = isNode(source) ? text(source["value"]) : "";
  if (specifier === "") return null;
  const names = nodes(node["specifiers"]).map((one) => nameOf(one["imported"]) || (one.type === "ImportDefaultSpecifier" ? "default" : ""));
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return {
        specifier,
        kind: node["importKind"] === "type" || node["exportKind"] === "type" ? "type" : "value",
        names: names.filter((name) => name !== ""),
      };
    case "ImportExpression":
      return { specifier, kind: "value", names: [] };
    case "TSImportType":
      return { specifier, kind: "type", names: [] };
    default:
      return null;
  }
}

/** `Identifier` = a reference (names were skipped on the way down); member access is reported beside its object. */
function usesOf(node: Node): readonly string[] {
  if (node.type === "Identifier") return [nameOf(node)];
  if (node.type === "NewExpression" && nodes(node["arguments"]).length === 0) return [`new ${nameOf(node["callee"])}()`];
  if (node.type === "CallExpression" && isNode(node["callee"]) && node["callee"].type === "Identifier")
    return [`${nameOf(node["callee"])}()`];
  if (node.type === "MemberExpression") {
    const property = nameOf(node["property"]);
    const object = objectOf(node["object"]);
    return object === "globalThis" ? [property] : [`${object}.${property}`];
  }
  if (node.type === "VariableDeclarator" && isNode(node["id"]) && node["id"].type === "ObjectPattern") {
    const object = objectOf(node["init"]);
    return nodes(node["id"]["properties"]).map((property) =>
      object === "globalThis" ? nameOf(property["key"]) : `${object}.${nameOf(property["key"])}`,
    );
  }
  return [];
}

/** `process` for `process` and `globalThis.process`; `import.meta` for itself. */
function objectOf(value: unknown): string {
  if (!isNode(value)) return "";
  if (value.type === "MetaProperty") return "import.meta";
  if (value.type === "MemberExpression" && nameOf(value["object"]) === "globalThis") return nameOf(value["property"]);
  return value.type === "Identifier" ? nameOf(value) : "";
}

function declarationsOf(node: Node): readonly string[] {
  switch (node.type) {
    case "VariableDeclarator":
      return patternNames(node["id"]);
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [nameOf(node["id"]), ...nodes(node["params"]).flatMap(patternNames)];
    case "ClassDeclaration":
    case "TSTypeAliasDeclaration":
      return [nameOf(node["id"])];
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      return [nameOf(node["local"])];
    default:
      return [];
  }
}

function patternNames(value: unknown): readonly string[] {
  if (!isNode(value)) return [];
  switch (value.type) {
    case "Identifier":
      return [nameOf(value)];
    case "ObjectPattern":
      return nodes(value["properties"]).flatMap((one) => patternNames(one.type === "RestElement" ? one["argument"] : one["value"]));
    case "ArrayPattern":
      return nodes(value["elements"]).flatMap(patternNames);
    case "AssignmentPattern":
      return patternNames(value["left"]);
    case "RestElement":
      return patternNames(value["argument"]);
    default:
      return [];
  }
}

function isDefaultExport(node: Node): boolean {
  if (node.type === "ExportDefaultDeclaration") return true;
  return node.type === "ExportNamedDeclaration" && nodes(node["specifiers"]).some((one) => nameOf(one["exported"]) === "default");
}

function mutableOf(node: Node): readonly string[] {
  const declaration = node.type === "ExportNamedDeclaration" ? node["declaration"] : node;
  if (!isNode(declaration) || declaration.type !== "VariableDeclaration" || declaration["kind"] === "const") return [];
  return nodes(declaration["declarations"]).flatMap((one) => patternNames(one["id"]));
}
