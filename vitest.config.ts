import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./test/summary-reporter.ts";

const conditions = ["@touchstone/source", ...defaultServerConditions];
const project = (name: string, root: string, options: { isolate: boolean }) => ({
  ssr: { resolve: { conditions } },
  test: {
    name,
    root,
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    isolate: options.isolate,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default defineConfig({
  test: {
    reporters: ["default", new SummaryReporter()],
    projects: [
      project("core", "packages/core", { isolate: false }),
      project("protocol", "packages/protocol", { isolate: false }),
      project("gateway", "packages/gateway", { isolate: true }),
      project("cli", "packages/cli", { isolate: true }),
      project("examples", "examples", { isolate: true }),
      project("house", "test", { isolate: true }),
    ],
  },
});
