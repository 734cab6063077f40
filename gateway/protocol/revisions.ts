/** The dated protocol revisions, in two lists kept apart so that a stateless one can never be negotiated by `initialize`. */

/** Opened by `initialize`; newest first. */
export const handshakeRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** Every request names its revision itself; newest first. */
export const statelessRevisions = ["2026-07-28"] as const;

export type HandshakeRevision = (typeof handshakeRevisions)[number];
export type StatelessRevision = (typeof statelessRevisions)[number];
export type Revision = HandshakeRevision | StatelessRevision;
export type Era = "handshake" | "stateless";

/** What `server/discover` lists: all that this URL speaks. */
export const allRevisions: readonly Revision[] = [...statelessRevisions, ...handshakeRevisions];

/** Answered when `initialize` asks for a revision we do not know (2025-11-25 basic/lifecycle, version negotiation). */
export const newestHandshake: HandshakeRevision = handshakeRevisions[0];

/** Assumed when a handshake-era request carries no MCP-Protocol-Version header (2025-06-18 basic/transports). */
export const assumedHandshake: HandshakeRevision = "2025-03-26";

export function isHandshakeRevision(text: unknown): text is HandshakeRevision {
  return handshakeRevisions.some((revision) => revision === text);
}

export function isStatelessRevision(text: unknown): text is StatelessRevision {
  return statelessRevisions.some((revision) => revision === text);
}

const dated = /^\d{4}-\d{2}-\d{2}$/;
const oldestStateless = "2026-07-28";

/** Whether a header value names the stateless era, known revision or not. Dates compare as text. */
export function namesStatelessEra(header: string): boolean {
  return dated.test(header) && header >= oldestStateless;
}
