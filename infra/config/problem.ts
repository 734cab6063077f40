/** What is wrong with a configuration, and where. */

export type Path = readonly (string | number)[];

export type Problem = {
  /** From 1; 0 where no line can be named, such as a missing file. */
  readonly line: number;
  readonly column: number;
  /** Dotted path of the setting, empty for the whole file. */
  readonly path: string;
  /** Our own sentence. Never holds the value: it may be a secret. */
  readonly message: string;
};

/** One line a person can act on: `postern.yaml:12:5 clients.claude.audience must be a text`. */
export function renderProblem(file: string, { line, column, path, message }: Problem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return path === "" ? `${place} ${message}` : `${place} ${path} ${message}`;
}
