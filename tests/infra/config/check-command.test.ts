import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run } from "../../../infra/cli/main.ts";
import { env as variables, whole } from "./scene.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "postern-설정-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function check(
  text: string | null,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  if (text !== null) await writeFile(join(folder, "postern.yaml"), text);
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(["config", "check", ...args], {
    env: { HOME: folder, ...variables, ...env },
    cwd: folder,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("config check", () => {
  it("says what a valid file means: what to type into each app, who may call, from where", async () => {
    const { code, out, err } = await check(whole);
    expect([code, err]).toEqual([0, ""]);
    for (const text of [
      join(folder, "postern.yaml"),
      "127.0.0.1:8787",
      "https://mcp-claude.example.com/mcp",
      "https://mcp-chatgpt.example.com/mcp  or  https://chat.example.com/mcp",
      "me@example.com",
      "160.79.104.0/21",
      "client      claude: open",
      join(folder, "노트"),
      "believed for cf-connecting-ip",
    ])
      expect(out).toContain(text);
  });

  it("says which client is revoked, and why", async () => {
    const cases = [
      ["${CLAUDE_AUD}", "is empty because CLAUDE_AUD has no value"],
      ["${CLAUDE_AUD}${NO_SUCH}", "is empty because CLAUDE_AUD and NO_SUCH have no value"],
      ["' '", "is empty"],
      ["", "is empty"],
    ] as const;
    for (const [audience, why] of cases) {
      const { out } = await check(whole.replace("${CLAUDE_AUD}", audience), { env: { CLAUDE_AUD: "" } });
      expect(out).toContain(`client      claude: revoked (clients.claude.audience ${why})`);
    }
    expect((await check(whole.replace(/ {4}audience: \$.*\n/, ""))).out).toContain("(clients.claude.audience is missing)");
  });

  it("names the variable without a value where a setting cannot do without it", async () => {
    const { err } = await check(whole.replace("mcp-claude.example.com", "${CLAUDE_HOST}"));
    expect(err).toMatch(/clients\.claude\.host must be a host name .*; CLAUDE_HOST has no value$/);
  });

  it("says that nothing is configured", async () => {
    const { code, out } = await check(null);
    expect([code, out]).toEqual([0, expect.stringContaining("file        none: the built-in default")]);
    expect(out).toContain("client      local: open");
  });

  it("prints one line of JSON for scripts", async () => {
    const { code, out } = await check(`${whole}roots: { blog: { path: ~/blog } }\n`, { args: ["--json"] });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      file: join(folder, "postern.yaml"),
      clients: [{ name: "claude", state: "open" }, { name: "chatgpt" }, { name: "local" }],
      notices: [expect.stringContaining("roots is configured but not built yet")],
    });
  });

  it("names every problem with its line, for people and for scripts, and exits with 78", async () => {
    const broken = whole.replace("operators:", "operatos:").replace("2MiB", "9000GiB");
    const forPeople = await check(broken);
    expect(forPeople).toMatchObject({ code: 78, out: "" });
    expect(forPeople.err.split("\n").map((line) => line.slice(folder.length + 1).split(" ")[0])).toEqual([
      "postern.yaml:7:11",
      "postern.yaml:6:1",
    ]);
    const forScripts = await check(broken, { args: ["--json"] });
    expect(forScripts).toMatchObject({ code: 78, err: "" });
    expect(JSON.parse(forScripts.out)).toMatchObject({ ok: false, problems: [{ line: 7, path: "limits.body" }, { line: 6 }] });
  });

  it("never shows an audience, wherever it comes from", async () => {
    const secret = "aud-hunter2";
    await writeFile(join(folder, ".env"), `CLAUDE_AUD=${secret}\n`);
    for (const text of [`env_file: .env\n${whole}`, `env_file: .env\n${whole.replace("vendor: claude", "vendor: ${CLAUDE_AUD}")}`]) {
      for (const args of [[], ["--json"]]) {
        const { out, err } = await check(text, { args });
        expect(out + err).not.toContain(secret);
        expect(out + err).not.toBe("");
      }
    }
  });

  it.each([
    ["a file that is not there", "nowhere.yaml", "does not exist (POSTERN_CONFIG names it)"],
    ["a folder", ".", "cannot be read (EISDIR)"],
  ])("refuses %s as the named configuration", async (_what, path, expected) => {
    const { code, err } = await check(null, { env: { POSTERN_CONFIG: path } });
    expect([code, err]).toEqual([78, expect.stringContaining(expected)]);
  });

  it("reads a configuration elsewhere; its relative paths start from its own folder", async () => {
    await writeFile(join(folder, "다른.yaml"), whole.replace("/srv/other", "./볼트"));
    const { code, out } = await check(null, { env: { POSTERN_CONFIG: "다른.yaml" } });
    expect([code, out]).toEqual([0, expect.stringContaining(`vault       other: ${join(folder, "볼트")}, branch main`)]);
  });
});
