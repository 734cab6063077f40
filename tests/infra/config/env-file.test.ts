import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfiguration } from "../../../infra/config/read.ts";
import { env as variables, whole } from "./scene.ts";
import { audiences, type WatchScene, watchScene } from "./watch-scene.ts";

let folder: string;
let file: string;
let applied: WatchScene["applied"];
let refused: WatchScene["refused"];
let serve: WatchScene["serve"];
let stop: WatchScene["stop"];
beforeEach(async () => {
  ({ folder, file, applied, refused, serve, stop } = await watchScene());
});
afterEach(() => stop());

describe("the env_file", () => {
  const named = `env_file: .env\n${whole}`;
  const secrets = (text: string): Promise<void> => writeFile(join(folder, ".env"), text);

  it("is watched too: clearing, removing or losing a variable there revokes its client", async () => {
    await secrets("CLAUDE_AUD=from-file\n");
    const { check } = await serve(named);
    const steps: readonly (() => Promise<void>)[] = [
      () => secrets("CLAUDE_AUD=\n"),
      () => secrets("# nothing\n"),
      () => rm(join(folder, ".env")),
    ];
    for (const step of steps) {
      await step();
      await check();
      expect(audiences(applied.at(-1))[0]).toBe("claude revoked");
      await secrets("CLAUDE_AUD=from-file\n");
      await check();
      expect(audiences(applied.at(-1))[0]).toBe("claude aud");
    }
    expect(refused).toEqual([]);
  });

  it("may begin with a byte order mark", async () => {
    await secrets("\uFEFFCLAUDE_AUD=from-file\n");
    await serve(named);
    const { clients } = await readConfiguration({ env: {}, cwd: folder });
    expect(clients[0]?.client.audience).toEqual({ kind: "aud", value: "from-file" });
  });

  it("wins over the environment", async () => {
    await secrets("CLAUDE_AUD=\n");
    await serve(named);
    expect(audiences(await readConfiguration({ env: { ...variables }, cwd: folder }))[0]).toBe("claude revoked");
  });

  it("closes its client as well while the configuration itself is broken", async () => {
    await secrets("CLAUDE_AUD=from-file\n");
    const { check } = await serve(named);
    await writeFile(file, `${named}nonsense: [\n`);
    await check();
    expect(refused).toMatchObject([{ closed: [] }]);
    await secrets("CLAUDE_AUD=\n");
    await check();
    expect(refused[1]).toMatchObject({ closed: ["claude"] });
    expect(applied).toEqual([]);
  });

  it("counts no more once the configuration does not name it: its variables are empty, not those of the environment", async () => {
    await secrets("CLAUDE_AUD=from-file\n");
    const { check } = await serve(named);
    await writeFile(file, whole);
    await check();
    expect(audiences(applied[0])[0]).toBe("claude revoked");
    await writeFile(file, named);
    await check();
    expect(audiences(applied[1])[0]).toBe("claude aud");
  });

  it("may lie elsewhere, under a Korean name, and move there while Postern runs", async () => {
    await secrets("CLAUDE_AUD=from-file\n");
    const { check } = await serve(named);
    await writeFile(join(folder, "비밀.env"), "CLAUDE_AUD=\n");
    await writeFile(file, named.replace("env_file: .env", "env_file: ~/비밀.env"));
    await check();
    expect(audiences(applied[0])[0]).toBe("claude revoked");
    await writeFile(join(folder, "비밀.env"), "CLAUDE_AUD='다른 값'\n");
    await check();
    expect(applied[1]?.clients[0]?.client.audience).toEqual({ kind: "aud", value: "다른 값" });
  });

  it("never shows a value in a refusal", async () => {
    await secrets("CLAUDE_AUD=HUNTER2 secret\n");
    const { check } = await serve(named);
    for (const key of ["vendor: claude", "issuer: access", "host: mcp-claude.example.com", "egress: [160.79.104.0/21]", "tools: '@read'"]) {
      await writeFile(file, named.replace(key, `${key.split(":")[0]}: "\${CLAUDE_AUD}"`));
      await check();
    }
    expect(refused).toHaveLength(5);
    expect(JSON.stringify(refused)).not.toContain("HUNTER2");
  });
});
