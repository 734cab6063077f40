/** `npm run bench -- NAME [--json]`: runs one bench; exit code 1 when a bar does not hold, 64 for wrong words. */
import { gateway } from "./gateway.ts";
import { type Bench, table } from "./row.ts";

const benches: Readonly<Record<string, Bench>> = { gateway };

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const [name, ...more] = args.filter((word) => word !== "--json");
  const bench = name !== undefined && more.length === 0 && Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (name === undefined || bench === undefined) {
    const list = Object.entries(benches).map(([known, { about }]) => `  ${known.padEnd(10)}${about}`);
    console.error(["usage: npm run bench -- NAME [--json]", "", ...list].join("\n"));
    return 64;
  }
  const rows = await bench.run((line) => console.error(line));
  if (json) console.log(JSON.stringify({ bench: name, rows }));
  else for (const line of table(rows)) console.log(line);
  return rows.every((row) => row.holds) ? 0 : 1;
}
