import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSampleVault, sampleCommits } from "../../../infra/sample-vault/create.ts";
import type { Note, NoteSummary, Outcome, Sealer, Vault } from "../../../storage/ports.ts";
import { openVault } from "../../../storage/vault/open-vault.ts";
import { commitA, commitB, links, stateA, stateB } from "./frozen.ts";
import { git, gitLines, makeScratch, type Scratch } from "./scratch.ts";

/** The shortest sealer that can be told from nothing: these tests are about notes, not about cursors. */
const sealer: Sealer = {
  seal: (purpose, payload) => `${purpose}.${btoa(payload)}`,
  open: (purpose, sealed) => (sealed.startsWith(`${purpose}.`) ? atob(sealed.slice(purpose.length + 1)) : null),
};
const never = new AbortController().signal;

let scratch: Scratch;
let repository: string;
let vault: Vault;

beforeAll(async () => {
  scratch = await makeScratch();
  repository = join(scratch.directory, "vault");
  await createSampleVault({ directory: repository });
  vault = await open(repository);
});
afterAll(async () => {
  await vault.close();
  await scratch.remove();
});

async function open(path: string): Promise<Vault> {
  const opened = await openVault({ name: "sample", repository: { path }, sealer, now: Date.now, log: () => undefined });
  if (!opened.ok) throw new Error(opened.refusal.message);
  return opened.value;
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.fault.message);
  return outcome.value;
}

async function summaries(commit: string): Promise<readonly NoteSummary[]> {
  return valueOf(await vault.list({ commit, limit: 20 }, never)).items;
}

/** Every note of a commit, read as a client reads it. */
async function notes(commit: string): Promise<readonly Note[]> {
  const paths = (await summaries(commit)).map(({ path }) => path);
  const reads = paths.map(async (path) => valueOf(await vault.read({ paths: [path], commit }, never)).notes);
  return (await Promise.all(reads)).flat();
}

async function contentOf(path: string, commit: string): Promise<string> {
  return valueOf(await vault.read({ paths: [path], commit }, never)).notes[0]?.content ?? "";
}

function bodies(commit: string): readonly (readonly [string, number, string])[] {
  return gitLines(repository, "ls-tree", "-r", "--name-only", commit).map((path) => {
    const bytes = git(repository, "cat-file", "blob", `${commit}:${path}`);
    return [path, bytes.length, createHash("sha256").update(bytes).digest("hex")];
  });
}

describe("the commits of the sample vault", () => {
  it("have the same ids on every machine", () => {
    expect(sampleCommits).toEqual({ a: commitA, b: commitB });
    expect(gitLines(repository, "rev-list", "main")).toEqual([commitB, commitA]);
    expect(gitLines(repository, "symbolic-ref", "HEAD")).toEqual(["refs/heads/main"]);
  });

  it("hold the twelve frozen bodies each, and nothing else", () => {
    expect(bodies(commitA)).toEqual(stateA);
    expect(bodies(commitB)).toEqual(stateB);
    for (const commit of [commitA, commitB])
      expect(gitLines(repository, "ls-tree", "-r", "--format=%(objectmode) %(objecttype)", commit)).toEqual(
        Array.from({ length: 12 }, () => "100644 blob"),
      );
  });

  it("follow each other, and differ in the progress and the event log of Raon only", () => {
    expect(gitLines(repository, "rev-parse", `${commitB}^@`)).toEqual([commitA]);
    expect(gitLines(repository, "diff", "--name-only", commitA, commitB)).toEqual(["areas/라온/사건-기록.md", "areas/라온/진행.md"]);
  });

  it("hold only composed names, line feeds and bodies of at most 8 KiB of valid UTF-8", () => {
    for (const [commit, state] of [
      [commitA, stateA],
      [commitB, stateB],
    ] as const)
      for (const [path, bytes] of state) {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(git(repository, "cat-file", "blob", `${commit}:${path}`));
        expect([path.normalize("NFC"), bytes <= 8192, text.includes("\r"), text.normalize("NFC") === text]).toEqual([
          path,
          true,
          false,
          true,
        ]);
      }
  });
});

describe("the notes of the sample vault", () => {
  it("carry the five keys of the front matter and a description", async () => {
    for (const note of await notes(commitB)) {
      const keys = note.content
        .split("\n---\n")[0]
        ?.split("\n")
        .slice(1)
        .map((line) => line.split(":")[0]);
      expect({ path: note.path, error: note.metadata_error, keys }).toEqual({
        path: note.path,
        error: undefined,
        keys: ["synthetic", "title", "type", "status", "verified", "description"],
      });
      expect(note.content).toContain("\nsynthetic: true\n");
    }
  });

  it.each([commitA, commitB])("link to exactly what they should at %s, each link resolved", async (commit) => {
    const found = (await notes(commit)).map((note) => [note.path, note.links]);
    const expected = Object.entries(links).map(([path, targets]) => [
      path,
      targets.map((target_path) => ({ target_path, anchor: null, resolution: "resolved", kind: "note" })),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  it("make a bare link to 진행 ambiguous", async () => {
    const copy = join(scratch.directory, "copy");
    git(scratch.directory, "clone", "--quiet", repository, copy);
    await writeFile(join(copy, "bare.md"), "[[진행]]\n");
    git(copy, "add", "bare.md");
    git(copy, "commit", "--quiet", "-m", "bare");
    const opened = await open(copy);
    const [note] = valueOf(await opened.read({ paths: ["bare.md"] }, never)).notes;
    await opened.close();
    expect(note?.links).toMatchObject([
      { target_path: "진행", resolution: "ambiguous", candidates: ["areas/라온/진행.md", "projects/모아/진행.md"] },
    ]);
  });

  it("tell the afternoon habit in one body only, and in no title, description or path", async () => {
    const everywhere = [...(await notes(commitA)), ...(await notes(commitB))];
    const holders = everywhere.filter((note) => note.content.normalize("NFC").includes("오후 정리")).map((note) => note.path);
    expect(holders).toEqual(["sources/푸른-연필.md", "sources/푸른-연필.md"]);
    const shown = [...(await summaries(commitA)), ...(await summaries(commitB))].map(
      ({ path, title, description }) => `${path} ${title} ${String(description)}`,
    );
    expect(shown.filter((text) => text.includes("오후") || text.includes("정리"))).toEqual([]);
    const hits = valueOf(await vault.search({ query: "오후 정리", scope: "all", limit: 20 }, never)).items;
    expect(hits.map(({ path, match_location }) => [path, match_location])).toEqual([["sources/푸른-연필.md", "body"]]);
    expect(Object.values(links).flat()).not.toContain("sources/푸른-연필.md");
  });

  it("say nothing of any drink", async () => {
    const words = [
      "음료",
      "커피",
      "차",
      "주스",
      "마실",
      "마시",
      "우유",
      "물을",
      "카페",
      "라떼",
      "콜라",
      "맥주",
      "와인",
      "술",
      "coffee",
      "tea",
      "juice",
      "drink",
      "milk",
      "좋아하",
    ];
    for (const { path, content } of [...(await notes(commitA)), ...(await notes(commitB))])
      expect([path, words.filter((word) => content.toLowerCase().includes(word))]).toEqual([path, []]);
  });

  it("hold no list of themselves, no questions asked of a reader and no answers to judge", async () => {
    const words = [
      /manifest|sha-?256|checksum/i,
      /판정|채점|정답|대표 요청|시험 계획/,
      /\bT[1-6]\b|\bF(0[1-9]|1[0-2])\b/,
      /vault_|mcp|claude|chatgpt|gemini/i,
      /[0-9a-f]{40}/,
    ];
    for (const { path, content } of [...(await notes(commitA)), ...(await notes(commitB))])
      expect([path, words.filter((word) => word.test(content))]).toEqual([path, []]);
  });

  it("give away no answer in what a listing shows", async () => {
    const answers = [
      /B안|A안|스무|사례|질문/,
      /R[23]|파란|노란|상자|봉투/,
      /한 쪽|줄/,
      /회색|보라|견본|빛|부시/,
      /덮어|덧붙|self_report|assessed/,
    ];
    const shown = [...(await summaries(commitA)), ...(await summaries(commitB))].map(
      ({ title, description }) => `${title} ${String(description)}`,
    );
    for (const text of shown) expect([text, answers.filter((answer) => answer.test(text))]).toEqual([text, []]);
  });
});

describe("what the notes say", () => {
  const facts: readonly (readonly [what: string, path: string, ...texts: string[]])[] = [
    [
      "why one study plan was chosen",
      "atomic/학습-선택의-이유.md",
      "몇 개를 끝냈는지보다",
      "자기가 만든 예로 설명",
      "문제 스무 개",
      "사례 하나를 설명하고 질문 하나를 남긴다",
      "하린은 B안을 골랐다",
    ],
    [
      "a first proposal that nobody adopted",
      "sources/초기-제안.md",
      "status: unadopted",
      "문제 스무 개",
      "연속 기록",
      "받아들였다는 기록은 없다",
    ],
    [
      "the decision that corrected it",
      "sources/학습-선택-정정.md",
      "평일의 시간 제약",
      "연속 기록은 의무가 아니다",
      "지금의 결정으로 쓰지 않는다",
    ],
    [
      "the contract of the study",
      "areas/라온/작업-계약.md",
      "짧은 사례 질문 하나로 시작",
      "`event_id`",
      "`segment`",
      "`kind`",
      "`evidence`",
      "`assessed`",
      "`kind: self_report`",
      "`assessed: false`",
      "통과한 것처럼 적지 않는다",
    ],
    [
      "how to record",
      "rules/기록-운영.md",
      "요청이 있을 때만 변경 제안",
      "원래 문서와 현재 상태와 계약",
      "이미 있는 기록은 그대로",
      "말과 평가한 결과를 나누어",
    ],
    ["the afternoon habit", "sources/푸른-연필.md", "오후 정리", "메모를 한 쪽으로 줄여요"],
    ["where the book stands", "projects/모아/진행.md", "표지는 회색", "채택하지 않은 제안: 보라색 표지", "인쇄 견본을 확인"],
    ["why the cover is grey", "sources/모아-표지-결정.md", "빛이 반사되어 눈이 부시다", "이 결정의 이유가 아니다"],
    ["nothing about anybody in general advice", "reference/일반-학습법.md", "알 수 없다"],
  ];

  it.each(facts)("is the same in both states: %s", async (_what, path, ...texts) => {
    for (const commit of [commitA, commitB]) {
      const content = await contentOf(path, commit);
      expect(texts.filter((text) => !content.includes(text))).toEqual([]);
    }
  });

  it("puts Raon in segment R2 at A, with a delivery and nothing assessed", async () => {
    const [progress, log] = [await contentOf("areas/라온/진행.md", commitA), await contentOf("areas/라온/사건-기록.md", commitA)];
    for (const text of [
      "현재 구간: R2",
      "파란 상자 사례를 하린이 스스로 설명",
      "두 번 전달된 일",
      "건넸다는 기록만 있다",
      "아직 평가하지 않았다",
    ])
      expect(progress).toContain(text);
    for (const text of ["`event_id: r-001`", "`segment: R2`", "`kind: delivered`", "`assessed: false`", "덮어쓰지 않는다", "덧붙인다"])
      expect(log).toContain(text);
    expect(progress + log).not.toMatch(/R3|노란|r-002/);
  });

  it("puts Raon in segment R3 at B, with the old event as it was and one more", async () => {
    const [progress, log] = [await contentOf("areas/라온/진행.md", commitB), await contentOf("areas/라온/사건-기록.md", commitB)];
    for (const text of ["현재 구간: R3", "노란 봉투 사례를 하린이 스스로 설명"]) expect(progress).toContain(text);
    const before = (await contentOf("areas/라온/사건-기록.md", commitA)).split("\n## ")[1]?.split("\n\n이 기록")[0] ?? "absent";
    expect(log).toContain(before);
    for (const text of ["`event_id: r-002`", "`kind: assessment`", "`assessed: true`"]) expect(log).toContain(text);
    expect(progress).not.toContain("파란");
  });
});
