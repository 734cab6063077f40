/** Gathers what the banner shows from what is running. */
import type { BannerFacts } from "./banner.ts";
import type { Deployment } from "./wire.ts";

export async function bannerFacts(
  deployment: Deployment,
  listening: {
    readonly resource: string;
    readonly operations: string | null;
    readonly passcode: string;
    readonly notices: readonly string[];
    readonly environment: string;
  },
): Promise<BannerFacts> {
  const { config, gate } = deployment.site();
  const vaults = await Promise.all(
    [...deployment.vaults()].map(async ([name, { vault, repository }]) => {
      const health = await vault.health();
      return { name, repository, serves: health.ok ? `at ${health.commit.slice(0, 12)}` : `— nothing can be read: ${health.detail}` };
    }),
  );
  const clients = [...new Set(gate.byHost.values())];
  const doors = clients
    .filter(({ loopback }) => !loopback)
    .map(({ name, hosts, resources, audience }) => ({
      name,
      resource: hosts.map((host) => resources[host] ?? host).join(", "),
      ...(audience.kind === "revoked" ? { closed: audience.why } : {}),
    }));
  const hasLocalDoor = clients.some(({ issuer, loopback }) => loopback && issuer.kind === "embedded");
  return {
    resource: listening.resource,
    operations: listening.operations,
    vaults,
    doors,
    passcode: hasLocalDoor ? listening.passcode : null,
    environment: listening.environment,
    notices: [...listening.notices, ...config.notBuilt],
  };
}
