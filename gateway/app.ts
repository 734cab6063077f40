/** Every URL of the public listener, on one screen. */
import { Hono } from "hono";
import { renderMetadata, renderPreflight, renderRefusal } from "../auth/challenge.ts";
import type { Gate, Refusal } from "../auth/gate.ts";
import type { Log } from "../storage/ports.ts";
import type { Endpoint, Inbound } from "./endpoint.ts";
import { nameOf, whereOf } from "./fault-site.ts";

/** Serves the built-in authorization server; null = none is configured or this request may not reach it. */
export type AuthorizationPages = (request: Request, inbound: Inbound) => Promise<Response | null>;

export type AppDependencies = {
  readonly endpoint: Endpoint;
  readonly gate: Gate;
  readonly authorization: AuthorizationPages;
  readonly observeRefusal: (refusal: Refusal, inbound: Inbound) => void;
  readonly log: Log;
};

export type App = Hono<{ Bindings: Inbound }>;

const mcpPaths = ["/mcp", "/mcp/"];
/** RFC 9728 section 3.1: the well-known part goes between host and path; clients also try the root. */
const resourceMetadataPaths = ["", "/mcp", "/mcp/"].map((suffix) => `/.well-known/oauth-protected-resource${suffix}`);
const authorizationPaths = [
  "/oauth/*",
  ...["oauth-authorization-server", "openid-configuration"].flatMap((name) =>
    ["", "/mcp", "/mcp/"].map((suffix) => `/.well-known/${name}${suffix}`),
  ),
];

export function createApp({ endpoint, gate, authorization, observeRefusal, log }: AppDependencies): App {
  const app: App = new Hono();
  const notFound = (): Response => Response.json({ error: "not_found" }, { status: 404 });

  /** Pages beside /mcp: a configured host and an allowed origin are enough, no address and no credential. */
  const page = async (
    request: Request,
    inbound: Inbound,
    render: (door: Extract<Awaited<ReturnType<Gate["door"]>>, { kind: "door" }>) => Response | Promise<Response>,
  ): Promise<Response> => {
    const decision = await gate.door({
      method: request.method,
      target: inbound.target,
      header: (name) => request.headers.get(name),
      peerAddress: inbound.peerAddress,
    });
    if (decision.kind === "refusal") {
      observeRefusal(decision, inbound);
      return renderRefusal(decision);
    }
    if (decision.kind === "preflight") return renderPreflight(decision, (name) => request.headers.get(name));
    return render(decision);
  };

  app.get("/healthz", () => Response.json({ status: "alive" }));
  for (const path of mcpPaths) app.all(path, (context) => endpoint(context.req.raw, context.env));
  for (const path of resourceMetadataPaths)
    app.all(path, (context) => page(context.req.raw, context.env, (door) => renderMetadata(door, context.req.raw.method)));
  for (const path of authorizationPaths)
    app.all(path, (context) =>
      page(context.req.raw, context.env, async () => (await authorization(context.req.raw, context.env)) ?? notFound()),
    );
  // Not `all("*")`: that would match every request beside its own route, and two matches take Hono's slow path.
  app.notFound((context) => page(context.req.raw, context.env, notFound));
  app.onError((error, context) => {
    log("error", "request_failed", { request_id: context.env.requestId, error: nameOf(error), at: whereOf(error) });
    return Response.json({ error: "internal_error", request_id: context.env.requestId }, { status: 500 });
  });
  return app;
}
