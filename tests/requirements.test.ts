/** The requirements table against the tests that cite it, both ways. */
import { describe, expect, it } from "vitest";
import { sourceFiles, type Files } from "./layering/tree.ts";
import { pending, requirements, verifies } from "./requirements.ts";

const idShape = /["'`](?:\$\{verifies\(")?((?:mcp|oauth)(?:\.[a-z0-9-]+)+)["'`]/g;

/** Requirement ids that tests cite: every literal of an id's shape in a test file that uses `verifies`. Comments do not count. */
function citedIn(files: Files): ReadonlySet<string> {
  const citing = [...files].filter(
    ([path, text]) => path.endsWith(".test.ts") && path !== "tests/requirements.test.ts" && /\bverifies\(/.test(text),
  );
  const code = citing.map(([, text]) => text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, ""));
  return new Set(code.flatMap((text) => [...text.matchAll(idShape)].map(([, id]) => id ?? "")));
}

type Table = { readonly rows: readonly string[]; readonly pending: readonly string[] };

function gaps({ rows, pending: waiting }: Table, cited: ReadonlySet<string>): readonly string[] {
  return [
    ...[...cited].filter((id) => !rows.includes(id)).map((id) => `${id} is cited but has no row`),
    ...rows.filter((id) => !cited.has(id) && !waiting.includes(id)).map((id) => `${id} has no test`),
    ...waiting.filter((id) => cited.has(id)).map((id) => `${id} has a test now: take it off the pending list`),
    ...waiting.filter((id) => !rows.includes(id)).map((id) => `${id} is pending but has no row`),
    ...waiting.filter((id, index) => waiting.indexOf(id) !== index).map((id) => `${id} is pending twice`),
  ];
}

describe("the requirements table", () => {
  it("has a test for every row, and a row for every id that a test cites", () => {
    expect(gaps({ rows: Object.keys(requirements), pending }, citedIn(sourceFiles()))).toEqual([]);
  });

  it("names a public clause and a behaviour in every row", () => {
    for (const [id, [clause, behaviour]] of Object.entries(requirements)) {
      expect([id, clause]).toEqual([
        id,
        expect.stringMatching(/^https:\/\/(modelcontextprotocol\.io\/specification|www\.rfc-editor\.org\/rfc)\//),
      ]);
      expect([id, behaviour]).toEqual([id, expect.stringMatching(/^\S.{10,}\.$/)]);
    }
  });
});

describe("the check itself", () => {
  const cited = (text: string, path = "tests/auth/gate.test.ts"): ReadonlySet<string> => citedIn(new Map([[path, text]]));
  const table = { rows: ["oauth.audience", "oauth.expiry"], pending: ["oauth.expiry"] };

  it("reads citations from titles, bodies and tables", () => {
    expect([...cited('it(`${verifies("oauth.audience")}: refuses`, () => { verifies("oauth.expiry", "mcp.era.by-body"); });')]).toEqual([
      "oauth.audience",
      "oauth.expiry",
      "mcp.era.by-body",
    ]);
    expect([...cited('it.each([["oauth.pkce", 1]] as const)("%s", (id) => { verifies(id); });')]).toEqual(["oauth.pkce"]);
    expect(verifies("oauth.audience", "oauth.expiry")).toBe("oauth.audience, oauth.expiry");
  });
  it("does not count comments, other files, or files that never cite", () => {
    expect(cited('// verifies("oauth.audience")\n/** verifies("oauth.expiry") */').size).toBe(0);
    expect(cited('verifies("oauth.audience")', "tests/auth/rows.ts").size).toBe(0);
    expect(cited('const name = "oauth.audience";').size).toBe(0);
  });
  it("finds nothing wrong where rows, tests and pending rows agree", () => expect(gaps(table, new Set(["oauth.audience"]))).toEqual([]));
  it.each([
    ["a row without a test", table, [], "oauth.audience has no test"],
    ["a citation without a row", table, ["oauth.audience", "oauth.gone"], "oauth.gone is cited but has no row"],
    [
      "a pending row that has a test",
      table,
      ["oauth.audience", "oauth.expiry"],
      "oauth.expiry has a test now: take it off the pending list",
    ],
    [
      "a pending id without a row",
      { ...table, pending: ["oauth.expiry", "oauth.gone"] },
      ["oauth.audience"],
      "oauth.gone is pending but has no row",
    ],
  ])("catches %s", (_what, planted, ids, gap) => expect(gaps(planted, new Set(ids))).toEqual([gap]));
});
