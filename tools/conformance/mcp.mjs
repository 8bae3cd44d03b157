// `npm run conformance:mcp`: runs the official MCP conformance suite, directly and through the gateway. `--quick` runs
// one mode, warn; `--direction server|client` one of the two. Exit status: 0 if nothing is worse through the gateway
// than directly, else 1.
import "../help.mjs";

import { parseArgs } from "node:util";
import { clientDirection } from "./lib/client-direction.mjs";
import { Report } from "./lib/report.mjs";
import { serverDirection } from "./lib/server-direction.mjs";

const REVISIONS = ["2025-11-25", "2026-07-28"];
const MODES = ["off", "warn", "strict"];

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, direction: { type: "string" } },
});
const plan = { revisions: REVISIONS, modes: values.quick ? ["warn"] : MODES };
const report = new Report((text) => console.log(text));
if (values.direction !== "client") await serverDirection(report, plan);
if (values.direction !== "server") await clientDirection(report, plan);
console.log(
  report.worse === 0
    ? "\nNothing is worse through the gateway than directly."
    : `\n${report.worse} scenarios are worse through the gateway than directly.`,
);
process.exitCode = report.worse === 0 ? 0 : 1;
