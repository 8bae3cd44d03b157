// `npm run conformance:mcp`: runs the official MCP conformance suite, directly and through the gateway, and with
// `touchstone mcp` as a server. `--quick` runs one mode, warn; `--direction server|client|mcp` one of these. Exit status: 0
// if nothing is worse through the gateway than directly, and the suite finds nothing in `touchstone mcp`, else 1.
import "../help.mjs";

import { parseArgs } from "node:util";
import { clientDirection } from "./lib/client-direction.mjs";
import { ownServer } from "./lib/own-server.mjs";
import { Report } from "./lib/report.mjs";
import { serverDirection } from "./lib/server-direction.mjs";

const REVISIONS = ["2025-11-25", "2026-07-28"];
const MODES = ["off", "warn", "strict"];

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, direction: { type: "string" } },
});
const plan = { revisions: REVISIONS, modes: values.quick ? ["warn"] : MODES };
const report = new Report((text) => console.log(text));
const isWanted = (direction) => values.direction === undefined || values.direction === direction;
if (isWanted("server")) await serverDirection(report, plan);
if (isWanted("client")) await clientDirection(report, plan);
if (isWanted("mcp")) await ownServer(report);
console.log(
  report.worse === 0
    ? "\nNothing is worse through the gateway than directly, and nothing was found in touchstone mcp."
    : `\n${report.worse} scenarios are worse through the gateway than directly, or fail with touchstone mcp.`,
);
process.exitCode = report.worse === 0 ? 0 : 1;
