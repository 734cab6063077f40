/**
 * What one client sees. A spec such as `@daily,-write_file` chooses among the tools there are; what it leaves out exists
 * but is withheld, and says so. Built once per configuration, never per request.
 */
import type { Tool } from "./tool.ts";

/** Fixed lists of names (design: Configuration, Profiles). A name whose tool is not built yet is simply not there. */
export const profiles = {
  read: [
    "ping",
    "vault_list",
    "vault_search",
    "vault_read",
    "vault_backlinks",
    "vault_changes",
    "list_dir",
    "find_files",
    "search",
    "read_file",
    "read_pdf",
  ],
  daily: [
    "ping",
    "vault_list",
    "vault_search",
    "vault_read",
    "vault_backlinks",
    "vault_changes",
    "list_dir",
    "find_files",
    "search",
    "read_file",
    "read_pdf",
    "capture_note",
    "list_captures",
    "edit_file",
    "write_file",
    "undo_change",
    "list_changes",
    "vault_propose",
    "operator_messages",
    "reply_to_operator",
    "ask_operator",
  ],
  voice: ["ping", "vault_search", "vault_read", "capture_note", "list_captures", "search", "read_file", "edit_file", "undo_change"],
} as const satisfies Record<string, readonly string[]>;

export type ToolListing = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"];
  readonly outputSchema?: Tool["inputSchema"];
  readonly annotations: Readonly<Record<string, boolean>>;
};

export type Surface = {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Tools that exist but are withheld, and the setting that withholds them. */
  readonly withheld: ReadonlyMap<string, string>;
  /** `tools/list`, ready to be sent; order is that of the catalogue. */
  readonly listings: readonly ToolListing[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions: string;
  /** Most bytes of a whole serialised tool result, text copy included. */
  readonly responseBytes: number;
};

export type SurfaceSettings = {
  /** Configured name of the client; appears in refusals as `clients.<name>.…`. */
  readonly client: string;
  /** Names, `*` globs and `@profiles`, comma-separated, a leading `-` takes away; read from left to right. */
  readonly tools: string;
  /** Only tools with effect `read`. */
  readonly readOnly: boolean;
  /** Per permission group: on, ask or off. A group that is not named is off. */
  readonly permissions: Readonly<Record<string, "on" | "ask" | "off">>;
};

export type Presentation = Pick<Surface, "serverInfo" | "instructions" | "responseBytes">;

export function buildSurface(catalogue: readonly Tool[], settings: SurfaceSettings, presentation: Presentation): Surface {
  const tools = new Map<string, Tool>();
  const withheld = new Map<string, string>();
  const chosen = chooseNames(
    settings.tools,
    catalogue.map((tool) => tool.name),
  );
  for (const tool of catalogue) {
    const reason = withholdingSetting(tool, settings, chosen);
    if (reason === null) tools.set(tool.name, tool);
    else withheld.set(tool.name, reason);
  }
  return { tools, withheld, listings: [...tools.values()].map(listingOf), capabilities: { tools: {} }, ...presentation };
}

function withholdingSetting(tool: Tool, settings: SurfaceSettings, chosen: ReadonlySet<string>): string | null {
  const prefix = `clients.${settings.client}`;
  if (!chosen.has(tool.name)) return `${prefix}.tools`;
  if (settings.readOnly && tool.effect !== "read") return `${prefix}.read_only`;
  if (tool.group !== null && settings.permissions[tool.group] !== "on") return `${prefix}.permissions.${tool.group}`;
  return null;
}

/** The names among `available` that a spec chooses. A word that matches nothing chooses nothing. */
export function chooseNames(spec: string, available: readonly string[]): ReadonlySet<string> {
  const chosen = new Set<string>();
  for (const word of spec
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")) {
    const takesAway = word.startsWith("-");
    const matches = matcherOf(takesAway ? word.slice(1) : word);
    for (const name of available.filter(matches)) {
      if (takesAway) chosen.delete(name);
      else chosen.add(name);
    }
  }
  return chosen;
}

function matcherOf(word: string): (name: string) => boolean {
  if (word.startsWith("@")) {
    const members: readonly string[] = Object.entries(profiles).find(([profile]) => profile === word.slice(1))?.[1] ?? [];
    return (name) => members.includes(name);
  }
  const pieces = word.split("*");
  if (pieces.length === 1) return (name) => name === word;
  const pattern = new RegExp(`^${pieces.map((piece) => piece.replace(/[^\w-]/g, "\\$&")).join(".*")}$`);
  return (name) => pattern.test(name);
}

function listingOf(tool: Tool): ToolListing {
  const { name, title, description, inputSchema, outputSchema, effect } = tool;
  const annotations =
    effect === "read" ? { readOnlyHint: true, openWorldHint: false } : { readOnlyHint: false, openWorldHint: effect === "send" };
  const listing = { name, title, description, inputSchema, annotations };
  return outputSchema === null ? listing : { ...listing, outputSchema };
}
