/** Where an issuer's keys come from. Every document is bounded in time and size, and no redirect is followed. */
import type { JWK } from "jose";
import type { Issuer } from "./client.ts";
import type { KeyFailure, LoadedKeys } from "./keys.ts";

/** What is used of `fetch`. */
export type Send = (url: string, init: SendInit) => Promise<Response>;
type SendInit = { readonly redirect: "manual"; readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> };

export type KeySourceDependencies = {
  readonly send: Send;
  /** A signal that aborts after that many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
  /** Public keys of the built-in authorization server. */
  readonly embeddedKeys: () => Promise<readonly JWK[]>;
};

const documentBytes = 256 * 1024;
/** For each document, until its last byte. */
const documentMs = 5000;
/** A set with more is not read further: each key may have to be tried. */
const maxKeys = 100;

export function keySource(issuer: Issuer, dependencies: KeySourceDependencies): () => Promise<LoadedKeys> {
  if (issuer.kind === "embedded") return async () => keysIn({ keys: await dependencies.embeddedKeys() });
  if (issuer.kind === "cloudflare-access") return () => fetchKeys(`${issuer.issuer}/cdn-cgi/access/certs`, dependencies);
  const { jwksUrl } = issuer;
  if (jwksUrl !== undefined) return () => fetchKeys(jwksUrl, dependencies);
  return () => discover(issuer.issuer, dependencies);
}

/** OpenID Connect Discovery 1.0 section 4, then RFC 8414 section 3; the document must name the issuer it was found under. */
async function discover(issuer: string, dependencies: KeySourceDependencies): Promise<LoadedKeys> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname.replace(/\/$/, "");
  const places = [`${origin}${path}/.well-known/openid-configuration`, `${origin}/.well-known/oauth-authorization-server${path}`];
  let failure: KeyFailure = "unreachable";
  for (const place of places) {
    const document = await fetchJson(place, dependencies);
    if (!document.ok) {
      failure = document.reason;
      continue;
    }
    const { issuer: named, jwks_uri: jwksUrl } = document.value;
    if (named !== issuer) return { ok: false, reason: "issuer_mismatch" };
    return typeof jwksUrl === "string" ? fetchKeys(jwksUrl, dependencies) : { ok: false, reason: "no_keys" };
  }
  return { ok: false, reason: failure };
}

async function fetchKeys(url: string, dependencies: KeySourceDependencies): Promise<LoadedKeys> {
  const document = await fetchJson(url, dependencies);
  return document.ok ? keysIn(document.value) : document;
}

/** HTTPS anywhere; plain HTTP only on this machine. */
function isFetchable(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  const isLoopback = hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]";
  return username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && isLoopback));
}

type Fetched =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: KeyFailure };

async function fetchJson(url: string, { send, deadline }: KeySourceDependencies): Promise<Fetched> {
  if (!isFetchable(url)) return { ok: false, reason: "forbidden_url" };
  const signal = deadline(documentMs);
  try {
    const response = await send(url, { redirect: "manual", signal, headers: { accept: "application/json" } });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { ok: false, reason: isRedirect(response) ? "redirected" : "bad_status" };
    }
    const text = await readText(response);
    return text === null ? { ok: false, reason: "too_large" } : parse(text);
  } catch {
    return { ok: false, reason: signal.aborted ? "timeout" : "unreachable" };
  }
}

/** Some runtimes hide the status of a redirect that is not followed. */
function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

async function readText(response: Response): Promise<string | null> {
  let bytes = 0;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > documentBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): Fetched {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { ok: true, value } : { ok: false, reason: "not_json" };
  } catch {
    return { ok: false, reason: "not_json" };
  }
}

/** An empty or unreadable set is a failure: it must not replace a good one. */
function keysIn(document: Readonly<Record<string, unknown>>): LoadedKeys {
  const list = document["keys"];
  const keys = Array.isArray(list) ? list.filter(isPublicKey).slice(0, maxKeys) : [];
  return keys.length === 0 ? { ok: false, reason: "no_keys" } : { ok: true, keys };
}

/** Symmetric keys would let a verifier sign; a published private half (`d`) lets everybody. Keys without a name cannot be chosen. */
function isPublicKey(value: unknown): value is JWK {
  if (!isRecord(value) || value["d"] !== undefined) return false;
  return (
    typeof value["kid"] === "string" && value["kid"] !== "" && (value["kty"] === "RSA" || value["kty"] === "EC" || value["kty"] === "OKP")
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
