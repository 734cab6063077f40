/** A change of the file in the running product, as its caller sees it. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Postern, startPostern } from "../../support/postern.ts";
import { call, post } from "../../support/rpc.ts";

const config = (port: number): string => `operations: null
operators: [나@example.com]
issuers: { local: { kind: embedded } }
clients:
  local:
    host: [127.0.0.1, localhost]
    issuer: local
    audience: http://127.0.0.1:${port}/mcp
    egress: [127.0.0.0/8]
`;

let postern: Postern;
let file: string;
let token: string;
beforeEach(async () => {
  postern = await startPostern({ config });
  file = join(postern.folder, "postern.yaml");
  token = await postern.token();
});
afterEach(() => postern.stop());

const status = async (): Promise<number> => (await post(postern.url, token, call(1, "ping"))).status;
const events = async (): Promise<readonly unknown[]> => (await postern.logs()).map(({ event }) => event);
const change = async (text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
  await postern.reload();
};

it("a cleared audience shuts its client out although the rest of the file is broken, until the file is whole again", async () => {
  const whole = config(postern.port);
  expect(await status()).toBe(200);
  await change(`${whole}nonsense: [\n`);
  expect(await status()).toBe(200);
  await change(`${whole.replace(/audience: .*/, "audience: ''")}nonsense: [\n`);
  expect(await status()).toBe(403);
  await change(`${whole}# mended\n`);
  expect(await status()).toBe(200);
});

it("a cleared audience in a whole file shuts its client out without being told", async () => {
  expect(await status()).toBe(200);
  await writeFile(file, config(postern.port).replace(/audience: .*/, "audience:"));
  await vi.waitFor(async () => expect(await status()).toBe(403), { timeout: 10_000, interval: 25 });
}, 20_000);

it("a file that is gone shuts everybody out", async () => {
  await rm(file);
  await postern.reload();
  expect(await status()).toBe(403);
});

it("a refused change is logged with its line and no value of it; one that changes nothing is not logged at all", async () => {
  await writeFile(file, config(postern.port));
  await postern.reload();
  expect(await events()).not.toContain("configuration_applied");
  await change(config(postern.port).replace("egress:", "egres:"));
  const lines = (await postern.logs()).filter(({ event }) => event === "configuration_refused");
  expect(lines).toContainEqual(expect.objectContaining({ line: 9, detail: expect.stringContaining('did you mean "egress"?') }));
  expect(JSON.stringify(lines)).not.toContain("127.0.0.0/8");
});
