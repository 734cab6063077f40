/** How the unit and service suites run. Suites of their own kind (conformance) are listed in `tests/run.ts`. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/workers/**", "**/node_modules/**"],
    // Node processes rather than threads: suites start servers, change the environment and spawn git.
    pool: "forks",
    // Real services are slow on a loaded two-core machine; a hanging test still ends.
    testTimeout: 30_000,
    hookTimeout: 180_000,
    // A suite that finds no test, and a test marked skip or only, is a mistake.
    passWithNoTests: false,
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
