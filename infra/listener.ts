/** Puts an app on a socket: peer address, request id, raw target, disconnects; and stops without cutting anybody short. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Inbound } from "../gateway/endpoint.ts";
import { originOf } from "./origin.ts";
import { bodyReader } from "./request-body.ts";
import { StartError } from "./start-error.ts";
import type { Log } from "../storage/ports.ts";

/** What Node knows of a request; the authorization pages write to `outgoing` themselves. */
export type NodeInbound = Inbound & { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

export type Listener = {
  readonly port: number;
  /** No new work; calls under way get `graceMs`, then their connections are closed. */
  stop(graceMs: number): Promise<void>;
};

export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly setting: "listen" | "operations";
  readonly fetch: (request: Request, inbound: NodeInbound) => Response | Promise<Response>;
  readonly log: Log;
  /** What is no HTTP request, or names no address, never reaches the gate; it is refused here. */
  readonly observeMalformed: (refused: { readonly reason: string; readonly status: number; readonly peerAddress: string }) => void;
};

/** What Node's parser answers by itself; everything else is 400. */
const parserStatus: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Longer than the idle time of tunnels and of clients' connection pools, so that it is never us who cuts a pooled connection. */
const keepAliveTimeoutMs = 75_000;

/** Throws a StartError when the address cannot be had. `setting` is the key of the configuration that names it. */
export async function listen({ host, port, setting, fetch, log, observeMalformed }: ListenOptions): Promise<Listener> {
  let stopping = false;
  const handle = getRequestListener(
    (request, { incoming, outgoing }) => {
      if (stopping) return Response.json({ error: "stopping" }, { status: 503, headers: { connection: "close", "retry-after": "5" } });
      return fetch(request, inboundOf(incoming as IncomingMessage, outgoing as ServerResponse));
    },
    {
      errorHandler: () => {
        observeMalformed({ reason: "malformed_request", status: 400, peerAddress: "" });
        return Response.json({ error: "bad_request" }, { status: 400 });
      },
    },
  );
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => {
      log("error", "request_failed", { reason: "unhandled" });
      outgoing.destroy();
    });
  });
  server.on("clientError", (error: Error & { readonly code?: string }, socket: Socket) => {
    const status = parserStatus[error.code ?? ""] ?? 400;
    // A caller that merely went away said nothing that could be refused.
    if (error.code !== "ECONNRESET") observeMalformed({ reason: "malformed_http", status, peerAddress: socket.remoteAddress ?? "" });
    if (socket.writable) socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    else socket.destroy();
  });
  await bind(server, host, port).catch((error: unknown) => {
    throw new StartError("address", unavailable(error, originOf({ host, port }).slice("http://".length), setting));
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    stop: (graceMs) => {
      stopping = true;
      return close(server, graceMs);
    },
  };
}

function inboundOf(incoming: IncomingMessage, outgoing: ServerResponse): NodeInbound {
  return {
    peerAddress: incoming.socket.remoteAddress ?? "",
    target: incoming.url ?? "",
    requestId: randomUUID(),
    readBody: bodyReader(incoming),
    onDisconnect: (listener) => {
      const leave = (): void => {
        if (!outgoing.writableFinished) listener();
      };
      // Whoever asks late is told at once: `close` comes only once.
      if (outgoing.closed || outgoing.destroyed) leave();
      else outgoing.on("close", leave);
    },
    incoming,
    outgoing,
  };
}

const wayOut = { listen: "set PORT, or `listen` in postern.yaml", operations: "set `operations` in postern.yaml, null for none" } as const;

function unavailable(error: unknown, address: string, setting: ListenOptions["setting"]): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "EADDRINUSE") return `${address} is in use by another program, perhaps another Postern; stop it, or ${wayOut[setting]}`;
  if (code === "EACCES") return `${address} may not be used by this user; ${wayOut[setting]} (ports below 1024 need root)`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${address} is no address of this machine; ${wayOut[setting]}`;
  return `cannot listen on ${address} (${code}); ${wayOut[setting]}`;
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      // Such as no file handle left for a connection: that one is lost, the next may succeed.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
