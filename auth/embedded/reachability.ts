/** Who may speak to the built-in authorization server: programs and browsers on this machine, and nobody through a proxy or tunnel. */

export type Reach = {
  /** The listener is bound to a loopback address. */
  readonly listenerIsLoopback: boolean;
  /** The Host header as sent, `undefined` if there is none. */
  readonly host: string | undefined;
  /** Names of the request's headers, in any case. */
  readonly headerNames: readonly string[];
  /** The socket's, never one that a header claims. */
  readonly peerAddress: string;
};

/** Why a request is not local; for the log only. */
export type NotLocal = "listener" | "host" | "forwarded" | "peer";

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const loopbackPeer = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;
/** Set by every proxy or tunnel that makes a loopback listener reachable from elsewhere. */
const forwarding = /^(cf-.*|x-forwarded(-.*)?|forwarded|x-real-ip|via)$/i;

/**
 * `null` when the request was made on this machine. Fails closed: each of the four facts alone is enough to refuse.
 * The Host check also ends DNS rebinding, where a foreign name resolves to 127.0.0.1.
 */
export function whyNotLocal({ listenerIsLoopback, host, headerNames, peerAddress }: Reach): NotLocal | null {
  if (!listenerIsLoopback) return "listener";
  if (host === undefined || !loopbackHost.test(host)) return "host";
  if (headerNames.some((name) => forwarding.test(name))) return "forwarded";
  return loopbackPeer.test(peerAddress) ? null : "peer";
}

export function isLocalRequest(reach: Reach): boolean {
  return whyNotLocal(reach) === null;
}

/** A browser origin on this machine, any port: the Inspector and other development pages. `null` (the opaque origin) is not one. */
export function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/.test(origin);
}
