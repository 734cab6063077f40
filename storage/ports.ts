/**
 * Ports: what the rest of Postern may ask of storage and of its surroundings. Interfaces only; no code, no import.
 * Backends under `storage/` implement them, `infra/wire.ts` chooses which, and `gateway/` and `auth/` see nothing else.
 */

/** Every way a tool can say no. The table with status, advice and retry rule is `gateway/errors.ts`. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "PATH_NOT_ALLOWED"
  | "COMMIT_UNAVAILABLE"
  | "INVALID_CURSOR"
  | "RESPONSE_TOO_LARGE"
  | "UPSTREAM_UNAVAILABLE"
  | "LOCKED"
  | "CONFLICT"
  | "NOT_UNIQUE"
  | "HOOK_BLOCKED"
  | "HOOK_REPORTED"
  | "CONFIRM_REQUIRED"
  | "TOOL_DISABLED"
  | "APPROVAL_PENDING"
  | "RATE_LIMITED"
  | "NO_PROJECT"
  | "PROJECT_CHANGED"
  | "SESSION_CHANGED"
  | "QUERY_SYNTAX"
  | "SCOPE_BLOCKED"
  | "BUDGET_EXHAUSTED"
  | "PROJECT_BUSY"
  | "FTS_BACKLOG"
  | "NETWORK_ERROR"
  | "PROTOCOL_ERROR"
  | "REQUEST_TRUNCATED"
  | "NOT_CONFIRMED"
  | "NOTHING_TO_SEND"
  | "REFUSED"
  | "STORE_ERROR"
  | "INTERNAL";

/** A refusal as a value. `message` is our own sentence: what was wrong, where, and the way out; never text from outside. */
export type Fault = {
  readonly code: ErrorCode;
  readonly message: string;
  /** The argument at fault, as the caller spelled it. */
  readonly field?: string;
  /** Machine-readable particulars, such as the missing paths. */
  readonly details?: Readonly<Record<string, unknown>>;
};

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

// ---------------------------------------------------------------- the vault

/** A front-matter scalar exactly as YAML 1.2 core reads it; `null` when the key is absent or holds no scalar. */
export type Scalar = string | number | boolean | null;

export type NoteFacts = {
  readonly type: Scalar;
  readonly status: Scalar;
  readonly verified: Scalar;
  /** Why the front matter could not be read. The note itself stays readable. */
  readonly metadata_error?: string;
};

export type NoteSummary = NoteFacts & {
  /** Exact bytes of the path in the commit, decoded as UTF-8. */
  readonly path: string;
  readonly title: string;
  readonly description: Scalar;
};

export type SearchHit = {
  readonly path: string;
  readonly title: string;
  /** At most 160 code points of the original text around the first hit. */
  readonly snippet: string;
  readonly match_location: "title" | "body";
};

/** A note that could not be read, with the reason: only under `unreadable: report`. */
export type UnreadableNote = {
  readonly path: string;
  readonly reason: UnreadableReason;
  /** Only for `not_utf8`: the first bad byte, counted from 0. */
  readonly offset?: number;
};
export type UnreadableReason = "not_utf8" | "lfs_pointer" | "over_index_limit" | "object_missing" | "object_corrupt";

export type Page<T> = {
  readonly commit: string;
  readonly items: readonly T[];
  /** `null` = this was the last page. */
  readonly next_cursor: string | null;
  readonly unreadable?: readonly UnreadableNote[];
  /** How many there are; only when there are more than `unreadable` names. */
  readonly unreadable_total?: number;
};

export type NoteLink = {
  /** Path in the vault where `resolved`, else the target as written (decoded, without anchor). */
  readonly target_path: string;
  readonly anchor: string | null;
  readonly resolution: "resolved" | "missing" | "ambiguous";
  readonly kind: "note" | "attachment";
  /** Paths in byte order, at most 20 of them; only when `ambiguous`. */
  readonly candidates?: readonly string[];
  /** How many there are; only when there are more than `candidates` lists. */
  readonly candidates_total?: number;
  /** The path Obsidian would open; only when `ambiguous`. */
  readonly obsidian_choice?: string;
  /** The note whose front matter lists the target as an alias; only when `missing`. */
  readonly alias_of?: string;
};

export type Note = NoteFacts & {
  readonly path: string;
  readonly content: string;
  readonly links: readonly NoteLink[];
  /** Set when `content` is a byte range of the note and not the whole. */
  readonly partial?: true;
  /** Only with `partial`: the bytes served, the size of the whole note, and the `start` of the next read (`null` = end reached). */
  readonly range?: { readonly start: number; readonly end: number; readonly total: number; readonly next_start: number | null };
};

export type ListQuery = {
  readonly prefix?: string;
  /** Full object id; absent = the tip of the configured branch, resolved once per call. */
  readonly commit?: string;
  readonly cursor?: string;
  /** 1..20. */
  readonly limit: number;
};
export type SearchQuery = ListQuery & { readonly query: string; readonly scope: "title" | "all" };
export type ReadQuery = {
  /** 1..5 paths, no duplicates. */
  readonly paths: readonly string[];
  readonly commit?: string;
  /** Bytes `[start, end)` of the one note in `paths`; moved inwards to code point borders. */
  readonly range?: { readonly start: number; readonly end?: number };
};
export type ReadResult = { readonly commit: string; readonly notes: readonly Note[]; readonly unreadable?: readonly UnreadableNote[] };

/** One git-backed collection of Markdown notes. Every answer stands on exactly one commit and names it. */
export type Vault = {
  readonly name: string;
  list(query: ListQuery, signal: AbortSignal): Promise<Outcome<Page<NoteSummary>>>;
  search(query: SearchQuery, signal: AbortSignal): Promise<Outcome<Page<SearchHit>>>;
  read(query: ReadQuery, signal: AbortSignal): Promise<Outcome<ReadResult>>;
  /** For `/readyz`: the commit served now, or why none is. Never throws. */
  health(): Promise<VaultHealth>;
  /** Ends the git processes. Calls under way answer UPSTREAM_UNAVAILABLE. */
  close(): Promise<void>;
};

export type VaultHealth =
  | { readonly ok: true; readonly commit: string }
  /** `reason` is a word for machines, `detail` the sentence callers are told. */
  | { readonly ok: false; readonly commit: null; readonly reason: string; readonly detail: string };

// ---------------------------------------------------------------- durable state of the deployment

/** What the embedded authorization server keeps: one row a record, shaped after oidc-provider's adapter. */
export type OAuthRecords = {
  put(model: string, id: string, payload: Readonly<Record<string, unknown>>, expiresAtMs: number | null): Promise<void>;
  get(model: string, id: string): Promise<OAuthRecord | null>;
  getByUid(model: string, uid: string): Promise<OAuthRecord | null>;
  /** Marks as used at that time; a second call keeps the first time. */
  consume(model: string, id: string, atMs: number): Promise<void>;
  remove(model: string, id: string): Promise<void>;
  removeByGrant(grantId: string): Promise<void>;
};
export type OAuthRecord = { readonly payload: Readonly<Record<string, unknown>>; readonly consumedAtMs: number | null };

/** Secrets that belong to the deployment, made on first use and kept in the database, so that replicas share them. */
export type SecretStore = {
  /** Newest first. The newest seals and signs; the others are still accepted when opening and verifying. */
  list(purpose: SecretPurpose): Promise<readonly Secret[]>;
};
export type SecretPurpose = "cursor" | "request-state" | "token-signing" | "cookie";
/** `value`: 32 random bytes in base64url, or a private JWK as JSON for `token-signing`. */
export type Secret = { readonly id: string; readonly value: string; readonly createdAtMs: number };

// ---------------------------------------------------------------- surroundings, given as arguments by infra

/** Milliseconds since the epoch. */
export type Now = () => number;

/** One line of the log. Fields outside `infra/log.ts`'s allow-list are dropped; values never hold a token, code, secret or argument. */
export type Log = (level: "debug" | "info" | "warn" | "error", event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Seals text so that it can be handed to a caller and recognised when it comes back. */
export type Sealer = {
  /** Opaque, URL-safe. `purpose` separates the uses: what one sealed the other cannot open. */
  seal(purpose: string, payload: string): string;
  /** `null` for anything this deployment did not seal for that purpose. */
  open(purpose: string, sealed: string): string | null;
};
