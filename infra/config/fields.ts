/** Shapes that several sections share. */
import * as z from "zod";
import { isLoopbackHost } from "../origin.ts";

const nameError = "must be a name of lower-case letters, digits, - and _, at most 32 of them";
/** Name of a client, issuer, vault or root. */
export const name = z.string({ error: nameError }).regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, { error: nameError });

const addressError = "must be host:port, such as 127.0.0.1:8787 or [::1]:8787";
/** `host:port`; port 1 to 65535. */
export const listenAddress = z
  .string({ error: addressError })
  .regex(/^(?:\[[0-9a-f:]+\]|[a-z0-9.-]+):\d{1,5}$/i, { error: addressError })
  .transform((text) => {
    const colon = text.lastIndexOf(":");
    return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, { error: addressError });

const hostnameError = "must be a host name alone: lower case, no port, no path; IPv6 in brackets";
/** The host of a client as it stands in its URL. */
export const hostname = z
  .string({ error: hostnameError })
  .regex(/^(?:\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/, { error: hostnameError });

const urlError = "must be an https URL (http on this machine only), without user, query or fragment";
/** An address Postern talks to or shows. */
export const url = z.string({ error: urlError }).refine(isAcceptableUrl, { error: urlError });

const originError = "must be an https origin without a path or trailing slash, such as https://team.cloudflareaccess.com";
export const origin = z
  .string({ error: originError })
  .refine((text) => isAcceptableUrl(text) && new URL(text).origin === text, { error: originError });

export const text = z.string({ error: "must be a text" });
export const flag = z.boolean({ error: "must be true or false" });
export const texts = z.array(text, { error: "must be a list of texts" });

function isAcceptableUrl(value: string): boolean {
  if (!URL.canParse(value) || /[\s#?]/.test(value)) return false;
  const { protocol, hostname: host, username, password } = new URL(value);
  return (
    username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && isLoopbackHost(host.replace(/^\[|\]$/g, ""))))
  );
}
