/**
 * `node infra/config/reference.ts --write`: makes `docs/configuration.md` and `docs/postern.schema.json` from the schema.
 * Without `--write` it prints the page.
 */
import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { configSchema } from "./schema.ts";

/** What the page reads of a JSON Schema; the rest passes through to editors. */
type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
};

/** JSON Schema 2020-12 of the file as people write it. */
function jsonSchema(): Readonly<Record<string, unknown>> {
  return { title: "postern.yaml", ...z.toJSONSchema(configSchema, { io: "input", target: "draft-2020-12" }) };
}

export type Setting = { readonly path: string; readonly schema: Schema; readonly isRequired: boolean };

/** Every key of the file in its order; `<name>` stands for a name the operator chooses. */
export function settings(schema: Schema = jsonSchema(), path = ""): readonly Setting[] {
  const alternatives = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const keys = new Map<string, { schema: Schema; isRequired: boolean }>();
  for (const { properties = {}, required = [] } of alternatives) {
    for (const [key, inner] of Object.entries(properties)) {
      // Alternatives of one block share a key such as `kind`; it is one setting.
      const known = keys.get(key)?.schema;
      const { description = "" } = inner;
      keys.set(key, { schema: known === undefined ? inner : { description, anyOf: [known, inner] }, isRequired: required.includes(key) });
    }
  }
  const own = [...keys].flatMap(([key, setting]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return [{ path: at, ...setting }, ...settings(setting.schema, at)];
  });
  const named = alternatives.flatMap(({ additionalProperties }) =>
    typeof additionalProperties === "object" ? settings(additionalProperties, `${path}.<name>`) : [],
  );
  return [...own, ...named];
}

function shapeOf(schema: Schema): string {
  const alternatives = schema.anyOf ?? schema.oneOf;
  // A number without bounds beside a text is a size in bytes, whose bounds are said in words.
  if (alternatives?.some(({ type, minimum = 0 }) => type === "integer" && minimum < 0) === true) return "size";
  if (alternatives !== undefined) return [...new Set(alternatives.map(shapeOf))].join(" or ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.type === "array") return `list of ${shapeOf(schema.items ?? {})}`;
  if (schema.type === "integer") return rangeOf(schema);
  if (schema.type === "boolean") return "`true`, `false`";
  if (schema.type === "null") return "`null`";
  return schema.type === "object" ? "block" : "text";
}

function rangeOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  return maximum >= Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `${minimum} to ${maximum}`;
}

function defaultOf({ schema, isRequired }: Setting): string {
  if (isRequired) return "required";
  const { default: value } = schema;
  if (value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value))) return "";
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``;
}

const intro = `# Configuration

Generated from \`infra/config/schema.ts\` by \`node infra/config/reference.ts --write\`. Do not edit by hand.

\`postern.yaml\` in the working directory, or where \`POSTERN_CONFIG\` says. \`PORT\` and \`POSTERN_HOME\` override \`listen\` and \`home\`.
For editors there is a JSON Schema: put \`# yaml-language-server: $schema=docs/postern.schema.json\` into the first line.

- \`\${NAME}\` takes a variable from \`env_file\`, else from the environment. One that is missing is an empty text.
- Sizes: \`64KiB\`, \`1MiB\` or plain bytes. Durations: \`500ms\`, \`30s\`, \`24h\`, \`7d\`.
- Both files are looked at twice a second. A valid change applies at once; \`listen\`, \`operations\` and \`home\` wait for the next start.
  A broken file changes nothing and the log names its line, except that a client whose audience can be read as empty, or whose
  block cannot be read, is closed.
- Unknown keys are refused, and so are YAML tags such as \`!secret\`. What is configured and not built yet is said at the start.
- \`npx postern config check\` shows what a file means, without secrets.

`;

export function configurationPage(): string {
  // `vault` has the keys of an entry of `vaults`.
  const listed = settings().filter(({ path }) => !path.startsWith("vault."));
  const rows = listed.map((setting) => {
    const { path, schema } = setting;
    return `| \`${path}\` | ${shapeOf(schema)} | ${defaultOf(setting)} | ${(schema.description ?? "").replaceAll("|", "\\|")} |`;
  });
  return `${intro}| key | shape | default | what it is |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

export function schemaFile(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

if (import.meta.main) {
  if (process.argv.includes("--write")) {
    await writeFile(new URL("../../docs/configuration.md", import.meta.url), configurationPage());
    await writeFile(new URL("../../docs/postern.schema.json", import.meta.url), schemaFile());
  } else process.stdout.write(configurationPage());
}
