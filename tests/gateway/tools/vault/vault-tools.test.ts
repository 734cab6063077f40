import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderFault, renderResult, resultBytes, type ToolResult } from "../../../../gateway/result.ts";
import type { Tool, ToolContext } from "../../../../gateway/tool.ts";
import { vaultTools } from "../../../../gateway/tools/vault/vault-tools.ts";
import type { Vault } from "../../../../storage/ports.ts";
import { openAt, vaultOf } from "../../../storage/vault/opened-vault.ts";

const context: ToolContext = {
  client: "claude",
  subject: "me@example.com",
  era: "stateless",
  revision: "2026-07-28",
  signal: () => new AbortController().signal,
  progress: () => undefined,
};

function toolOf(vaults: readonly Vault[], name: string, limitBytes?: number): Tool {
  const tool = vaultTools(vaults, limitBytes).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

async function call(vaults: readonly Vault[], name: string, args: unknown, limitBytes?: number): Promise<ToolResult> {
  const outcome = await toolOf(vaults, name, limitBytes).call(args, context);
  return outcome.ok ? renderResult(outcome.value) : renderFault(outcome.fault);
}

async function structure(vaults: readonly Vault[], name: string, args: unknown, limitBytes?: number): Promise<Record<string, unknown>> {
  return { ...(await call(vaults, name, args, limitBytes)).structuredContent };
}

describe("the vault tools", () => {
  it("are exactly three, all of them reads, with schemas that name every argument", async () => {
    const { vault } = await vaultOf({ "a.md": "" });
    const tools = vaultTools([vault]);
    expect(tools.map(({ name, effect, group }) => [name, effect, group])).toEqual([
      ["vault_list", "read", null],
      ["vault_search", "read", null],
      ["vault_read", "read", null],
    ]);
    const names = tools.map(({ inputSchema }) => Object.keys(Object(inputSchema["properties"])));
    expect(names).toEqual([
      ["prefix", "commit", "cursor", "limit"],
      ["query", "scope", "prefix", "commit", "cursor", "limit"],
      ["paths", "commit", "start", "end"],
    ]);
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema["additionalProperties"]).toBe(false);
      expect(outputSchema).not.toBeNull();
    }
    expect(vaultTools([])).toEqual([]);
  });

  it("know the argument vault only when there is a choice, and then demand it", async () => {
    const one = (await vaultOf({ "a.md": "first" }, { name: "notes" })).vault;
    const two = (await vaultOf({ "a.md": "second" }, { name: "work" })).vault;
    expect(await structure([one], "vault_list", { vault: "notes" })).toMatchObject({ error_code: "INVALID_ARGUMENT", field: "vault" });
    for (const tool of vaultTools([one, two])) {
      expect(tool.inputSchema["required"]).toContain("vault");
      expect(tool.inputSchema["properties"]).toMatchObject({ vault: { type: "string", enum: ["notes", "work"] } });
    }
    expect(await structure([one, two], "vault_read", { vault: "work", paths: ["a.md"] })).toMatchObject({ notes: [{ content: "second" }] });
    for (const vault of [undefined, "other", "", null]) {
      expect(await structure([one, two], "vault_read", { vault, paths: ["a.md"] })).toMatchObject({
        error_code: "INVALID_ARGUMENT",
        field: "vault",
      });
    }
  });

  it("answer with commit and origin, in both forms alike", async () => {
    const { vault, commit } = await vaultOf({ "a.md": "---\ndescription: d\nstatus: s\n---\nneedle [[b]]", "b.md": "" });
    const answers = [
      await call([vault], "vault_list", { limit: 1 }),
      await call([vault], "vault_search", { query: "needle" }),
      await call([vault], "vault_read", { paths: ["a.md"] }),
    ];
    for (const answer of answers) {
      expect(answer.structuredContent).toMatchObject({ commit, origin: { kind: "vault", commit } });
      expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(answer.structuredContent) }]);
    }
    expect(answers[0]?.structuredContent).toMatchObject({
      items: [{ path: "a.md", title: "a", description: "d", type: null, status: "s", verified: null }],
      next_cursor: expect.any(String),
    });
    expect(answers[1]?.structuredContent).toMatchObject({ items: [{ path: "a.md", match_location: "body" }], next_cursor: null });
    expect(answers[2]?.structuredContent).toMatchObject({
      notes: [{ path: "a.md", links: [{ target_path: "b.md", anchor: null, resolution: "resolved", kind: "note" }] }],
    });
  });

  it("answer what their output schema promises", async () => {
    const { vault } = await vaultOf(
      { "a.md": "---\na: 1\na: 2\n---\n[[x]] [[dup]] [[#h]]", "p/dup.md": "x".repeat(50), "q/dup.md": "", "l.md": Buffer.from([0xff]) },
      { unreadable: "report" },
    );
    const { fromJSONSchema } = await import("zod");
    for (const [name, args] of [
      ["vault_list", {}],
      ["vault_search", { query: "x" }],
      ["vault_read", { paths: ["a.md", "l.md"] }],
      ["vault_read", { paths: ["p/dup.md"], start: 3, end: 9 }],
    ] as const) {
      const schema = fromJSONSchema(Object(toolOf([vault], name).outputSchema));
      expect(schema.safeParse(await structure([vault], name, args)).error).toBeUndefined();
    }
  });

  it("take five items unless asked for one to twenty", async () => {
    const { vault } = await vaultOf(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.md`, "x"])));
    for (const [args, count] of [
      [{}, 5],
      [{ limit: 1 }, 1],
      [{ limit: 20 }, 20],
      [{ cursor: " " }, 5],
    ] as const) {
      for (const name of ["vault_list", "vault_search"]) {
        const answer = await structure([vault], name, name === "vault_list" ? args : { query: "x", ...args });
        expect(answer["items"]).toHaveLength(count);
      }
    }
  });

  it("return every invalid argument as INVALID_ARGUMENT with the field, never as a bare failure", async () => {
    const { vault } = await vaultOf({ "a.md": "x" });
    const wrong: readonly (readonly [string, unknown, string])[] = [
      ["vault_list", { limit: 0 }, "limit"],
      ["vault_list", { limit: 21 }, "limit"],
      ["vault_list", { limit: "5" }, "limit"],
      ["vault_list", { limit: 1.5 }, "limit"],
      ["vault_list", { prefix: 1 }, "prefix"],
      ["vault_list", { commit: "HEAD" }, "commit"],
      ["vault_list", { commit: "--output=x" }, "commit"],
      ["vault_list", { repository: "/etc" }, "repository"],
      ["vault_list", [], ""],
      ["vault_search", {}, "query"],
      ["vault_search", { query: "" }, "query"],
      ["vault_search", { query: "  " }, "query"],
      ["vault_search", { query: "x", scope: "body" }, "scope"],
      ["vault_read", {}, "paths"],
      ["vault_read", { paths: [] }, "paths"],
      ["vault_read", { paths: "a.md" }, "paths"],
      ["vault_read", { paths: ["a.md", "a.md"] }, "paths"],
      ["vault_read", { paths: ["1.md", "2.md", "3.md", "4.md", "5.md", "6.md"] }, "paths"],
      ["vault_read", { paths: [1] }, "paths.0"],
      ["vault_read", { paths: ["a.md", "a\u0000.md"] }, "paths.1"],
      ["vault_read", { paths: ["a.md"], start: -1 }, "start"],
      ["vault_read", { paths: ["a.md"], start: 9 }, "start"],
      ["vault_read", { paths: ["a.md"], start: 1, end: 1 }, "end"],
      ["vault_read", { paths: ["a.md", "b.md"], start: 0 }, "paths"],
    ];
    for (const [name, args, field] of wrong) {
      const result = await call([vault], name, args);
      expect([name, args, result.isError, result.structuredContent]).toMatchObject([
        name,
        args,
        true,
        { error_code: "INVALID_ARGUMENT", retryable: false, message: expect.any(String) },
      ]);
      if (field !== "") expect([args, result.structuredContent?.["field"]]).toEqual([args, field]);
    }
  });

  it("refuse with codes of their own what is hidden, missing, elsewhere or from another page", async () => {
    const { vault } = await vaultOf({ "a.md": "x" });
    expect(await structure([vault], "vault_read", { paths: ["../a.md"] })).toMatchObject({
      error_code: "PATH_NOT_ALLOWED",
      field: "paths.0",
    });
    expect(await structure([vault], "vault_read", { paths: ["a.md", "b.md"] })).toMatchObject({
      error_code: "NOT_FOUND",
      details: { missing: ["b.md"] },
    });
    expect(await structure([vault], "vault_list", { commit: "0".repeat(40) })).toMatchObject({
      error_code: "COMMIT_UNAVAILABLE",
      field: "commit",
    });
    expect(await structure([vault], "vault_search", { query: "x", cursor: "bogus" })).toMatchObject({
      error_code: "INVALID_CURSOR",
      field: "cursor",
    });
    await vault.close();
    expect(await structure([vault], "vault_list", {})).toMatchObject({ error_code: "UPSTREAM_UNAVAILABLE", retryable: true });
  });

  it("never quote the caller's or a note's text in a message", async () => {
    const { vault } = await vaultOf({ "a.md": "x", "MARKER.md": Buffer.from([0xff]) });
    for (const [name, args] of [
      ["vault_read", { paths: ["MARKER2.md"] }],
      ["vault_read", { paths: ["../MARKER"] }],
      ["vault_read", { paths: ["MARKER.md"] }],
      ["vault_search", { query: "MARKER", cursor: "MARKER" }],
      ["vault_search", { query: "MARKER", scope: "MARKER" }],
      ["vault_list", { commit: "MARKER" }],
      ["vault_list", { prefix: "/MARKER" }],
    ] as const) {
      const answer = await structure([vault], name, args);
      expect(answer["error_code"]).toBeDefined();
      expect(answer["message"]).not.toContain("MARKER");
    }
  });
});

describe("an answer over the limit", () => {
  it("of five notes of 8 KiB of quotes is refused with the size of each, and each can be read alone", async () => {
    const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${index}.md`, '"'.repeat(8192)]));
    const { vault } = await vaultOf(files);
    const paths = Object.keys(files);
    const refused = await structure([vault], "vault_read", { paths });
    expect(refused).toMatchObject({ error_code: "RESPONSE_TOO_LARGE", details: { limit_bytes: 65_536 } });
    const { sizes, bytes } = Object(refused["details"]);
    expect(sizes.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(bytes).toBeGreaterThan(65_536);
    for (const { path, bytes: alone } of sizes) {
      const result = await call([vault], "vault_read", { paths: [path] });
      expect(result).not.toHaveProperty("isError");
      expect(resultBytes(result)).toBe(alone);
    }
  });

  it("is counted over the whole serialised result with both copies, to the byte", async () => {
    const { vault } = await vaultOf({ "a.md": 'x"\n한' });
    const bytes = Buffer.byteLength(JSON.stringify(await call([vault], "vault_read", { paths: ["a.md"] })));
    expect(await call([vault], "vault_read", { paths: ["a.md"] }, bytes)).not.toHaveProperty("isError");
    expect(await structure([vault], "vault_read", { paths: ["a.md"] }, bytes - 1)).toMatchObject({
      error_code: "RESPONSE_TOO_LARGE",
      details: { bytes, limit_bytes: bytes - 1 },
    });
  });

  it("of a list or a search says to ask for a smaller page", async () => {
    const { vault } = await vaultOf(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.md`, `---\ndescription: ${"d".repeat(3000)}\n---\n`])),
    );
    for (const [name, args] of [
      ["vault_list", {}],
      ["vault_search", { query: "d" }],
    ] as const) {
      const refused = await structure([vault], name, { ...args, limit: 20 }, 8000);
      expect(refused).toMatchObject({ error_code: "RESPONSE_TOO_LARGE", message: expect.stringContaining("smaller limit") });
      expect(await structure([vault], name, { ...args, limit: 1 }, 20_000)).toMatchObject({ items: [{}] });
    }
  });

  it("can be read in parts that together are the note byte for byte, each within the limit and at one commit", async () => {
    const text = Array.from({ length: 9000 }, (_, index) => `${index} "따옴표"\t[[b#${index}]] 🦊\n`).join("");
    const { vault, commit, repository } = await vaultOf({ "a.md": text, "b.md": "" });
    expect(await structure([vault], "vault_read", { paths: ["a.md"] })).toMatchObject({
      error_code: "RESPONSE_TOO_LARGE",
      message: expect.stringContaining("start: 0"),
    });
    await repository.commit({ "a.md": "changed" });
    let joined = "";
    let links = 0;
    for (let start: number | null = 0; start !== null;) {
      const result = await call([vault], "vault_read", { paths: ["a.md"], start, commit });
      expect(resultBytes(result)).toBeLessThanOrEqual(65_536 - 256);
      const [note] = Object(result.structuredContent)["notes"];
      expect(note).toMatchObject({ partial: true, range: { start, total: Buffer.byteLength(text) } });
      joined += note.content;
      links += note.links.length;
      start = note.range.next_start;
    }
    expect(createHash("sha256").update(joined).digest("hex")).toBe(createHash("sha256").update(text).digest("hex"));
    expect(links).toBe(9000);
  });

  it("of a part whose links alone are too large is refused, and a note of control characters still fits in parts", async () => {
    const { vault } = await vaultOf({ "a.md": "\u0001".repeat(200_000) });
    const first = await structure([vault], "vault_read", { paths: ["a.md"], start: 0 });
    expect(first).toMatchObject({ notes: [{ partial: true }] });
    expect(await structure([vault], "vault_read", { paths: ["a.md"], start: 0 }, 400)).toMatchObject({ error_code: "RESPONSE_TOO_LARGE" });
  });
});

describe("two vaults", () => {
  it("never share a cursor", async () => {
    const { vault, repository } = await vaultOf({ "a.md": "x", "b.md": "x" }, { name: "one" });
    const other = await openAt(repository.path, { name: "two" });
    const page = await structure([vault, other], "vault_list", { vault: "one", limit: 1 });
    const next = { limit: 1, cursor: page["next_cursor"] };
    expect(await structure([vault, other], "vault_list", { vault: "one", ...next })).toMatchObject({
      items: [{ path: "b.md" }],
      next_cursor: null,
    });
    expect(await structure([vault, other], "vault_list", { vault: "two", ...next })).toMatchObject({ error_code: "INVALID_CURSOR" });
  });
});
