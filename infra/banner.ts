/** What the terminal says at start: where Postern listens and how to connect each app. For people; nothing parses it but `ready`. */

export type BannerFacts = {
  /** MCP endpoint as typed into an app on this machine. */
  readonly resource: string;
  readonly operations: string | null;
  readonly vaults: readonly {
    readonly name: string;
    readonly repository: string;
    /** The commit, or why there is none to read. */
    readonly serves: string;
  }[];
  /** Clients other than the local one, with the address to type into the app; `closed`: why it may not call. */
  readonly doors: readonly { readonly name: string; readonly resource: string; readonly closed?: string }[];
  /** Null = the built-in authorization server is not in use. */
  readonly passcode: string | null;
  readonly notices: readonly string[];
  /** `NAME=value ` for each variable this start was given, so that a command copied into another shell means the same Postern. */
  readonly environment: string;
};

export function banner(facts: BannerFacts): readonly string[] {
  const { resource, passcode } = facts;
  const lines = ["Postern", ""];
  for (const { name, repository, serves } of facts.vaults) lines.push(`  vault ${name}: ${repository} ${serves}`);
  for (const door of facts.doors) lines.push(`  ${door.name}: ${door.closed === undefined ? door.resource : `closed (${door.closed})`}`);
  if (facts.operations !== null) lines.push(`  health and metrics: ${facts.operations}`);
  if (passcode !== null) {
    lines.push(
      "",
      "Connect an app on this machine (it opens a browser page that asks for the passcode):",
      `  passcode         ${passcode}`,
      `  Claude Code      claude mcp add --transport http postern ${resource}`,
      `  Codex            codex mcp add postern --url ${resource}`,
      `  MCP Inspector    npx @modelcontextprotocol/inspector   then Streamable HTTP, ${resource}`,
      `  curl             curl -s ${resource} -H "authorization: Bearer $(${facts.environment}npx postern token)" -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    );
  }
  for (const notice of facts.notices) lines.push("", `note: ${notice}`);
  return [...lines, ""];
}
