/** Where the answer of a login may be sent (OAuth 2.1 §2.3, RFC 8252 §7): checked when an app registers and again when it asks. */

const maxUriLength = 2_048;

/**
 * Schemes that run code, read files or start something in the browser or system instead of handing the answer to an app.
 * Everything that begins with `ms-` is refused too: Windows gives several of those to programs that take orders from the address.
 */
const forbiddenSchemes: ReadonlySet<string> = new Set([
  "javascript",
  "vbscript",
  "data",
  "blob",
  "file",
  "filesystem",
  "about",
  "view-source",
  "jar",
  "resource",
  "chrome",
  "edge",
  "ws",
  "wss",
  "ftp",
  "ftps",
  "sftp",
  "ssh",
  "telnet",
  "ldap",
  "ldaps",
  "smb",
  "mailto",
  "tel",
  "sms",
  "intent",
  "content",
  "search-ms",
  "shell",
  "x-apple.systempreferences",
]);

export type Redirect =
  | { readonly kind: "web"; readonly host: string }
  | { readonly kind: "loopback"; readonly host: string }
  | { readonly kind: "app"; readonly scheme: string };

/** What kind of place a redirect URI is, or our sentence about why it is refused. */
export function parseRedirect(
  uri: string,
): { readonly ok: true; readonly redirect: Redirect } | { readonly ok: false; readonly problem: string } {
  const refuse = (problem: string) => ({ ok: false, problem }) as const;
  if (uri.length > maxUriLength) return refuse(`must be at most ${maxUriLength} characters`);
  // The URL parser drops tabs and line breaks and turns backslashes: what is compared and shown must be what is used.
  if (/[\s\u0000-\u001f\u007f-\u009f\\]/.test(uri)) return refuse("must not contain spaces, control characters or backslashes");
  if (uri.includes("#")) return refuse("must not have a fragment");
  const scheme = /^([a-z][a-z0-9+.-]*):/.exec(uri)?.[1];
  const url = URL.parse(uri);
  if (url === null || scheme === undefined) return refuse("must be an absolute URI with a lower-case scheme");
  if (url.username !== "" || url.password !== "" || /^[^/?]*\/\/[^/?]*@/.test(uri))
    return refuse("must not contain a user name or password");
  if (scheme === "https") return /^https:\/\/[^/?]/.test(uri) ? accept({ kind: "web", host: url.host }) : refuse("must name a host");
  if (scheme === "http") {
    // By spelling, not by what a parser makes of it: `http://2130706433/` is 127.0.0.1 too.
    const authority = /^http:\/\/((?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?)(?=[/?]|$)/.exec(uri)?.[1];
    return authority === undefined
      ? refuse("may use http only for 127.0.0.1, [::1] or localhost")
      : accept({ kind: "loopback", host: authority });
  }
  if (forbiddenSchemes.has(scheme) || scheme.startsWith("ms-")) return refuse("must not use this scheme");
  // RFC 8252 §7.1 wants a domain spelled backwards; real editors use `cursor://…` and `vscode://…`.
  return scheme.includes(".") || uri.startsWith(`${scheme}://`)
    ? accept({ kind: "app", scheme })
    : refuse("must use https, http on loopback, or an app's own scheme");
}

function accept(redirect: Redirect) {
  return { ok: true, redirect } as const;
}

/** Exact comparison; for an http loopback IP literal, and only there, any port will do (RFC 8252 §7.3). `localhost` is a name, not such a literal. */
export function redirectAllowed(registered: readonly string[], requested: string): boolean {
  if (!parseRedirect(requested).ok) return false;
  const portless = withoutLoopbackPort(requested);
  return registered.some((uri) => uri === requested || (portless !== null && withoutLoopbackPort(uri) === portless));
}

function withoutLoopbackPort(uri: string): string | null {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)$/.exec(uri);
  return match === null ? null : `http://${match[1]}${match[2]}`;
}
