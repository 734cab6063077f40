/** The vendors Postern knows, one file each. A new vendor is one file, one line here, and its test. */
import { chatgpt } from "./chatgpt.ts";
import { claude } from "./claude.ts";
import { gemini } from "./gemini.ts";
import { generic } from "./generic.ts";

/** What is particular about one vendor's app. */
export type Vendor = {
  /** Browser origins the vendor's own pages call from, besides the client's own host. */
  readonly origins: readonly string[];
};

export const vendors = { claude, chatgpt, gemini, generic } as const satisfies Record<string, Vendor>;
export type VendorName = keyof typeof vendors;
