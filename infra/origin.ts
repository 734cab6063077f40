/** How a listen address is written in a URL. */

export type ListenAddress = { readonly host: string; readonly port: number };

/** `http://127.0.0.1:8787`; an address that means every interface is shown as this machine. */
export function originOf({ host, port }: ListenAddress): string {
  const shown = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
