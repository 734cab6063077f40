/** `postern serve`: starts, says how to connect, stops on a signal. */
import { startNode } from "../node.ts";
import { StartError } from "../start-error.ts";
import type { Command } from "./command.ts";

export const serve: Command = async (args, { env, cwd, out }) => {
  if (args.length > 0) throw new StartError("usage", "usage: postern serve (no options; `postern help` names the variables)");
  let reload = (): void => undefined;
  // Before the start, so that a signal in the middle of it still ends in a clean stop.
  const asked = firstOf(stopSignals);
  process.on("SIGHUP", () => reload());
  const running = await startNode({ env, cwd });
  reload = () => void running.reload();
  for (const line of running.banner) out(line);
  out(`ready ${running.url}`);
  await asked;
  // The first signal asks, the second insists.
  void firstOf(stopSignals).then((signal) => process.exit(128 + signalNumbers[signal]));
  await running.stop();
  return 0;
};

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;
const stopSignals = ["SIGINT", "SIGTERM"] as const;
type StopSignal = (typeof stopSignals)[number];

function firstOf(signals: readonly StopSignal[]): Promise<StopSignal> {
  return new Promise((resolve) => {
    const listeners = signals.map((signal) => [signal, (): void => settle(signal)] as const);
    const settle = (signal: StopSignal): void => {
      for (const [name, listener] of listeners) process.off(name, listener);
      resolve(signal);
    };
    for (const [name, listener] of listeners) process.on(name, listener);
  });
}
