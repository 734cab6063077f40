/** Reads a body straight from Node's request: the way through a web stream or a copied buffer costs more than a small call. */
import type { IncomingMessage } from "node:http";
import type { BodyReader } from "../gateway/body.ts";

/** Over the limit the rest stays unread; the listener drains it after the answer, so that the caller can read the 413. */
export function bodyReader(incoming: IncomingMessage): BodyReader {
  return (limitBytes) =>
    new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let isOver = false;
      incoming.on("data", (chunk: Buffer) => {
        if (isOver) return;
        bytes += chunk.byteLength;
        if (bytes <= limitBytes) {
          chunks.push(chunk);
          return;
        }
        isOver = true;
        chunks.length = 0;
        incoming.pause();
        resolve("too_large");
      });
      incoming.on("end", () => {
        const [first] = chunks;
        if (!isOver) resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
      });
      // Without a listener an abort would be an uncaught error. After `end` or `too_large` these say nothing new.
      incoming.on("error", () => resolve("broken"));
      incoming.on("close", () => resolve("broken"));
    });
}
