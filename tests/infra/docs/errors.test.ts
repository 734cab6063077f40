import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errors } from "../../../gateway/errors.ts";
import { codes } from "../../../gateway/protocol/messages.ts";
import { errorsPage } from "../../../infra/docs/errors.ts";

const fromRoot = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("docs/errors.md", () => {
  it("is what the table says (node infra/docs/errors.ts --write)", async () => {
    expect(await fromRoot("docs/errors.md")).toBe(errorsPage());
  });

  it("documents every error code there is, once, with what to do", async () => {
    const union = /export type ErrorCode =([^;]*);/.exec(await fromRoot("storage/ports.ts"))?.[1] ?? "";
    const declared = [...union.matchAll(/"([A-Z_]+)"/g)].map(([, code = ""]) => code);
    expect(declared.length).toBeGreaterThan(20);
    expect(Object.keys(errors).toSorted()).toEqual(declared.toSorted());
    const page = errorsPage();
    for (const code of declared) expect(page.match(new RegExp(`^\\| \`${code}\` \\| (yes|no) \\| .+\\. \\|$`, "gm"))).toHaveLength(1);
  });

  it("documents every JSON-RPC code", () => {
    for (const code of Object.values(codes)) expect(errorsPage()).toContain(`| \`${code}\` | `);
  });
});
