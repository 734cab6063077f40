/** What a command is and what it may use. */

/** What a command may use; it returns the exit code, or throws a StartError with the line to print. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
};
export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>;
