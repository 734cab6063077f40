/** The call every server of the gateway bench is sent: bytes out, and whether the answer was the right one. */
import * as z from "zod";
import type { HttpAnswer } from "./http-answer.ts";

export type Era = "handshake" | "stateless";
export type Target = {
  readonly url: string;
  /** Null = the server asks for none. */
  readonly bearer: string | null;
};

/** Ids have one width, so that the head of the request and its content-length never change. */
const firstId = 1_000_000;

const eras = {
  handshake: { revision: "2025-11-25", headers: [], meta: null },
  stateless: {
    revision: "2026-07-28",
    headers: ["mcp-method: tools/call", "mcp-name: ping"],
    meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
} as const;

const answerSchema = z.object({
  id: z.number(),
  result: z.object({ structuredContent: z.object({ era: z.string(), revision: z.string() }) }),
});

/** Text of the request for the `count`-th call, as a real client sends it: both answer types accepted, keep-alive. */
export function pingRequests(target: Target, era: Era): (count: number) => string {
  const { revision, headers, meta } = eras[era];
  const { host, pathname } = new URL(target.url);
  const [before = "", after = ""] = JSON.stringify({
    jsonrpc: "2.0",
    id: "?",
    method: "tools/call",
    params: { name: "ping", arguments: {}, ...(meta === null ? {} : { _meta: meta }) },
  }).split('"?"');
  const length = before.length + String(firstId).length + after.length;
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    ...(target.bearer === null ? [] : [`authorization: Bearer ${target.bearer}`]),
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `mcp-protocol-version: ${revision}`,
    ...headers,
    `content-length: ${length}`,
    "",
    "",
  ].join("\r\n");
  return (count) => head + before + String(firstId + count) + after;
}

/** @throws unless the answer is 200 and says the id, the era and the revision that were asked for. */
export function checkPing(answer: HttpAnswer, era: Era, count: number): void {
  const wrong = (): Error => new Error(`wrong answer: status ${answer.status}, ${answer.body.slice(0, 300)}`);
  if (answer.status !== 200) throw wrong();
  const text = answer.body.startsWith("{") ? answer.body : (/^data: (.*)$/m.exec(answer.body)?.[1] ?? "null");
  const { data } = answerSchema.safeParse(JSON.parse(text));
  const facts = data?.result.structuredContent;
  if (data?.id !== firstId + count || facts?.era !== era || facts.revision !== eras[era].revision) throw wrong();
}
