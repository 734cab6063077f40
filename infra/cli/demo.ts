/**
 * `npm run demo`: starts Postern with the sample vault in a folder of its own and walks the whole way with real clients of
 * both eras: login, initialize or discover, list, search, read. Prints what happened; cleans up behind itself.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  Client as ClientV2,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { logIn } from "./demo-browser.ts";

const redirectUri = "http://127.0.0.1:33418/callback";
const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Started = { readonly url: string; readonly passcode: string; readonly stop: () => Promise<void> };

async function startPostern(folder: string): Promise<Started> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), POSTERN_HOME: join(folder, "home"), POSTERN_CONFIG: undefined };
  const child = spawn(process.execPath, [fileURLToPath(new URL("./postern.js", import.meta.url)), "serve"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let passcode = "";
  for await (const line of createInterface({ input: child.stdout })) {
    passcode = /^\s+passcode\s+(\S+)/.exec(line)?.[1] ?? passcode;
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    const stop = async (): Promise<void> => {
      child.kill("SIGTERM");
      await ended;
    };
    return { url, passcode, stop };
  }
  throw new Error("Postern did not start; run `npm start` to see why");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

/** An app's memory of one login. */
type Memory<Registration, Tokens> = { registration?: Registration; tokens?: Tokens; verifier: string; answer: URLSearchParams | null };

/** What both clients ask of an app that logs in; the person is played by `logIn`. */
function appOf<Registration, Tokens>(passcode: string) {
  const memory: Memory<Registration, Tokens> = { verifier: "", answer: null };
  const provider = {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "Postern demo",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      scope: "mcp",
    },
    clientInformation: () => memory.registration,
    saveClientInformation: (registration: Registration) => void (memory.registration = registration),
    tokens: () => memory.tokens,
    saveTokens: (tokens: Tokens) => void (memory.tokens = tokens),
    saveCodeVerifier: (verifier: string) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier,
    redirectToAuthorization: async (url: URL) => {
      say(`  is sent to ${url.origin}${url.pathname} to log in, and is let in`);
      memory.answer = (await logIn(url, redirectUri, { passcode, decision: "allow" })).searchParams;
    },
  };
  return { memory, provider };
}

type Door = { readonly connect: () => Promise<void>; readonly finish: (answer: URLSearchParams) => Promise<void> };

/** Connects; where the server asks for a login first, finishes that and connects again. */
async function connectWithLogin(memory: { answer: URLSearchParams | null }, door: () => Door): Promise<void> {
  const first = door();
  try {
    await first.connect();
  } catch (error) {
    if (memory.answer === null) throw error;
    await first.finish(memory.answer);
    await door().connect();
  }
}

type Caller = {
  readonly tools: () => Promise<readonly string[]>;
  /** The structured result of one tool. */
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Found>;
};
/** What the story reads from results. */
type Found = {
  readonly client?: string;
  readonly era?: string;
  readonly revision?: string;
  readonly commit?: string;
  readonly items?: readonly { readonly path: string; readonly title: string }[];
  readonly notes?: readonly { readonly content: string }[];
};

async function walk({ tools, call }: Caller): Promise<void> {
  say(`  sees the tools ${(await tools()).join(", ")}`);
  const ping = await call("ping", {});
  say(`  is client "${ping.client}", ${ping.era} era, revision ${ping.revision}`);
  const listed = await call("vault_list", { limit: 3 });
  say(`  lists notes at commit ${listed.commit?.slice(0, 12)}: ${listed.items?.map(({ title }) => title).join(", ")}, …`);
  const found = await call("vault_search", { query: "오후 정리" });
  const paths = found.items?.map(({ path }) => path) ?? [];
  say(`  searches "오후 정리" and finds ${paths.join(", ")}`);
  const read = await call("vault_read", { paths });
  const quote = read.notes?.[0]?.content.split("\n").find((line) => line.startsWith("> "));
  if (quote === undefined) throw new Error("the note did not come back as it was written");
  say(`  reads it: ${quote}`);
}

async function withV1(url: string, passcode: string): Promise<void> {
  say("\n@modelcontextprotocol/sdk 1.32, handshake era");
  const { memory, provider } = appOf<OAuthClientInformationMixed, OAuthTokens>(passcode);
  let client = new ClientV1({ name: "postern-demo", version: "1" });
  await connectWithLogin(memory, () => {
    const transport = new TransportV1(new URL(url), { authProvider: provider });
    client = new ClientV1({ name: "postern-demo", version: "1" });
    return { connect: () => client.connect(transport), finish: (answer) => transport.finishAuth(answer.get("code") ?? "") };
  });
  await walk({
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => Object((await client.callTool({ name, arguments: args })).structuredContent),
  });
  await client.close();
}

async function withV2(url: string, passcode: string): Promise<void> {
  say("\n@modelcontextprotocol/client 2.4, stateless era");
  const { memory, provider } = appOf<StoredOAuthClientInformation, StoredOAuthTokens>(passcode);
  // The client checks that the answer comes from the server it asked; for that it must be able to remember whom it asked.
  let discovery: OAuthDiscoveryState | undefined;
  const authProvider = {
    ...provider,
    saveDiscoveryState: (state: OAuthDiscoveryState) => void (discovery = state),
    discoveryState: () => discovery,
  };
  const open = (): ClientV2 =>
    new ClientV2({ name: "postern-demo", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  let client = open();
  await connectWithLogin(memory, () => {
    const transport = new TransportV2(new URL(url), { authProvider });
    client = open();
    return { connect: () => client.connect(transport), finish: (answer) => transport.finishAuth(answer) };
  });
  await walk({
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => Object((await client.callTool({ name, arguments: args })).structuredContent),
  });
  await client.close();
}

const folder = await mkdtemp(join(tmpdir(), "postern-demo-"));
try {
  const postern = await startPostern(folder);
  say(`Postern serves its sample vault at ${postern.url}`);
  try {
    await withV1(postern.url, postern.passcode);
    await withV2(postern.url, postern.passcode);
    say("\nBoth eras work.");
  } finally {
    await postern.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
