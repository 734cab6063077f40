/** The Node entry: reads the configuration, gives `wire` what this platform has, listens, watches, stops. */
import { hash, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Tool } from "../gateway/tool.ts";
import { oauthRecords } from "../storage/backends/oauth-records.ts";
import { openSealer } from "../storage/backends/sealer.ts";
import { secretStore } from "../storage/backends/secrets.ts";
import type { GitProgram } from "../storage/vault/git/git-program.ts";
import { openAuthorization } from "./authorization.ts";
import { banner } from "./banner.ts";
import { bannerFacts } from "./banner-facts.ts";
import { readConfiguration } from "./config/read.ts";
import { usualOperations } from "./config/schema.ts";
import { placeOf } from "./config/sources.ts";
import { watchConfig } from "./config/watch.ts";
import { openDatabase } from "./database.ts";
import { listen, type Listener, type ListenOptions } from "./listener.ts";
import { createLog, stderrWriter } from "./log.ts";
import { createOperations } from "./operations.ts";
import { newPasscode } from "./passcode.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { gaugesOf, readinessOf } from "./readiness.ts";
import { StartError } from "./start-error.ts";
import { isLoopbackHost, originOf } from "./origin.ts";
import { now, timers } from "./timers.ts";
import { type Deployment, wire } from "./wire.ts";

export type StartOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Tools beside the catalogue; the conformance fixtures use it. Default: none. */
  readonly extraTools?: readonly Tool[];
  /** Where log lines go. Default: stderr. */
  readonly writeLog?: (text: string) => void;
};

export type Running = {
  /** The MCP endpoint on this machine. */
  readonly url: string;
  readonly operationsUrl: string | null;
  readonly banner: readonly string[];
  readonly passcode: string;
  /** Looks at the configuration now instead of at the next poll. */
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Calls under way at a stop get this long. */
const graceMs = 10_000;
const refusalSweepMs = 60_000;
const sealerRefreshMs = 5 * 60_000;

/** Throws a StartError with one line for the operator. Whatever was opened until then is closed again. */
export async function startNode({ env, cwd, extraTools = [], writeLog = stderrWriter() }: StartOptions): Promise<Running> {
  const startedAtMs = now();
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.toReversed()) await close();
  };
  try {
    const config = await readConfiguration({ env, cwd });
    const { log, prepare, flush } = createLog({ write: writeLog, soon: (task) => void timers.after(20, task) }, now);
    opened.push(async () => flush());
    const database = await openDatabase(join(config.home, "postern.db"));
    opened.push(() => database.close());
    const secrets = secretStore({ database, now });
    const sealer = await openSealer({ secrets, now });
    const origin = originOf(config.listen);
    const passcode = newPasscode();
    const oauthRefusals = createRefusalLog(log, now, "oauth_refused");
    opened.push(async () => oauthRefusals.sweep(true));
    const authorization = openAuthorization({
      config: () => deployment.site().config,
      origin,
      listenerIsLoopback: isLoopbackHost(config.listen.host),
      passcode,
      records: oauthRecords({ database, now }),
      secrets,
      now,
      ids: randomUUID,
      log: (level, event, fields = {}) =>
        event === "oauth_refused"
          ? oauthRefusals.write(`${String(fields["path"])} ${String(fields["reason"])}`, fields)
          : log(level, event, fields),
    });
    const deployment: Deployment = await wire(config, {
      now,
      log,
      prepareLine: prepare,
      timers,
      hash: (text) => hash("sha256", text),
      keys: { send: fetch, deadline: (ms) => AbortSignal.timeout(ms), embeddedKeys: authorization.keys, random: Math.random },
      vaults: { sealer, git: gitOf(env) },
      authorization: authorization.pages,
      extraTools,
    });
    opened.push(() => deployment.close());

    let stopping = false;
    const observed: Pick<ListenOptions, "log" | "observeMalformed"> = {
      log,
      observeMalformed: ({ reason, status, peerAddress }) =>
        deployment.refusals.write(`${reason} ${peerAddress}`, { client: "none", reason, status, peer_address: peerAddress }),
    };
    const listeners: Listener[] = [];
    const notices: string[] = [];
    listeners.push(
      await listen({
        ...config.listen,
        ...observed,
        setting: "listen",
        fetch: (request, inbound) => deployment.app.fetch(request, inbound),
      }),
    );
    opened.push(() => stopListening(listeners));
    if (config.operations !== null) {
      const operations = createOperations({
        host: config.operations.host,
        metrics: deployment.metrics,
        readiness: () => readinessOf(deployment, database, stopping),
        gauges: () => gaugesOf(deployment, process.memoryUsage.rss(), startedAtMs),
      });
      const bound = listen({ ...config.operations, ...observed, setting: "operations", fetch: (request) => operations.fetch(request) });
      const listener = await bound.catch((error: unknown) => {
        // Nobody asked for the usual address, and a second Postern on this machine must not fail over its metrics.
        if (!(error instanceof StartError) || originOf(config.operations ?? config.listen) !== `http://${usualOperations}`) throw error;
        notices.push(`health and metrics are off: ${error.message}.`);
        return null;
      });
      if (listener !== null) listeners.push(listener);
    }
    /** What a caller would only find out at the first question, such as a `root` that is not there. */
    const reportVaults = async (): Promise<void> => {
      for (const [name, { vault }] of deployment.vaults()) {
        const health = await vault.health();
        if (!health.ok) log("warn", "vault_unavailable", { vault: name, reason: health.reason, detail: health.detail });
      }
    };
    const file = placeOf({ env, cwd }).path;
    const watcher = watchConfig({
      env,
      cwd,
      current: config,
      timers,
      apply: async (next) => {
        await deployment.apply(next);
        log("info", "configuration_applied", { generation: deployment.site().gate.generation });
        await reportVaults();
      },
      note: (notes) => {
        for (const { path, message } of notes)
          log("warn", "configuration_note", { ...(path === "" ? {} : { setting: path }), detail: message });
      },
      refuse: (problems, closedClients) => {
        for (const { line, path, message } of problems)
          log("error", "configuration_refused", { file, line, ...(path === "" ? {} : { setting: path }), detail: message });
        if (closedClients.length === 0) return;
        deployment.closeClients(closedClients);
        log("warn", "clients_closed", { clients: closedClients });
      },
    });
    const stopTimers = [
      timers.every(refusalSweepMs, () => {
        deployment.refusals.sweep();
        oauthRefusals.sweep();
      }),
      timers.every(sealerRefreshMs, () => void sealer.refresh()),
    ];
    log("info", "started", { address: origin });
    await reportVaults();

    const operationsUrl = config.operations === null || listeners.length < 2 ? null : originOf(config.operations);
    return {
      url: `${origin}/mcp`,
      operationsUrl,
      passcode,
      banner: banner(
        await bannerFacts(deployment, {
          resource: `${origin}/mcp`,
          operations: operationsUrl,
          passcode,
          notices,
          environment: givenVariables(env),
        }),
      ),
      reload: () => watcher.check(),
      stop: async () => {
        stopping = true;
        watcher.stop();
        for (const stop of stopTimers) stop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function givenVariables(env: StartOptions["env"]): string {
  const given = ["PORT", "POSTERN_HOME", "POSTERN_CONFIG"].flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" ? [] : [`${name}=${/^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`} `];
  });
  return given.join("");
}

/** git is looked for where the operator's shell would find it, and inherits nothing else of the environment. */
function gitOf({ PATH: searchPath }: StartOptions["env"]): GitProgram {
  return searchPath === undefined ? {} : { searchPath };
}

/** The public listener first: `/readyz` keeps answering 503 while calls under way finish. */
async function stopListening([first, ...rest]: readonly Listener[]): Promise<void> {
  await first?.stop(graceMs);
  for (const listener of rest) await listener.stop(0);
}
