/** A person's own vault, served by the running product and walked by real clients of both eras; their logins are proven elsewhere. */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRepository } from "../support/git-repository.ts";
import { type Postern, startPostern } from "../support/postern.ts";

/** Over the response limit of 64 KiB many times; characters of one to four bytes, so that parts cannot fall on a fixed grid. */
const long = Array.from({ length: 6000 }, (_, line) => `줄 ${line}: 가나다 é 🦊 "따옴표"\n`).join("");
const decomposed = "한글 메모/회의록.md".normalize("NFD");
const others = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`일지/${at}.md`, `# 일지 ${at}\n\n대한민국 산책 ${at}\n`]));

let folder: string;
let postern: Postern;
let token: string;
let older: string;
let newest: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "postern-vault-clients-"));
  const repository = await createRepository({ at: folder });
  older = await repository.commit({
    ...others,
    [decomposed]: "# 회의록\n\n첫 결정: 회색. [[긴 글]] [[진행]] [[없는 글]]\n",
    "긴 글.md": long,
    "가/진행.md": "가",
    "나/진행.md": "나",
  });
  newest = await repository.commit({ [decomposed]: "# 회의록\n\n다음 결정: 보라색.\n", "일지/9.md": "# 일지 9\n\n대한민국 산책 9\n" });
  postern = await startPostern({ config: () => `vault: { repository: ${JSON.stringify(folder)} }\n` });
  token = await postern.token();
}, 60_000);
afterAll(async () => {
  await postern.stop();
  await rm(folder, { recursive: true, force: true });
});

type Walker = {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

async function handshakeClient(): Promise<Walker> {
  const client = new ClientV1({ name: "test", version: "1" });
  await client.connect(new TransportV1(new URL(postern.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
}

const modern = (mode: "legacy" | { readonly pin: string }) => async (): Promise<Walker> => {
  const client = new ClientV2({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new TransportV2(new URL(postern.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
};

const page = z.object({ commit: z.string(), items: z.array(z.object({ path: z.string() })), next_cursor: z.string().nullable() });
const reading = z.object({
  commit: z.string(),
  notes: z.tuple([
    z.object({
      path: z.string(),
      content: z.string(),
      partial: z.boolean().optional(),
      range: z.object({ start: z.number(), end: z.number(), total: z.number(), next_start: z.number().nullable() }).optional(),
      links: z.array(z.object({ target_path: z.string(), resolution: z.string(), candidates: z.array(z.string()).optional() })),
    }),
  ]),
});
const refusal = z.object({ error_code: z.string(), message: z.string() });
const reply = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.unknown(),
  content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
});

/** The structured half of an answer whose text half says the same. */
async function ask<Shape extends z.ZodType>(walker: Walker, shape: Shape, name: string, args: Record<string, unknown>) {
  const { structuredContent, content, isError = false } = reply.parse(await walker.call(name, args));
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  expect(isError).toBe(shape === (refusal as z.ZodType));
  return shape.parse(structuredContent);
}

describe.each([
  ["sdk 1.32, handshake", handshakeClient],
  ["client 2.4, handshake", modern("legacy")],
  ["client 2.4, stateless", modern({ pin: "2026-07-28" })],
] as const)("a real client (%s)", (_name, connect) => {
  it("lists, searches in Korean, follows the cursor, reads, and goes back to an older commit", async () => {
    const walker = await connect();
    const first = await ask(walker, page, "vault_list", { prefix: "일지" });
    expect([first.commit, first.items.length]).toEqual([newest, 5]);
    const second = await ask(walker, page, "vault_list", { prefix: "일지", cursor: first.next_cursor, limit: 20 });
    expect([...first.items, ...second.items].map(({ path }) => path)).toEqual([0, 1, 2, 3, 4, 5, 9].map((at) => `일지/${at}.md`));
    expect(second.next_cursor).toBeNull();

    // Part of a word, and decomposed as some keyboards and file systems send it.
    const found = await ask(walker, page, "vault_search", { query: "민국 산책".normalize("NFD"), commit: older, limit: 4 });
    const rest = await ask(walker, page, "vault_search", { query: "민국 산책", cursor: found.next_cursor });
    expect([...found.items, ...rest.items].map(({ path }) => path)).toEqual(Object.keys(others));
    expect([rest.commit, rest.next_cursor]).toEqual([older, null]);
    expect(await ask(walker, page, "vault_search", { query: "어디에도 없는 말" })).toMatchObject({
      commit: newest,
      items: [],
      next_cursor: null,
    });

    const path = "한글 메모/회의록.md";
    const now = await ask(walker, reading, "vault_read", { paths: [path] });
    expect([now.commit, now.notes[0].path, now.notes[0].content]).toEqual([newest, decomposed, "# 회의록\n\n다음 결정: 보라색.\n"]);
    const before = await ask(walker, reading, "vault_read", { paths: [decomposed], commit: older });
    expect([before.commit, before.notes[0].content.includes("회색")]).toEqual([older, true]);
    expect(before.notes[0].links).toMatchObject([
      { target_path: "긴 글.md", resolution: "resolved" },
      { target_path: "진행", resolution: "ambiguous", candidates: ["가/진행.md", "나/진행.md"] },
      { target_path: "없는 글", resolution: "missing" },
    ]);
    await walker.close();
  });

  it("reads a note over the response limit in parts that together are the note, byte for byte", async () => {
    const walker = await connect();
    const refused = await ask(walker, refusal, "vault_read", { paths: ["긴 글.md"] });
    expect(refused).toMatchObject({ error_code: "RESPONSE_TOO_LARGE", message: expect.stringContaining("start: 0") });
    const hash = createHash("sha256");
    let parts = 0;
    let commit: string | undefined;
    for (let start: number | null = 0; start !== null; parts += 1) {
      const part: z.infer<typeof reading> = await ask(walker, reading, "vault_read", {
        paths: ["긴 글.md"],
        start,
        ...(commit === undefined ? {} : { commit }),
      });
      const [note] = part.notes;
      expect([note.partial, note.range?.start, note.range?.total]).toEqual([true, start, Buffer.byteLength(long)]);
      expect(note.content.isWellFormed() && !note.content.includes("\ufffd")).toBe(true);
      hash.update(note.content);
      commit = part.commit;
      start = note.range?.next_start ?? null;
    }
    expect(hash.digest("hex")).toBe(createHash("sha256").update(long).digest("hex"));
    expect(parts).toBeGreaterThan(2);
    await walker.close();
  });

  it("is told INVALID_CURSOR for a cursor with any one character changed, cut or added", async () => {
    const walker = await connect();
    const { next_cursor } = await ask(walker, page, "vault_list", { prefix: "일지" });
    const cursor = next_cursor ?? "";
    const changed = Array.from(cursor, (letter, at) => `${cursor.slice(0, at)}${letter === "A" ? "B" : "A"}${cursor.slice(at + 1)}`);
    for (const wrong of [...changed, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor} `, "bogus"]) {
      expect((await ask(walker, refusal, "vault_list", { prefix: "일지", cursor: wrong })).error_code).toBe("INVALID_CURSOR");
    }
    await walker.close();
  });
});
