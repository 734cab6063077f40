/** Answers this server writes itself. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

type Headers = Readonly<Record<string, string>>;

export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Headers = {}): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(JSON.stringify(value));
}

/** An OAuth error (RFC 6749 §5.2). `description` is our own sentence. */
export function sendError(response: ServerResponse, status: number, error: string, description: string, headers: Headers = {}): void {
  sendJson(response, status, { error, error_description: description }, headers);
}

/** An HTML page that may load nothing, be framed by nobody, and post only to us. `style` is the text of its one style element. */
export function sendPage(
  response: ServerResponse,
  status: number,
  { html, style }: { readonly html: string; readonly style: string },
  headers: Headers = {},
): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    // Not `no-referrer`: under that browsers send `Origin: null` with the form, and we could not tell our own page from another.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(html);
}
