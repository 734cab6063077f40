/** Server-sent events of one POST: notifications of the call, then its response, then the end. */

/** What may be sent before the response is known. */
export type EventStream = {
  readonly body: ReadableStream<Uint8Array>;
  send(message: Readonly<Record<string, unknown>>): void;
  /** A comment line: keeps proxies from cutting an idle stream. */
  keepAlive(): void;
  close(): void;
};

const encoder = new TextEncoder();

/** Exactly this content type is what tunnels flush event by event; nothing on the way may hold it back or change it. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** `onLeave` runs when the reader goes away before the end. Everything sent afterwards is dropped. */
export function openEventStream(onLeave: () => void): EventStream {
  let open = true;
  let write: (text: string) => void = () => undefined;
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      write = (text) => controller.enqueue(encoder.encode(text));
      end = () => controller.close();
    },
    cancel() {
      open = false;
      onLeave();
    },
  });
  return {
    body,
    send: (message) => {
      if (open) write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    },
    keepAlive: () => {
      if (open) write(": still working\n\n");
    },
    close: () => {
      if (!open) return;
      open = false;
      end();
    },
  };
}
