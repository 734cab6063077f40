/**
 * The log: one JSON object a line on stderr. Only fields on the list below are written, so that a value nobody thought
 * about cannot slip out; lines are collected for a moment and written together, because a write costs more than a call.
 */
import { writeSync } from "node:fs";
import type { Log, Now } from "../storage/ports.ts";

/** Field names are part of the public interface (semantic versioning covers them). None may hold a token, code, secret or argument. */
const allowed = new Set([
  "request_id",
  "client",
  "host",
  "reason",
  "detail",
  "status",
  "method",
  "path",
  "peer_address",
  "caller_address",
  "era",
  "revision",
  "tool",
  "outcome",
  "count",
  "error",
  "at",
  "vault",
  "commit",
  "generation",
  "issuer",
  "age_seconds",
  "line",
  "column",
  "setting",
  "clients",
  "address",
  "exit_code",
  "file",
  "model",
  "oauth_client",
]);

export type LogSink = {
  /** Takes whole lines, each ending in a newline. */
  write(text: string): void;
  /** Runs `task` soon, once; more calls before it ran change nothing for the caller. */
  soon(task: () => void): void;
};

/** More waiting than this is written at once: text that waits long outlives the quick kind of garbage collection. */
const flushAtLength = 8192;

/** A line that is written again and again: all but time and request id is rendered once. */
export type PrepareLine = (level: Level, event: string, fields: Fields) => (requestId: string) => void;
export type FlushableLog = { readonly log: Log; readonly prepare: PrepareLine; readonly flush: () => void };
type Level = Parameters<Log>[0];
type Fields = Readonly<Record<string, unknown>>;

/** `debug` lines are dropped unless `verbose`. Text values are cut at 512 characters. */
export function createLog(sink: LogSink, now: Now, verbose = false): FlushableLog {
  let waiting = "";
  const flush = (): void => {
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    sink.write(text);
  };
  let stampedMs = Number.NaN;
  let stamp = "";
  const put = (level: Level, rest: string): void => {
    if (level === "debug" && !verbose) return;
    if (waiting === "") sink.soon(flush);
    const ms = now();
    // Many lines share a millisecond, and writing a date costs as much as the rest of a line.
    if (ms !== stampedMs) stamp = new Date(ms).toISOString();
    stampedMs = ms;
    waiting += `{"time":"${stamp}",${rest}}\n`;
    if (level === "error" || waiting.length >= flushAtLength) flush();
  };
  return {
    log: (level, event, fields = {}) => put(level, head(level, event) + rendered(fields)),
    prepare: (level, event, fields) => {
      const before = `${head(level, event)},"request_id":"`;
      const after = `"${rendered(fields)}`;
      return (requestId) => put(level, before + requestId + after);
    },
    flush,
  };
}

function head(level: Level, event: string): string {
  return `"level":"${level}","event":${JSON.stringify(event)}`;
}

/** Nothing to escape and nothing to cut, as in nearly every value. */
const plain = /^[\w .:/-]{0,512}$/;

/** `,"name":value` for each field that may be written. */
function rendered(fields: Fields): string {
  let text = "";
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined || !allowed.has(name)) continue;
    if (typeof value === "string" && plain.test(value)) text += `,"${name}":"${value}"`;
    else text += `,"${name}":${JSON.stringify(typeof value === "string" && value.length > 512 ? `${value.slice(0, 512)}…` : value)}`;
  }
  return text;
}

/** Longest text that is put into bytes in place; a longer one is written all the same. */
const placeBytes = 64 * 1024;

/** Writes to stderr, synchronously, so that a line written before a crash is there after it. */
export function stderrWriter(): (text: string) => void {
  // One place for all lines: a new buffer for each write costs more than the write.
  const place = Buffer.alloc(placeBytes);
  return (text) => {
    try {
      // A UTF-16 unit takes at most three bytes. A pipe may take less than it is given.
      const bytes = text.length * 3 > placeBytes ? Buffer.from(text) : place.subarray(0, place.write(text));
      for (let written = 0; written < bytes.length;) written += writeSync(2, bytes, written);
    } catch {
      // Nobody reads stderr any more (EPIPE, EAGAIN on a full pipe); a log must not stop the gate.
    }
  };
}
