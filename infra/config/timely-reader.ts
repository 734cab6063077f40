/** Reading that does not wait for good: a disk or network folder that answers no more must not keep a revoked door open. */

export type ReadText = (path: string) => Promise<string | null>;

/** A configuration is a few kilobytes; whatever takes longer than this is not answering. */
const lateMs = 2000;

/** Text of a file; null when there is none, when it cannot be read, and when it does not come in time: unreadable means off. */
export function createTimelyReader(read: ReadText, after: (ms: number, task: () => void) => () => void): ReadText {
  /** Paths whose last reading has not ended. Each one holds a thread, and a process has few: none is asked for twice. */
  const stuck = new Set<string>();
  return (path) => {
    if (stuck.has(path)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = after(lateMs, () => {
        stuck.add(path);
        resolve(null);
      });
      const settle = (text: string | null): void => {
        giveUp();
        stuck.delete(path);
        resolve(text);
      };
      read(path).then(settle, () => settle(null));
    });
  };
}
