/** What may be said of a thrown error: its kind and our own place. Its message may hold data and stays out of logs and answers. */

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** File, line and column of the innermost frame, without the folders above the file. */
export function whereOf(error: unknown): string {
  const frame = error instanceof Error ? error.stack?.split("\n").find((line) => line.trimStart().startsWith("at ")) : undefined;
  return (
    frame
      ?.trim()
      .replace(/^at /, "")
      .replace(/\(?(?:file:\/\/)?\/.*\//, "") ?? ""
  );
}
