/** The login and consent page: one operator, one passcode, one decision for one app in one browser. */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { InteractionResults, Provider } from "oidc-provider";
import type { Log, Now, OAuthRecords, SecretStore } from "../../storage/ports.ts";
import { sendPage } from "./answers.ts";
import { attempts } from "./attempts.ts";
import { consentPage, leavingPage, messagePage } from "./login-page.ts";
import { paths } from "./metadata.ts";
import { parseRedirect, type Redirect } from "./redirects.ts";
import { findResource, type Resource } from "./resources.ts";
import { formOf, readBody, replay } from "./replay.ts";

/** Wrong ones, from all browsers together: a passcode must not be guessed by opening many pages. Above it not even the right one is looked at. */
const triesPerMinute = 5;

const defaultAbilities = ["Search and read the notes in your vault"];

export type LoginParts = {
  readonly operator: () => string;
  readonly passcode: string;
  readonly resources: () => readonly Resource[];
  readonly records: OAuthRecords;
  readonly secrets: SecretStore;
  readonly now: Now;
  readonly log: Log;
};

export type Login = {
  /** `uid` from the path. GET shows the page, POST takes the decision. The caller has checked that the request is local and, for POST, comes from our own page. */
  handle(provider: Provider, uid: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
};

/** What one open page is about, proven to belong to the browser that asks. */
type Pending = {
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly redirect: Redirect;
  readonly resource: Resource;
  readonly wantsRefresh: boolean;
  readonly needsPasscode: boolean;
};

export function openLogin(parts: LoginParts): Login {
  const { operator, secrets, log } = parts;
  const tries = attempts({ perMinute: triesPerMinute, now: parts.now });
  const expected = digestOf(parts.passcode);

  async function show(
    pending: Pending,
    response: ServerResponse,
    status = 200,
    problem?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const page = consentPage({
      action: `${paths.login}/${pending.uid}`,
      csrf: (await csrfTokens(secrets, pending.uid))[0] ?? "",
      clientName: pending.clientName,
      redirect: pending.redirect,
      resource: pending.resource.spellings[0],
      abilities: pending.resource.abilities ?? defaultAbilities,
      operator: operator(),
      needsPasscode: pending.needsPasscode,
      ...(problem === undefined ? {} : { problem }),
    });
    sendPage(response, status, page, headers);
  }

  async function decide(
    provider: Provider,
    pending: Pending,
    request: IncomingMessage,
    response: ServerResponse,
    form: URLSearchParams,
  ): Promise<void> {
    const oauthClient = { oauth_client: pending.clientId };
    const leave = async (result: InteractionResults, allowed: boolean) => {
      const next = new URL(await provider.interactionResult(request, response, result, { mergeWithLastSubmission: false }));
      log("info", "oauth_decision", { ...oauthClient, outcome: allowed ? "allowed" : "denied" });
      // Not a redirect: `form-action 'self'` also covers where a form's answer redirects to, and the app is elsewhere.
      const path = next.pathname + next.search;
      sendPage(response, 200, leavingPage({ next: path, allowed, clientName: pending.clientName }), { refresh: `0; url=${path}` });
    };
    if (form.get("decision") === "deny") return leave({ error: "access_denied", error_description: "The operator said no." }, false);
    if (form.get("decision") !== "allow") return show(pending, response, 400, "Choose Allow or Deny.");
    if (pending.needsPasscode) {
      const waitSeconds = tries.take("passcode");
      if (waitSeconds > 0) {
        log("warn", "oauth_passcode", { ...oauthClient, outcome: "too_many_tries" });
        return show(pending, response, 429, `Too many tries. Wait ${waitSeconds} s, then try again.`, {
          "retry-after": String(waitSeconds),
        });
      }
      if (!timingSafeEqual(digestOf(form.get("passcode") ?? ""), expected)) {
        log("warn", "oauth_passcode", { ...oauthClient, outcome: "wrong" });
        return show(pending, response, 403, "That is not the passcode. Look at the terminal where Postern runs.");
      }
      tries.forgive("passcode");
    }
    const grantId = await grantFor(provider, pending);
    const login = pending.needsPasscode ? { login: { accountId: operator(), remember: false } } : {};
    return leave({ ...login, consent: { grantId } }, true);
  }

  async function grantFor(provider: Provider, { clientId, resource, wantsRefresh }: Pending): Promise<string> {
    const grant = new provider.Grant({ accountId: operator(), clientId });
    grant.addResourceScope(resource.spellings[0], "mcp");
    if (wantsRefresh) grant.addOIDCScope("offline_access");
    const grantId = await grant.save();
    // An app that was let in is no longer one to forget.
    const client = await parts.records.get("Client", clientId);
    if (client !== null) await parts.records.put("Client", clientId, client.payload, null);
    return grantId;
  }

  return {
    async handle(provider, uid, request, response) {
      const body = request.method === "POST" ? await readBody(request) : new Uint8Array();
      const pending = await pendingOf(provider, uid, request, response, parts.resources());
      if (pending === null || body === null) return sendPage(response, 400, goneFrom());
      const bare = replay(request, {});
      if (request.method !== "POST") return show(pending, response);
      const form = formOf(body);
      if (!(await csrfTokens(secrets, uid)).some((token) => sameText(token, form.get("csrf") ?? ""))) {
        log("warn", "oauth_refused", { path: "login", reason: "csrf", oauth_client: pending.clientId });
        return sendPage(response, 403, goneFrom());
      }
      return decide(provider, pending, bare, response, form);
    },
  };
}

function goneFrom() {
  return messagePage(
    "This page is not valid any more",
    "It was opened in another browser, it has expired, or the decision has been taken. Go back to the app and start the connection again.",
  );
}

/** `null` unless the browser holds the cookie of exactly this page (and, if it was signed in, still the session it opened the page with). */
async function pendingOf(
  provider: Provider,
  uid: string,
  request: IncomingMessage,
  response: ServerResponse,
  resources: readonly Resource[],
): Promise<Pending | null> {
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof Error && error.name === "SessionNotFound") return null;
    throw error;
  });
  if (interaction === null || interaction.uid !== uid) return null;
  const text = (name: string) => {
    const value = interaction.params[name];
    return typeof value === "string" ? value : "";
  };
  const client = await provider.Client.find(text("client_id"));
  const redirect = parseRedirect(text("redirect_uri"));
  const asked: unknown = interaction.params["resource"];
  const resource = findResource(resources, Array.isArray(asked) ? String(asked[0]) : text("resource"));
  if (client === undefined || !redirect.ok || resource === null) return null;
  return {
    uid,
    clientId: client.clientId,
    clientName: client.clientName,
    redirect: redirect.redirect,
    resource,
    wantsRefresh: text("scope").split(" ").includes("offline_access"),
    needsPasscode: interaction.prompt.name === "login",
  };
}

/** One for each cookie key that is still accepted, newest first; bound to the page and so, through its cookie, to the browser. */
async function csrfTokens(secrets: SecretStore, uid: string): Promise<readonly string[]> {
  return (await secrets.list("cookie")).map(({ value }) => createHmac("sha256", value).update(`consent ${uid}`).digest("base64url"));
}

function sameText(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}

/** People copy a passcode with spaces, without its dashes, or in capitals: none of that counts. */
function digestOf(passcode: string): Uint8Array {
  return hash(
    "sha256",
    passcode
      .normalize("NFKC")
      .replace(/[\s-]+/gu, "")
      .toLowerCase(),
    "buffer",
  );
}
