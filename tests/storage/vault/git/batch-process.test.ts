import { chmod, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { type BatchProcess, createBatchProcess } from "../../../../storage/vault/git/batch-process.ts";
import { type BatchFrame, createBatchReader } from "../../../../storage/vault/git/batch-reader.ts";
import type { GitProgram } from "../../../../storage/vault/git/git-program.ts";
import { createRepository, temporaryFolder } from "../../../support/git-repository.ts";
import { signal } from "../opened-vault.ts";

const program: GitProgram = process.env["PATH"] === undefined ? {} : { searchPath: process.env["PATH"] };

async function opened(
  more: GitProgram = {},
): Promise<{ readonly batch: BatchProcess; readonly ids: readonly string[]; readonly gitDir: string }> {
  const repository = await createRepository();
  const files = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`${index}.md`, `${index} ${"x".repeat(index * 50)}`]));
  await repository.commit(files);
  const listing = await repository.git("ls-tree", "--format=%(objectname) %(path)", "main");
  const byPath = new Map(listing.split("\n").map((line) => [line.slice(41), line.slice(0, 40)]));
  const batch = createBatchProcess("--batch", repository.gitDir, { ...program, ...more }, Date.now);
  onTestFinished(() => batch.close());
  return { batch, gitDir: repository.gitDir, ids: Object.keys(files).map((path) => byPath.get(path) ?? "") };
}

async function textOf(batch: BatchProcess, id: string, at: AbortSignal = signal): Promise<string> {
  const reply = await batch.ask(id, at);
  return reply.kind === "object" ? new TextDecoder().decode(reply.object.bytes) : reply.kind === "unavailable" ? reply.reason : reply.kind;
}

const expected = (index: number): string => `${index} ${"x".repeat(index * 50)}`;

describe("a long-lived git process", () => {
  it("answers many questions at once, each with its own object, and says so of one that is not there", async () => {
    const { batch, ids } = await opened();
    const answers = await Promise.all([...ids, "0".repeat(40), ...ids].map((id) => textOf(batch, id)));
    expect(answers).toEqual([...ids.map((_, index) => expected(index)), "missing", ...ids.map((_, index) => expected(index))]);
  });

  it("keeps its answers in step when callers leave in the middle", async () => {
    const { batch, ids } = await opened();
    const leaving = new AbortController();
    const answers = ids.map((id, index) => textOf(batch, id, index % 3 === 0 ? leaving.signal : signal).catch(() => "left"));
    leaving.abort();
    expect(await Promise.all(answers)).toEqual(ids.map((_, index) => (index % 3 === 0 ? "left" : expected(index))));
    expect(await textOf(batch, ids[7] ?? "")).toBe(expected(7));
  });

  it("is replaced after it was killed, and the caller learns that it was down", async () => {
    const { batch, ids } = await opened();
    expect(await textOf(batch, ids[1] ?? "")).toBe(expected(1));
    const first = batch.pid() ?? 0;
    process.kill(first, "SIGSTOP");
    const asked = [textOf(batch, ids[2] ?? ""), textOf(batch, ids[3] ?? "")];
    process.kill(first, "SIGKILL");
    expect(await Promise.all(asked)).toEqual(["git_exited", "git_exited"]);
    expect(await textOf(batch, ids[4] ?? "")).toBe(expected(4));
    expect(batch.pid()).not.toBe(first);
  });

  it("that falls silent is ended after the time limit and replaced", async () => {
    const { batch, ids } = await opened({ timeoutMs: 300 });
    expect(await textOf(batch, ids[1] ?? "")).toBe(expected(1));
    const silent = batch.pid() ?? 0;
    process.kill(silent, "SIGSTOP");
    expect(await textOf(batch, ids[2] ?? "")).toBe("git_timeout");
    expect(await textOf(batch, ids[3] ?? "")).toBe(expected(3));
    expect(batch.pid()).not.toBe(silent);
  });

  it("dies of a broken object without taking the questions behind it along", async () => {
    const { batch, ids, gitDir } = await opened();
    const broken = ids[70] ?? "";
    const file = join(gitDir, "objects", broken.slice(0, 2), broken.slice(2));
    await chmod(file, 0o644);
    await truncate(file, 25);
    const answers = await Promise.all(ids.map((id) => textOf(batch, id)));
    expect(answers.filter((_, index) => index !== 70)).toEqual(ids.map((_, index) => expected(index)).filter((_, index) => index !== 70));
    expect(["corrupt", "missing"]).toContain(answers[70]);
  });

  it("that cannot be started, exits at once or talks nonsense is reported and not waited for", async () => {
    const folder = await temporaryFolder();
    const script = async (name: string, body: string): Promise<string> => {
      await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      return join(folder, name);
    };
    const commands: Readonly<Record<string, string>> = {
      [join(folder, "missing")]: "git_cannot_start",
      "git\0": "git_cannot_start",
      [await script("exits", "exit 3")]: "git_exited",
      [await script("nonsense", "while read -r line; do echo hello; done")]: "git_exited",
      [await script("wrong", `while read -r line; do echo "${"a".repeat(40)} blob 1"; echo x; done`)]: "git_exited",
      [await script("endless", "read -r line; head -c 100000 /dev/zero; exec sleep 60")]: "git_exited",
    };
    for (const [command, reason] of Object.entries(commands)) {
      const { batch, ids } = await opened({ command });
      expect([command, await textOf(batch, ids[1] ?? "")]).toEqual([command, reason]);
    }
  });

  it("that always dies is given up after a few attempts", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "git"), "#!/bin/sh\nexit 128\n", { mode: 0o755 });
    const { batch, ids } = await opened({ command: join(folder, "git"), timeoutMs: 2000 });
    const answers = await Promise.all(ids.map((id) => textOf(batch, id)));
    expect(answers.filter((answer) => !["corrupt", "git_exited", "git_cannot_start"].includes(answer))).toEqual([]);
    expect(answers.filter((answer) => answer === "corrupt").length).toBeLessThan(10);
  });

  it("ends when it is closed, and answers everybody", async () => {
    const { batch, ids } = await opened();
    await textOf(batch, ids[0] ?? "");
    const pid = batch.pid() ?? 0;
    process.kill(pid, "SIGSTOP");
    const asked = ids.map((id) => textOf(batch, id));
    await batch.close();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["closed"]));
    expect(() => process.kill(pid, 0)).toThrow();
    expect(await textOf(batch, ids[0] ?? "")).toBe("closed");
  });
});

describe("reading what git answers", () => {
  it("does not depend on how the stream is cut", () => {
    const frame = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => ({
        text: Buffer.concat([Buffer.from(`${"ab".repeat(20)} blob ${bytes.length}\n`), bytes, Buffer.from("\n")]),
        bytes,
      })),
      fc.constant({ text: Buffer.from(`${"0".repeat(40)} missing\n`), bytes: null }),
    );
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        (frames, sizes) => {
          const stream = Buffer.concat(frames.map(({ text }) => text));
          const seen: BatchFrame[] = [];
          const reader = createBatchReader(true, (one) => seen.push(one));
          for (let at = 0, turn = 0; at < stream.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            expect(reader.push(stream.subarray(at, at + size))).toBe(true);
            at += size;
          }
          expect(seen.map((one) => (one.kind === "object" ? Array.from(one.object.bytes) : null))).toEqual(
            frames.map(({ bytes }) => (bytes === null ? null : Array.from(bytes))),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
