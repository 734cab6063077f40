/**
 * The pages a person sees: one to decide on, one to leave by, one for when it cannot go on. Plain HTML that works on a phone
 * and in a text browser, with nothing to load. Whatever comes from outside is shown as text and marked as the app's own claim.
 */
import type { Redirect } from "./redirects.ts";

export type Page = { readonly html: string; readonly style: string };

export type ConsentPage = {
  /** Where the form goes: path on this server. */
  readonly action: string;
  readonly csrf: string;
  /** As the app gave it; may hold anything. */
  readonly clientName: string | undefined;
  readonly redirect: Redirect;
  /** The endpoint it asks for, one of ours. */
  readonly resource: string;
  readonly abilities: readonly string[];
  readonly operator: string;
  /** False when this browser has given it before. */
  readonly needsPasscode: boolean;
  /** What went wrong with the last try: our sentence. */
  readonly problem?: string;
};

export function consentPage(page: ConsentPage): Page {
  const app = appName(page.clientName);
  const passcode = page.needsPasscode
    ? `<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autofocus autocomplete="off" autocapitalize="none" spellcheck="false"${page.problem === undefined ? "" : ' aria-invalid="true" aria-describedby="problem"'}>
<p class="hint">Postern printed it in the terminal when it started.</p>`
    : "";
  const problem = page.problem === undefined ? "" : `<p class="problem" id="problem" role="alert">${escape(page.problem)}</p>`;
  return frame(
    `Let ${app.plain} in?`,
    `<h1>Let ${app.html} in?</h1>
<p class="claim">${app.named ? "This is what the app calls itself. Postern cannot check it." : "It gave no name."}</p>
<dl>
<dt>The answer goes to</dt><dd>${destination(page.redirect)}</dd>
<dt>It will be able to</dt><dd><ul>${page.abilities.map((ability) => `<li>${escape(ability)}</li>`).join("")}</ul></dd>
<dt>At</dt><dd><code>${escape(page.resource)}</code></dd>
<dt>In the name of</dt><dd>${escape(page.operator)}</dd>
</dl>
<form method="post" action="${escape(page.action)}">
<input type="hidden" name="csrf" value="${escape(page.csrf)}">
${problem}
${passcode}
<div class="choice"><button name="decision" value="allow">Allow</button>
<button class="quiet" name="decision" value="deny" formnovalidate>Deny</button></div>
</form>
<p class="foot">Allow this only if you started connecting this app yourself, just now.</p>`,
  );
}

/** After the decision. The browser goes on by itself (`Refresh` header); the link is for those that do not. */
export function leavingPage({
  next,
  allowed,
  clientName,
}: {
  readonly next: string;
  readonly allowed: boolean;
  readonly clientName: string | undefined;
}): Page {
  const app = appName(clientName);
  return frame(
    allowed ? "Allowed" : "Denied",
    `<h1>${allowed ? "Allowed" : "Denied"}</h1>
<p>${allowed ? `${app.html} may come in.` : `${app.html} stays out.`} You are being sent back to it.</p>
<p><a class="button" href="${escape(next)}">Continue</a></p>
<p class="foot">When the app has taken over you can close this window.</p>`,
  );
}

/** `sentence` is ours. */
export function messagePage(title: string, sentence: string): Page {
  return frame(title, `<h1>${escape(title)}</h1>\n<p>${escape(sentence)}</p>`);
}

function destination(redirect: Redirect): string {
  switch (redirect.kind) {
    case "web":
      return `<strong>${escape(redirect.host)}</strong>`;
    case "loopback":
      return `<strong>A program on this computer</strong> (${escape(redirect.host)})`;
    case "app":
      return `<strong>The app on this device that opens <code>${escape(redirect.scheme)}:</code> links</strong>`;
  }
}

const longestName = 60;

function appName(claimed: string | undefined): { readonly html: string; readonly plain: string; readonly named: boolean } {
  // Without control, direction and invisible characters: a name must not turn or hide the words around it.
  const clean = (claimed ?? "")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  if (clean === "") return { html: "an app without a name", plain: "an app without a name", named: false };
  const points = Array.from(clean);
  const short = points.length > longestName ? `${points.slice(0, longestName).join("")}…` : clean;
  return { html: `<bdi class="name">“${escape(short)}”</bdi>`, plain: `“${short}”`, named: true };
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function frame(title: string, body: string): Page {
  return {
    style,
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Postern</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M3 22V9.5a9 9 0 0 1 18 0V22h-5.5V11a3.5 3.5 0 0 0-7 0v11z" fill="currentColor"/></svg> Postern</p>
${body}
</main>
</body>
</html>
`,
  };
}

const style = `
:root{--ground:#eceae4;--card:#fff;--ink:#1d2327;--soft:#5c666d;--line:#dcdad3;--accent:#1f5f4a;--on-accent:#fff;--bad:#a3261c;--bad-ground:#fbecea;--field:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--card:#1e2327;--ink:#eceff0;--soft:#9da8ae;--line:#343b40;--accent:#5fbf9c;--on-accent:#0d1a15;--bad:#ff9d92;--bad-ground:#3a211f;--field:#15191c}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans KR",sans-serif}
main{width:100%;max-width:27rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.75rem 1.75rem 1.5rem;box-shadow:0 1px 2px rgb(0 0 0/.05),0 12px 32px rgb(0 0 0/.07)}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.4rem;color:var(--accent);font-weight:650;letter-spacing:.01em}
h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:680;letter-spacing:-.012em;overflow-wrap:anywhere}
p{margin:.6rem 0 0}
.claim{margin-top:.45rem;color:var(--soft);font-size:.9rem}
dl{margin:1.3rem 0 0;border-top:1px solid var(--line)}
dt{padding-top:.8rem;color:var(--soft);font-size:.8rem}
dd{margin:0;padding:.1rem 0 .8rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
dd strong{font-weight:620}
ul{margin:0;padding:0;list-style:none}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
form{margin-top:1.3rem}
label{display:block;font-weight:600;margin-bottom:.35rem}
input[type=password]{width:100%;padding:.7rem .8rem;font:inherit;letter-spacing:.12em;color:inherit;background:var(--field);border:1px solid var(--soft);border-radius:.6rem}
input[aria-invalid]{border-color:var(--bad)}
.hint{margin:.4rem 0 0;color:var(--soft);font-size:.85rem}
.problem{margin:0 0 1rem;padding:.65rem .8rem;border-radius:.6rem;background:var(--bad-ground);color:var(--bad);font-weight:550}
.choice{display:flex;gap:.75rem;margin-top:1.2rem}
button,.button{flex:1;display:inline-block;padding:.75rem 1.25rem;font:inherit;font-weight:620;text-align:center;text-decoration:none;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.6rem;cursor:pointer}
.button{margin-top:.6rem}
button.quiet{color:var(--ink);background:transparent;border-color:var(--line)}
button:hover,.button:hover{filter:brightness(1.08)}
button.quiet:hover{border-color:var(--soft)}
:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 55%,transparent);outline-offset:2px}
.foot{margin-top:1.2rem;color:var(--soft);font-size:.85rem}
@media(max-width:26rem){body{padding:0;place-items:stretch}main{border:0;border-radius:0;box-shadow:none;padding:1.25rem 1.15rem}dl,form{margin-top:1.05rem}dt{padding-top:.65rem}dd{padding-bottom:.65rem}}
`;
