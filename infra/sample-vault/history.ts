/** What the sample vault holds: both commits as a stream for git-fast-import(1), which takes author, time and content as they are. */
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const person = "Postern <sample@postern.invalid>";

/** The bytes are the same on every machine, and so are the ids that git makes of them. */
export async function history(): Promise<Uint8Array> {
  const [a, b] = await Promise.all([notesIn(stateA()), notesIn(stateB())]);
  return Buffer.concat([
    commit({ mark: 1, atSeconds: 1_788_224_400, message: "예시 보관함을 만든다\n", notes: a }),
    commit({ mark: 2, from: 1, atSeconds: 1_788_483_600, message: "라온의 진행과 사건을 고친다\n", notes: b }),
    Buffer.from("done\n"),
  ]);
}

/**
 * The notes lie beside this file: `a/` is the whole of commit A, `b/` holds those that commit B changes. `infra/build.ts`
 * looks for addresses of exactly this form and copies what they name into `dist/`, at the place this file has there.
 */
function stateA(): URL {
  return new URL("./a/", import.meta.url);
}
function stateB(): URL {
  return new URL("./b/", import.meta.url);
}

type NoteFile = { readonly path: string; readonly bytes: Uint8Array };

async function notesIn(folder: URL): Promise<readonly NoteFile[]> {
  const root = fileURLToPath(folder);
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".md"));
  // Some file systems hand out decomposed names; in the repository they are composed.
  return Promise.all(
    names.map(async (name) => ({ path: name.split(sep).join("/").normalize("NFC"), bytes: await readFile(join(root, name)) })),
  );
}

type Commit = {
  readonly mark: number;
  readonly from?: number;
  readonly atSeconds: number;
  readonly message: string;
  readonly notes: readonly NoteFile[];
};

function commit({ mark, from, atSeconds, message, notes }: Commit): Uint8Array {
  const when = `${person} ${atSeconds} +0900`;
  const head = `commit refs/heads/main\nmark :${mark}\nauthor ${when}\ncommitter ${when}\n`;
  return Buffer.concat([
    Buffer.from(head),
    data(Buffer.from(message)),
    Buffer.from(from === undefined ? "" : `from :${from}\n`),
    ...notes.flatMap(({ path, bytes }) => [Buffer.from(`M 100644 inline ${path}\n`), data(bytes)]),
  ]);
}

function data(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}
