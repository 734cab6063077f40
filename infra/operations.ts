/** The operations listener: is it alive, is it ready, what has it counted. Never reachable through a client's host. */
import { Hono } from "hono";
import type { Gauge, Metrics } from "./metrics.ts";

export type Readiness = {
  readonly ready: boolean;
  /** One entry a dependency: what it is, whether it serves, how old its state is. */
  readonly dependencies: readonly Dependency[];
};
export type Dependency = {
  readonly name: string;
  readonly ok: boolean;
  readonly age_seconds?: number;
  readonly reason?: string;
  readonly [fact: string]: unknown;
};

export type OperationsDependencies = {
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Metrics;
  readonly gauges: () => Promise<readonly Gauge[]>;
  /** Hostname this listener is bound to; a page that a browser was tricked into asking under another name is refused. */
  readonly host: string;
};

export function createOperations({ readiness, metrics, gauges, host }: OperationsDependencies): Hono {
  const app = new Hono();
  const names = new Set(["127.0.0.1", "localhost", "[::1]", host]);
  app.get("/healthz", () => Response.json({ status: "alive" }));
  app.use("*", async (context, next) => {
    const name = (context.req.header("host") ?? "").toLowerCase().replace(/:\d+$/, "");
    if (!names.has(name)) return Response.json({ error: "unknown_host" }, { status: 421 });
    return next();
  });
  app.get("/readyz", async () => {
    const state = await readiness();
    return Response.json(state, { status: state.ready ? 200 : 503 });
  });
  app.get(
    "/metrics",
    async () => new Response(metrics.render(await gauges()), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
  );
  app.all("*", () => Response.json({ error: "not_found" }, { status: 404 }));
  return app;
}
