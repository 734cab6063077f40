import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configurationPage, schemaFile, settings } from "../../../infra/config/reference.ts";

const committed = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

describe("the configuration reference", () => {
  it("is what the schema makes: docs/configuration.md", () => expect(committed("configuration.md")).toBe(configurationPage()));
  it("is what the schema makes: docs/postern.schema.json", () => expect(committed("postern.schema.json")).toBe(schemaFile()));

  it("describes every key", () => {
    expect(settings().filter(({ schema }) => (schema.description ?? "") === "")).toEqual([]);
  });
});
