import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../../infra/config/schema.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...decisions];

const textOf = (page: string): string => readFileSync(join(root, page), "utf8");
const insideTicks = (page: string): readonly string[] => [...textOf(page).matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);

describe("the documentation", () => {
  it.each(pages)("%s names only files and folders that are there", (page) => {
    const named = insideTicks(page).filter((text) => /^(gateway|auth|relay|storage|infra|tests|docs)\/[\w./-]*$/.test(text));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(pages)("%s links to pages that are there", (page) => {
    const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target.split("#")[0] ?? "");
    const local = targets.filter((target) => target !== "" && !target.includes("://"));
    expect(local.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });

  it("names only scripts that npm knows", () => {
    const { scripts } = JSON.parse(textOf("package.json"));
    const used = pages.flatMap((page) => [...textOf(page).matchAll(/npm run ([a-z]+)/g)].map(([, script = ""]) => script));
    expect(used.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  it("keeps every decision to a page, numbered without a gap in the first nine", () => {
    const own = decisions.filter((name) => /\/000\d-/.test(name)).toSorted();
    expect(own.map((name) => name.slice("docs/decisions/".length, -".md".length).slice(0, 4))).toEqual(
      own.map((_name, index) => `000${index + 1}`),
    );
    for (const page of decisions) expect([page, textOf(page).split("\n").length <= 60]).toEqual([page, true]);
  });

  it("shows only configuration that is accepted", () => {
    const examples = [...textOf("README.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) expect(configSchema.safeParse(parse(example))).toMatchObject({ success: true });
  });
});
