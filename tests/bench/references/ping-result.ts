/** The answer to `tools/call` of `ping` that all three servers of the gateway bench give: same fields, same sizes. */

export type PingFacts = { readonly client: string; readonly era: "handshake" | "stateless"; readonly revision: string };

export function pingResult({ client, era, revision }: PingFacts): {
  content: { type: "text"; text: string }[];
  structuredContent: { client: string; era: string; revision: string; origin: { kind: string } };
} {
  const value = { client, era, revision, origin: { kind: "postern" } };
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
