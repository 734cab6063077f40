/** An app that logs in through a real browser: a callback address on this machine, and what the SDK clients ask an app to remember. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";

export type OAuthApp<Registration, Tokens> = {
  readonly provider: {
    readonly redirectUrl: string;
    readonly clientMetadata: {
      client_name: string;
      redirect_uris: string[];
      token_endpoint_auth_method: string;
      grant_types: string[];
      scope: string;
    };
    clientInformation(): Registration | undefined;
    saveClientInformation(registration: Registration): void;
    tokens(): Tokens | undefined;
    saveTokens(tokens: Tokens): void;
    saveCodeVerifier(verifier: string): void;
    codeVerifier(): string;
    redirectToAuthorization(url: URL): Promise<void>;
  };
  /** What came back to the callback address; null before the login. */
  answer(): URLSearchParams | null;
  /** Texts of the login pages that were shown. */
  readonly pages: string[];
  stop(): Promise<void>;
};

export async function startOAuthApp<Registration, Tokens>(
  browser: Browser,
  passcode: string,
  name = "Test App",
): Promise<OAuthApp<Registration, Tokens>> {
  let answer: URLSearchParams | null = null;
  let registration: Registration | undefined;
  let tokens: Tokens | undefined;
  let verifier = "";
  const pages: string[] = [];
  const callback = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") answer = url.searchParams;
    outgoing.end("You may close this window.");
  });
  await new Promise<void>((resolve) => callback.listen(0, "127.0.0.1", resolve));
  const { port } = callback.address() as AddressInfo;
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  return {
    pages,
    answer: () => answer,
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: name,
        redirect_uris: [redirectUrl],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        scope: "mcp offline_access",
      },
      clientInformation: () => registration,
      saveClientInformation: (saved) => void (registration = saved),
      tokens: () => tokens,
      saveTokens: (saved) => void (tokens = saved),
      saveCodeVerifier: (saved) => void (verifier = saved),
      codeVerifier: () => verifier,
      redirectToAuthorization: async (url) => {
        const page = await browser.newPage();
        try {
          await page.goto(url.href);
          pages.push(await page.locator("main").innerText());
          await page.getByLabel("Passcode").fill(passcode);
          await page.getByRole("button", { name: "Allow" }).click();
          await page.waitForURL(`${redirectUrl}**`);
        } finally {
          await page.close();
        }
      },
    },
    stop: () =>
      new Promise((resolve) => {
        callback.closeAllConnections();
        callback.close(() => resolve());
      }),
  };
}
