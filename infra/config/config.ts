/** What a configuration is once it is read: names are resolved, defaults filled in, nothing is left to parse. */
import type { Client } from "../../auth/client.ts";
import type { Ranges } from "../../auth/egress.ts";
import type { Group } from "../../gateway/tool.ts";
import type { Problem } from "./problem.ts";
import type { Variables } from "./variables.ts";

export type ClientSettings = {
  readonly client: Client;
  /** Toolset spec. */
  readonly tools: string;
  readonly readOnly: boolean;
  readonly permissions: Readonly<Record<Group, "on" | "off">>;
  /** Names of the vaults it may read. */
  readonly vaults: readonly string[];
};

export type VaultSettings = {
  readonly name: string;
  /** Absolute folder; null = the sample vault, made under `home`. */
  readonly repository: string | null;
  /** null = whatever HEAD names. */
  readonly branch: string | null;
  /** Folder inside the repository, empty = all of it. */
  readonly root: string;
  readonly unreadable: "fail" | "report";
  readonly indexLimitBytes: number;
};

export type Config = {
  readonly listen: { readonly host: string; readonly port: number };
  readonly operations: { readonly host: string; readonly port: number } | null;
  /** Absolute. */
  readonly home: string;
  readonly proxy: { readonly trusted: Ranges; readonly header: string } | null;
  /** Lower case; never empty. */
  readonly operators: readonly string[];
  readonly limits: {
    readonly bodyBytes: number;
    readonly batch: number;
    readonly depth: number;
    readonly streams: number;
    readonly responseBytes: number;
  };
  readonly clients: readonly ClientSettings[];
  /** False = nobody named any, and the built-in client of this machine serves. */
  readonly namesClients: boolean;
  readonly vaults: readonly VaultSettings[];
  /** Sentences on configured parts that later versions build. */
  readonly notBuilt: readonly string[];
};

/** What decides beside the file. */
export type Surroundings = {
  readonly lookUp: Variables;
  /** Folder that relative paths start from: the file's, or the working directory without a file. */
  readonly folder: string;
  /** Home directory of the user, for `~`. */
  readonly userHome: string;
  /** `PORT` and `POSTERN_HOME`, where set. */
  readonly port?: string;
  readonly home?: string;
  /** What a running process has taken already; wins over the file and the variables. */
  readonly taken?: Pick<Config, "listen" | "operations" | "home">;
};

export type Loaded = { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problems: readonly Problem[] };
