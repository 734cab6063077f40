/**
 * Turns one call into one HTTP response. A plain JSON body when the tool is done at once; an event stream, if the caller
 * takes one, as soon as there is progress to report or the first bytes must not wait any longer.
 */
import { answer } from "./protocol/answer.ts";
import { nameOf, whereOf } from "./fault-site.ts";
import { type Answer, codes, failed, responseOf } from "./protocol/messages.ts";
import type { MethodRequest } from "./protocol/methods.ts";
import { eventStreamHeaders, type EventStream, openEventStream } from "./protocol/stream.ts";
import type { Progress } from "./tool.ts";

/** Proxies cut an answer whose headers have not come after about 100 s, some earlier. */
const firstBytesMs = 10_000;
/** Idle streams are cut at about 125 s. */
const keepAliveMs = 20_000;

export type Timers = {
  /** Runs `task` once after `ms`; the returned function takes it back. */
  after(ms: number, task: () => void): () => void;
};

export type ReplyMode = "json" | "stream" | "either";

export type ReplyRequest = Omit<MethodRequest, "signal" | "progress"> & {
  readonly mode: ReplyMode;
  readonly timers: Timers;
  /** Calls back when the caller's connection is gone. */
  readonly onDisconnect: (listener: () => void) => void;
};

export async function reply(request: ReplyRequest, cors: Readonly<Record<string, string>>): Promise<Response> {
  const { call } = request;
  const cancel = cancellation(request);
  const outbox = openOutbox(request);
  const running = answer({ ...request, signal: cancel.signal, progress: outbox.progress });
  const isPending = running instanceof Promise;
  // A status of its own cannot be told in a stream, whatever the caller would rather read.
  const isRefused = !isPending && running.kind === "error" && (running.status ?? 200) >= 400;
  if (request.mode !== "stream" || isRefused) {
    const first = isPending && request.mode === "either" ? await Promise.race([running, outbox.wanted()]) : await running;
    if (first !== "stream") {
      outbox.finish();
      return json(first, request, cors);
    }
  }
  const settled = Promise.resolve(running);
  const stream = outbox.open(cancel.abort);
  void settled.then(
    (last) => outbox.close(stream, responseOf(call.id, last)),
    (error: unknown) => {
      request.log("error", "request_failed", { request_id: request.requestId, error: nameOf(error), at: whereOf(error) });
      outbox.close(
        stream,
        responseOf(call.id, failed(codes.internalError, `Internal error; the log holds it under request ${request.requestId}.`)),
      );
    },
  );
  return new Response(stream.body, { status: 200, headers: { ...eventStreamHeaders, ...cors } });
}

function json(last: Answer, { call }: Pick<ReplyRequest, "call">, cors: Readonly<Record<string, string>>): Response {
  const status = last.kind === "error" ? (last.status ?? 200) : 200;
  return new Response(JSON.stringify(responseOf(call.id, last)), { status, headers: { "content-type": "application/json", ...cors } });
}

/** Leaving cancels in the stateless era only; earlier revisions say that a disconnect is no cancellation. */
function cancellation({ call, onDisconnect }: ReplyRequest): { readonly signal: () => AbortSignal; readonly abort: () => void } {
  let controller: AbortController | null = null;
  let left = false;
  const abort = (): void => {
    if (call.era !== "stateless") return;
    left = true;
    controller?.abort();
  };
  const signal = (): AbortSignal => {
    if (controller !== null) return controller.signal;
    controller = new AbortController();
    if (left) controller.abort();
    else onDisconnect(abort);
    return controller.signal;
  };
  return { signal, abort };
}

type Outbox = {
  /** Settles when a stream has become worth opening. */
  readonly wanted: () => Promise<"stream">;
  readonly progress: (step: Progress) => void;
  readonly open: (onLeave: () => void) => EventStream;
  readonly close: (stream: EventStream, last: Readonly<Record<string, unknown>> | null) => void;
  readonly finish: () => void;
};

function nothing(): void {}

/** Holds what the call has to say until it is known how to say it. */
function openOutbox({ call, mode, timers }: ReplyRequest): Outbox {
  const waiting: Readonly<Record<string, unknown>>[] = [];
  let stream: EventStream | null = null;
  let done = false;
  let highest = Number.NEGATIVE_INFINITY;
  let want: (value: "stream") => void = nothing;
  let stopTimer: () => void = nothing;
  const finish = (): void => {
    done = true;
    stopTimer();
  };
  const tick = (opened: EventStream): void => {
    opened.keepAlive();
    stopTimer = timers.after(keepAliveMs, () => tick(opened));
  };
  return {
    wanted: () =>
      new Promise((resolve) => {
        want = resolve;
        if (waiting.length > 0) want("stream");
        else stopTimer = timers.after(firstBytesMs, () => want("stream"));
      }),
    finish,
    progress: (step) => {
      const token = call.progressToken;
      if (done || token === undefined || mode === "json" || !(step.progress > highest)) return;
      highest = step.progress;
      const message = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, ...step } };
      if (stream === null) waiting.push(message);
      else stream.send(message);
      want("stream");
    },
    open: (onLeave) => {
      stopTimer();
      const opened = openEventStream(() => {
        finish();
        onLeave();
      });
      stream = opened;
      if (waiting.length === 0) tick(opened);
      else stopTimer = timers.after(keepAliveMs, () => tick(opened));
      for (const message of waiting) opened.send(message);
      return opened;
    },
    close: (opened, last) => {
      finish();
      if (last !== null) opened.send(last);
      opened.close();
    },
  };
}
