/** The clock of a Node process, handed to everything that needs one. Timers never keep the process alive by themselves. */
import type { Timers } from "../gateway/reply.ts";

export const now = (): number => Date.now();

export const timers: Timers & { readonly every: (ms: number, task: () => void) => () => void } = {
  after(ms, task) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, task) {
    const timer = setInterval(task, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
