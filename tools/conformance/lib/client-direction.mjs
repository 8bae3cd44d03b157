import { fileURLToPath } from "node:url";
import { losses, score } from "./compare.mjs";
import { eachAtOnce } from "./pool.mjs";
import { clientScenario } from "./suite.mjs";

const CLIENT = fileURLToPath(new URL("../client/main.mjs", import.meta.url));

/**
 * The client scenarios that work with any client. Those of `auth/` are left out: they bind a client to the URL of the
 * very server that asks for the token (RFC 9728, section 3.3), and a gateway has its own URL.
 */
const SCENARIOS = {
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};

/**
 * A loss that is correct in strict mode: the scenario calls a tool with `"verbose": null`, although its schema
 * requires a boolean, so the call is stopped before it reaches the suite.
 */
const BLOCKED_IN_STRICT = { scenario: "http-custom-headers", check: /^sep-2243-client-omit-null / };

function owed(lost, scenario, mode) {
  if (mode !== "strict" || scenario !== BLOCKED_IN_STRICT.scenario) return lost;
  return lost.filter((text) => !BLOCKED_IN_STRICT.check.test(text));
}

/** Through `serve` the client speaks HTTP itself; through `wrap` the gateway speaks it for the client. */
const WAYS = [
  { via: "serve", way: "serve, suite upstream", lenient: false },
  { via: "wrap", way: "wrap --url, suite upstream", lenient: true },
];

const command = (...args) => ["node", CLIENT, ...args].join(" ");

const runOne = async (revision, args, scenario) =>
  (await clientScenario(command(...args), revision, scenario)).get(scenario);

const runAll = (revision, args) =>
  eachAtOnce(SCENARIOS[revision], (scenario) => runOne(revision, args, scenario));

/** Runs the suite as a server: for a client directly, and for the same client through the gateway. */
export async function clientDirection(report, { revisions, modes }) {
  for (const revision of revisions) {
    const direct = await runAll(revision, []);
    for (const mode of modes) {
      for (const { via, way, lenient } of WAYS) {
        const args = ["--via", via, "--mode", mode];
        const through = await runAll(revision, args);
        const differing = [];
        for (const [scenario, checks] of direct) {
          const first = losses(checks, through.get(scenario), { lenient });
          if (owed(first, scenario, mode).length === 0) continue;
          const again = await runOne(revision, args, scenario);
          const lost = owed(losses(checks, again, { lenient }), scenario, mode);
          if (lost.length === 0) through.set(scenario, again);
          else differing.push({ scenario, lost });
        }
        const scores = { direct: score(direct), through: score(through) };
        report.row({ direction: "client", revision, way, mode, ...scores, differing });
      }
    }
  }
}
