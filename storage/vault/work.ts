/** Doing many small things without keeping everybody else waiting. */

/** Settles as `promise` does, or throws the signal's reason as soon as the caller leaves. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Lets timers, sockets and other calls have their turn: a message to oneself arrives after them. */
export function breathe(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.once("message", () => {
      port1.close();
      resolve();
    });
    port2.postMessage(null);
  });
}

/** Runs `visit` for every item, `width` of them at a time, and stops early when one answers false or the caller leaves. */
export async function eachOf<Item>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal,
  visit: (item: Item, index: number) => Promise<boolean>,
): Promise<void> {
  let next = 0;
  let isStopped = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !isStopped) {
      signal.throwIfAborted();
      const index = next;
      next += 1;
      const item = items[index];
      if (item !== undefined && !(await visit(item, index))) isStopped = true;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  } finally {
    isStopped = true;
  }
}
