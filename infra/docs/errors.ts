/** `node infra/docs/errors.ts --write`: makes `docs/errors.md` from the table in `gateway/errors.ts`. Without `--write` it prints the page. */
import { writeFile } from "node:fs/promises";
import { errors } from "../../gateway/errors.ts";
import { codes } from "../../gateway/protocol/messages.ts";

/** What a JSON-RPC error means. These come back instead of a tool's result. */
const protocolMeanings: Readonly<Record<keyof typeof codes, string>> = {
  parseError: "The body is not JSON, or not UTF-8.",
  invalidRequest: "The body is JSON but no valid message: wrong shape, too deep, a key twice, a batch where none is allowed.",
  methodNotFound: "The method does not exist in this era.",
  invalidParams: "No such tool, or the parameters of the method are malformed. Wrong tool arguments are INVALID_ARGUMENT instead.",
  internalError: "A fault in Postern. The log holds it under the request id.",
  headerMismatch: "2026-07-28 only: a header says something else than the body.",
  unsupportedProtocolVersion: "2026-07-28 only: the revision is not served; the answer lists those that are.",
  badRequest: "The transport refused the request: content type, size, protocol version header.",
};

const intro = `# Errors

Generated from \`gateway/errors.ts\` by \`node infra/docs/errors.ts --write\`. Do not edit by hand.

A call can fail at three places. Each answers in its own form.

| where | what comes back |
|---|---|
| gate | an HTTP status and a constant text; the reason is in the log only |
| protocol | a JSON-RPC \`error\` with one of the codes below |
| tool | a result with \`isError: true\` and one of the error codes below |

## Error codes of tools

A tool's refusal is a result that the model can read and act on:

\`\`\`json
{"error_code": "NOT_FOUND", "message": "…", "field": "paths", "retryable": false, "details": {}}
\`\`\`

It stands in \`structuredContent\` and, equal, in one text block. \`field\` names the argument at fault, \`details\` holds particulars
for programs; both may be absent. \`message\` is Postern's own sentence, never text from outside.
\`retryable\` says whether the same call, unchanged, may succeed later.

The list is complete: codes of tools that are not built yet stand in it as well, so that a program can handle them all.

`;

export function errorsPage(): string {
  const tools = Object.entries(errors).map(([code, { retryable, advice }]) => `| \`${code}\` | ${retryable ? "yes" : "no"} | ${advice} |`);
  const names: readonly (keyof typeof codes)[] = [
    "parseError",
    "invalidRequest",
    "methodNotFound",
    "invalidParams",
    "internalError",
    "headerMismatch",
    "unsupportedProtocolVersion",
    "badRequest",
  ];
  const protocol = names.map((name) => `| \`${codes[name]}\` | ${protocolMeanings[name]} |`);
  return [
    `${intro}| code | retryable | what to do |\n|---|---|---|`,
    ...tools,
    "",
    "## JSON-RPC codes",
    "",
    "| code | meaning |\n|---|---|",
    ...protocol,
    "",
  ].join("\n");
}

if (import.meta.main) {
  if (process.argv.includes("--write")) await writeFile(new URL("../../docs/errors.md", import.meta.url), errorsPage());
  else process.stdout.write(errorsPage());
}
