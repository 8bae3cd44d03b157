import { fileURLToPath } from "node:url";
import { startGateway } from "./gateway.mjs";
import { serverScenario } from "./suite.mjs";

const TOUCHSTONE = fileURLToPath(
  new URL("../../../packages/cli/bin/touchstone.js", import.meta.url),
);

/** The scenarios that need no tools, prompts or resources of the suite's own server. */
const SCENARIOS = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "prompts-list"],
  "2026-07-28": ["tools-list", "prompts-list", "http-header-validation"],
};

/** Runs the suite against `touchstone mcp`, which the gateway makes reachable over HTTP. */
export async function ownServer(report) {
  const own = { command: process.execPath, args: [TOUCHSTONE, "mcp"] };
  const gateway = await startGateway({ own }, "warn");
  try {
    for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
      for (const scenario of scenarios) {
        const results = await serverScenario(gateway.urls.own, revision, scenario);
        report.own(revision, scenario, [...results.values()].flat());
      }
    }
  } finally {
    await gateway.stop();
  }
}
