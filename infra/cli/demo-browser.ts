/** The part of a browser that a login needs: cookies, one form, and the address it is finally sent to. */

export type Login = { readonly passcode: string; readonly decision: "allow" | "deny" };

/** Follows an authorization request to its end and returns the address of the app that the answer goes to, without visiting it. */
export async function logIn(authorizeUrl: URL, redirectUri: string, { passcode, decision }: Login): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = authorizeUrl;
  let body: URLSearchParams | null = null;
  for (let step = 0; step < 10; step += 1) {
    if (url.href.startsWith(redirectUri)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie, accept: "text/html" },
      ...(body === null ? {} : { method: "POST", body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const page = await response.text();
    body = null;
    const next = response.headers.get("location") ?? /^\d+;\s*url=(.+)$/i.exec(response.headers.get("refresh") ?? "")?.[1];
    if (next !== undefined) {
      url = new URL(next, url);
      continue;
    }
    const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1];
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1];
    if (action === undefined || csrf === undefined) throw new Error(`the login ended at a page without a form (HTTP ${response.status})`);
    url = new URL(action, url);
    body = new URLSearchParams({ csrf, passcode, decision });
  }
  throw new Error("the login did not come to an end");
}
