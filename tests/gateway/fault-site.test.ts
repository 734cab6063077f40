import { describe, expect, it } from "vitest";
import { nameOf, whereOf } from "../../gateway/fault-site.ts";

describe("what is said of a thrown error", () => {
  it("is its kind and our own place, without folders", () => {
    const error = new TypeError("secret");
    expect([nameOf(error), whereOf(error)]).toEqual(["TypeError", expect.stringMatching(/^fault-site\.test\.ts:\d+:\d+$/)]);
  });

  it.each(["secret", "at secret", "\n    at secret (x.ts:1:1)", "line\n    at secret.ts:1:1\nat token=secret", "file.ts:1:1\n"])(
    "never holds the message, whatever it looks like: %j",
    (message) => {
      expect(whereOf(new Error(message))).toMatch(/^fault-site\.test\.ts:\d+:\d+$/);
    },
  );

  it("is nothing for what is no error, or has no place", () => {
    const bare = new Error("secret");
    bare.stack = "Error: secret\n    at <anonymous>\n    at async secret";
    expect([whereOf("secret"), whereOf(null), whereOf(bare), nameOf("secret"), nameOf(undefined)]).toEqual([
      "",
      "",
      "",
      "string",
      "undefined",
    ]);
  });
});
