/** Tools the official conformance suite calls by name. Test-only: nothing outside `tests/` imports this file. */
import type { ContentBlock, Tool, ToolContext, ToolOutput } from "../../gateway/tool.ts";
import { refuse } from "../../gateway/tool.ts";
import type { Outcome } from "../../storage/ports.ts";

/** One red pixel, and a WAV header with no samples. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const text: ContentBlock = { type: "text", text: "This is a simple text response for testing." };
const image: ContentBlock = { type: "image", data: png, mimeType: "image/png" };
const resource: ContentBlock = {
  type: "resource",
  resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "An embedded resource." },
};

type Run = (args: unknown, context: ToolContext) => Promise<Outcome<ToolOutput>>;

function fixture(
  name: string,
  description: string,
  run: Run,
  inputSchema: Tool["inputSchema"] = { type: "object", properties: {}, additionalProperties: false },
): Tool {
  return { name, title: name, description, effect: "read", group: null, inputSchema, outputSchema: null, call: run };
}

function says(...content: ContentBlock[]): Run {
  return async () => ({ ok: true, value: { kind: "content", content } });
}

export const conformanceTools: readonly Tool[] = [
  fixture("test_simple_text", "Answers with one text block.", says(text)),
  fixture("test_image_content", "Answers with one image block.", says(image)),
  fixture("test_audio_content", "Answers with one audio block.", says({ type: "audio", data: wav, mimeType: "audio/wav" })),
  fixture("test_embedded_resource", "Answers with one embedded resource.", says(resource)),
  fixture("test_multiple_content_types", "Answers with text, image and resource.", says(text, image, resource)),
  fixture("test_error_handling", "Always fails.", async () => refuse("INTERNAL", "This tool intentionally returns an error for testing.")),
  fixture("test_tool_with_progress", "Reports progress three times.", async (_args, context) => {
    for (const progress of [0, 50, 100]) context.progress({ progress, total: 100 });
    return { ok: true, value: { kind: "content", content: [text] } };
  }),
  fixture("json_schema_2020_12_tool", "Declares a schema with keywords of JSON Schema 2020-12.", says(text), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
];
