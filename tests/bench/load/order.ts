/** What the load driver is told and what it says back; both sides parse it. */
import * as z from "zod";

export const orderSchema = z.object({
  url: z.string(),
  bearer: z.string().nullable(),
  era: z.enum(["handshake", "stateless"]),
  /** Keep-alive connections, each with one call under way at a time. */
  connections: z.number().int().min(1).max(256),
  /** Calls in all; shared among the connections as each gets free. */
  calls: z.number().int().min(1),
});
export type Order = z.output<typeof orderSchema>;

export const reportSchema = z.union([z.object({ ok: z.literal(true) }), z.object({ ok: z.literal(false), problem: z.string() })]);
export type Report = z.output<typeof reportSchema>;
