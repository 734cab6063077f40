/** Starts the load driver and gives it one order at a time. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Order, reportSchema } from "./order.ts";

export type Driver = {
  /** Resolves when every call was answered rightly. @throws with the first wrong answer. */
  drive(order: Order): Promise<void>;
  /** Ends the driver's process. */
  stop(): Promise<void>;
};

export function startDriver(): Driver {
  const child = fork(fileURLToPath(new URL("driver.ts", import.meta.url)), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    drive: (order) =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(new Error("the load driver has ended"));
        child.once("exit", end);
        child.once("message", (message) => {
          child.off("exit", end);
          const report = reportSchema.parse(message);
          if (report.ok) resolve();
          else reject(new Error(report.problem));
        });
        child.send(order);
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
