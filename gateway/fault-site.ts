/** What may be said of a thrown error: its kind and our own place. Its message may hold data and stays out of logs and answers. */

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** `at `, perhaps a function, then a file with line and column: what V8 writes, and nothing a message could smuggle in. */
const frame = /^ +at (?:[\w.$<> ]+ \()?(?:file:\/\/)?[^\s()]*?([^\s()/]+:\d+:\d+)\)?$/;

/** File, line and column of the innermost frame, without the folders above the file. Empty where there is none. */
export function whereOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return "";
  // A message of several lines stands at the top of the stack and may look like frames.
  const start = error.stack.indexOf(error.message);
  const frames = start === -1 ? error.stack : error.stack.slice(start + error.message.length);
  for (const line of frames.split("\n")) {
    const place = frame.exec(line)?.[1];
    if (place !== undefined) return place;
  }
  return "";
}
