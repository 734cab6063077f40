/** A vault on a temporary repository, closed when the test ends. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ListQuery, Outcome, ReadQuery, ReadResult, Sealer, SearchHit, SearchQuery, Vault } from "../../../storage/ports.ts";
import { openVault, type VaultSettings } from "../../../storage/vault/open-vault.ts";
import { createRepository, type Planted, type TestRepository } from "../../support/git-repository.ts";

export const signal = new AbortController().signal;

/** Seals with an HMAC, like the deployment's own; `key` tells deployments apart. */
export function testSealer(key = "one"): Sealer {
  const tag = (purpose: string, payload: string): Buffer =>
    createHmac("sha256", key)
      .update(JSON.stringify([purpose, payload]))
      .digest();
  return {
    seal: (purpose, payload) => `${Buffer.from(payload).toString("base64url")}.${tag(purpose, payload).toString("base64url")}`,
    open(purpose, sealed) {
      const [body = "", mac = "", more] = sealed.split(".");
      const payload = Buffer.from(body, "base64url").toString();
      const given = Buffer.from(mac, "base64url");
      const right = tag(purpose, payload);
      const isCanonical = more === undefined && given.toString("base64url") === mac && Buffer.from(payload).toString("base64url") === body;
      return isCanonical && given.length === right.length && timingSafeEqual(given, right) ? payload : null;
    },
  };
}

export type OpenedVault = Vault & { readonly logged: readonly string[] };

export async function openAt(
  path: string,
  settings: Partial<Omit<VaultSettings, "repository">> & Partial<VaultSettings["repository"]> = {},
): Promise<OpenedVault> {
  const { branch, git, ...rest } = settings;
  const logged: string[] = [];
  const opened = await openVault({
    name: "notes",
    repository: { path, ...(branch === undefined ? {} : { branch }), ...(git === undefined ? {} : { git }) },
    sealer: testSealer(),
    now: Date.now,
    log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
    ...rest,
  });
  if (!opened.ok) throw new Error(opened.refusal.message);
  onTestFinished(() => opened.value.close());
  return { ...opened.value, logged };
}

/** A repository with these files in one commit, and a vault on it. */
export async function vaultOf(
  files: Readonly<Record<string, Planted>> | ReadonlyMap<string | Uint8Array, Planted>,
  settings: Parameters<typeof openAt>[1] = {},
): Promise<{ readonly vault: OpenedVault; readonly repository: TestRepository; readonly commit: string }> {
  const repository = await createRepository();
  const commit = await repository.commit(files);
  return { vault: await openAt(repository.path, settings), repository, commit };
}

export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(`${outcome.fault.code}: ${outcome.fault.message} ${JSON.stringify(outcome.fault.details)}`);
  return outcome.value;
}

/** `CODE` or `CODE reason`, of a refusal; `ok` otherwise. */
export function refusalOf(outcome: Outcome<unknown>): string {
  if (outcome.ok) return "ok";
  const { code, details } = outcome.fault;
  const reason = details?.["reason"] ?? details?.["rule"];
  return reason === undefined ? code : `${code} ${String(reason)}`;
}

export async function search(vault: Vault, query: string, more: Partial<SearchQuery> = {}): Promise<readonly SearchHit[]> {
  return valueOf(await vault.search({ query, scope: "all", limit: 20, ...more }, signal)).items;
}

export async function found(vault: Vault, query: string, more: Partial<SearchQuery> = {}): Promise<readonly string[]> {
  return (await search(vault, query, more)).map(({ path }) => path);
}

export async function listed(vault: Vault, more: Partial<ListQuery> = {}): Promise<readonly string[]> {
  return valueOf(await vault.list({ limit: 20, ...more }, signal)).items.map(({ path }) => path);
}

export async function read(vault: Vault, paths: readonly string[], more: Partial<ReadQuery> = {}): Promise<ReadResult> {
  return valueOf(await vault.read({ paths, ...more }, signal));
}
