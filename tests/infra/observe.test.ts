import { describe, expect, it } from "vitest";
import type { Refusal } from "../../auth/refusal.ts";
import type { Inbound } from "../../gateway/endpoint.ts";
import { createLog } from "../../infra/log.ts";
import { createMetrics } from "../../infra/metrics.ts";
import { createObservers } from "../../infra/observe.ts";
import { createRefusalLog } from "../../infra/refusal-log.ts";
import { chatgpt } from "../auth/scene.ts";

function open() {
  let text = "";
  const { log, prepare, flush } = createLog({ write: (more) => void (text += more), soon: () => undefined }, () => 0);
  const refusals = createRefusalLog(log, () => 0);
  const observers = createObservers(prepare, refusals, createMetrics());
  const lines = (): readonly unknown[] => {
    flush();
    return text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  };
  return { observers, refusals, lines };
}

describe("refusals in the log", () => {
  const inbound = { peerAddress: "127.0.0.1", target: "/mcp?q=secret", requestId: "r" } satisfies Partial<Inbound> as unknown as Inbound;
  const refusal: Refusal = { kind: "refusal", reason: "token_expired", client: chatgpt, host: "mcp-chatgpt.example.com", origin: null };

  it("tell callers behind one proxy apart, and count each of them by itself", () => {
    const { observers, refusals, lines } = open();
    for (const callerAddress of ["203.0.113.7", "203.0.113.8", "203.0.113.7"]) observers.refusal({ ...refusal, callerAddress }, inbound);
    refusals.sweep(true);
    expect(lines()).toMatchObject([
      { caller_address: "203.0.113.7", peer_address: "127.0.0.1", host: "mcp-chatgpt.example.com", path: "/mcp" },
      { caller_address: "203.0.113.8" },
      { caller_address: "203.0.113.7", count: 1 },
    ]);
  });

  it("tell the hosts of one client apart", () => {
    const { observers, lines } = open();
    for (const host of ["mcp-chatgpt.example.com", "chat.example.com"]) observers.refusal({ ...refusal, host }, inbound);
    expect(lines()).toMatchObject([{ host: "mcp-chatgpt.example.com" }, { host: "chat.example.com" }]);
  });
});

describe("calls in the log", () => {
  it("say why a dependency failed one, and are told apart by it", () => {
    const { observers, lines } = open();
    const call = { client: "local", era: "stateless", revision: "2026-07-28", method: "tools/call", tool: "vault_list" };
    const outcome = "UPSTREAM_UNAVAILABLE";
    observers.call({ ...call, outcome, requestId: "1", reason: "repository_missing" });
    observers.call({ ...call, outcome, requestId: "2", reason: "git_timeout" });
    observers.call({ ...call, outcome: "ok", requestId: "3" });
    expect(lines()).toMatchObject([
      { request_id: "1", outcome, reason: "repository_missing" },
      { request_id: "2", outcome, reason: "git_timeout" },
      { request_id: "3", outcome: "ok" },
    ]);
    expect(lines()[2]).not.toHaveProperty("reason");
  });
});
