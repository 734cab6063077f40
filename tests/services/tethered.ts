/** Starts a server program that cannot outlive this process, waits until it says it is ready, and ends it by its id. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Tethered = {
  /** Resolves when the process has gone and its scratch folder with it. May be called again. */
  stop(): Promise<void>;
};
export type TetheredOptions = {
  readonly command: readonly string[];
  /** Working directory; removed after the end. */
  readonly scratch: string;
  /** Sent to end it. */
  readonly signal: "TERM" | "INT";
  /** A line of its output that means "ready". */
  readonly ready: RegExp;
  /** Default 60,000. */
  readonly readyWithinMs?: number;
};

const tether = fileURLToPath(new URL("tether.sh", import.meta.url));
/** Enough of a server's last words to see why it did not start. */
const keptChars = 4000;

/** @throws with the server's last output if it ends, or is not ready in time. */
export function startTethered({ command, scratch, signal, ready, readyWithinMs = 60_000 }: TetheredOptions): Promise<Tethered> {
  const child = spawn("sh", [tether, signal, scratch, ...command], {
    cwd: scratch,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const gone = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.on("error", () => undefined);
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await gone;
  };
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason: string): void => {
      clearTimeout(timer);
      child.stdin.end();
      reject(new Error(`${command.join(" ")}: ${reason}. It said:\n${output}`));
    };
    const timer = setTimeout(() => fail(`not ready after ${readyWithinMs} ms`), readyWithinMs);
    const listen = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-keptChars);
      if (!ready.test(output)) return;
      clearTimeout(timer);
      resolve({ stop });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", (error) => fail(error.message));
    void gone.then((code) => fail(`ended with code ${code}`));
  });
}
