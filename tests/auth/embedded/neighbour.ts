/** Another process with the same home: `neighbour.ts HOME`. Says its keys, waits for a word, ends. */
import { start } from "./harness.ts";

const server = await start({ home: process.argv[2] ?? "" });
process.send?.(await server.embedded.jwks());
process.once("message", () => {
  void server.stop().then(() => process.exit(0));
});
