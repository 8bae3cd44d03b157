import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./test/summary-reporter.ts";

// Node gets them too, and what packages give to bundlers as "module" is not always for it to run.
const forNode = defaultServerConditions.filter((condition) => condition !== "module");
/** Where packages import each other by name: their sources, or by TOUCHSTONE_TEST_DIST what was built. */
const own = process.env["TOUCHSTONE_TEST_DIST"] === "1" ? [] : ["@touchstone/source"];
const conditions = [...own, ...forNode];
/** It replaces a module, which files that share a process would keep. */
const REPLACES_MODULES = "new-field.test.ts";
interface Files {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly isolate: boolean;
}
const project = (name: string, root: string, { include, exclude = [], isolate }: Files) => ({
  ssr: { resolve: { conditions } },
  test: {
    name,
    root,
    include: [...(include ?? ["**/*.test.ts"])],
    exclude: ["**/node_modules/**", "**/dist/**", ...exclude],
    isolate,
    setupFiles: [fileURLToPath(new URL("test/fuzz-setup.ts", import.meta.url))],
    // A busy machine takes its time: several processes start in some tests.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What never happens fails within the time of its test.
    expect: { poll: { timeout: 20_000 } },
  },
});

export default defineConfig({
  test: {
    // Most tests wait for processes of their own; by default one core is left out.
    maxWorkers: "100%",
    reporters: ["default", new SummaryReporter()],
    globalSetup: [fileURLToPath(new URL("test/postgres-setup.ts", import.meta.url))],
    projects: [
      project("core", "packages/core", { isolate: false }),
      project("protocol", "packages/protocol", { isolate: false }),
      project("capability", "packages/capability", { isolate: false }),
      project("runner", "packages/runner", { isolate: false }),
      // Each file would build the page again, and start a browser.
      project("console", "packages/console", { isolate: false }),
      project("http", "packages/http", { isolate: false }),
      project("util", "packages/util", { isolate: false }),
      project("records", "packages/records", { isolate: false }),
      project("gateway", "packages/gateway", { isolate: false }),
      project("cli", "packages/cli", { isolate: false }),
      project("examples", "examples", { isolate: false }),
      project("house", "test", { isolate: false, exclude: [REPLACES_MODULES] }),
      project("house, apart", "test", { isolate: true, include: [REPLACES_MODULES] }),
    ],
  },
});
