/**
 * Reference (b): the official SDK used as its documentation shows: `createMcpHandler` behind Hono, one `ping` tool with
 * schemas built once, both eras, no authentication. Prints `ready URL`; the port is argument 1.
 */
import { serve } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import * as z from "zod";
import { pingResult } from "./ping-result.ts";

const port = Number(process.argv[2]);
const ping = {
  title: "Ping",
  description: "Checks the connection and says how the server sees this app.",
  inputSchema: z.object({}),
  outputSchema: z.object({
    client: z.string(),
    era: z.enum(["handshake", "stateless"]),
    revision: z.string(),
    origin: z.object({ kind: z.string() }),
  }),
};

const handler = createMcpHandler(({ era }) => {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  const facts =
    era === "modern" ? ({ era: "stateless", revision: "2026-07-28" } as const) : ({ era: "handshake", revision: "2025-11-25" } as const);
  server.registerTool("ping", ping, () => pingResult({ client: "local", ...facts }));
  return server;
});

const app = new Hono();
app.all("/mcp", (context) => handler.fetch(context.req.raw));

serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => process.stdout.write(`ready http://127.0.0.1:${port}/mcp\n`));
