/** `postern serve`: starts, says how to connect, stops on a signal. */
import { startNode } from "../node.ts";
import { StartError } from "../start-error.ts";
import type { Command } from "./command.ts";

export const serve: Command = async (args, { env, cwd, out }) => {
  if (args.length > 0) throw new StartError("usage", "usage: postern serve (no options; `postern help` names the variables)");
  const running = await startNode({ env, cwd });
  for (const line of running.banner) out(line);
  out(`ready ${running.url}`);
  await untilStopped(() => void running.reload());
  // The first signal asks, the second insists.
  const insist = (): never => process.exit(130);
  process.once("SIGTERM", insist);
  process.once("SIGINT", insist);
  await running.stop();
  process.off("SIGTERM", insist);
  process.off("SIGINT", insist);
  return 0;
};

function untilStopped(onReload: () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGTERM", stop);
      process.off("SIGINT", stop);
      process.off("SIGHUP", onReload);
      resolve();
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    process.on("SIGHUP", onReload);
  });
}
