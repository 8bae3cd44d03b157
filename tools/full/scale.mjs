// `npm run full:scale -- [seconds] [kills]`: runs gateways on one PostgreSQL, all on this machine. Kills one of three
// under load, again and again, and then measures what calls cost (docs/explanation/many-gateways.md).
import "../help.mjs";

import { cpus, totalmem } from "node:os";
import { appendFigures } from "../bench/scale/append.mjs";
import { figures } from "../bench/scale/figures.mjs";
import { countArgument } from "../count-argument.mjs";
import { startLoader } from "../source-modules.mjs";

const usage = "npm run full:scale -- [seconds] [kills]";
const seconds = countArgument(process.argv[2], 20, usage);
const kills = countArgument(process.argv[3], 10, usage);
const print = (text) => console.log(text);
const sources = await startLoader();
const { startPostgres } = await sources.load("records/src/testing/postgres.ts");
const { killGatewayUnderLoad, SAFE_TOOLS } = await sources.load(
  "cli/src/testing/fleet/kill-round.ts",
);
const { fleetFiles, startServe, startUpstream } = await sources.load(
  "cli/src/testing/fleet/processes.ts",
);

const postgres = await startPostgres();
if (typeof postgres === "string") throw new Error(`PostgreSQL does not start: ${postgres}`);

/** Returns what went wrong in a round, as texts. */
function faultsOf({ calls, report }) {
  const answered = calls.filter(({ failure }) => failure === undefined);
  const count = (what, found) => (found.length === 0 ? [] : [`${found.length} ${what}`]);
  return [
    ...count(
      "calls failed that may run twice",
      calls.filter(({ tool, failure }) => failure !== undefined && SAFE_TOOLS.has(tool)),
    ),
    ...count(
      "calls ran twice that must not",
      calls.filter(({ tool, ran }) => !SAFE_TOOLS.has(tool) && ran > 1),
    ),
    ...count(
      "answers without their record, or with one too many",
      answered.filter(({ records, attempts }) => records < 1 || records > attempts),
    ),
    ...count("faults in the chains", report.faults),
  ];
}

async function killRounds() {
  const sums = { calls: 0, failed: 0, retried: 0, faults: 0 };
  for (let round = 0; round < kills; round += 1) {
    const load = { gateways: 3, clients: 8, before: 300 + 50 * round, after: 600 };
    const outcome = await killGatewayUnderLoad(await postgres.database(), load);
    const faults = faultsOf(outcome);
    for (const fault of faults) print(`round ${round}: ${fault}`);
    sums.calls += outcome.calls.length;
    sums.failed += outcome.calls.filter(({ failure }) => failure !== undefined).length;
    sums.retried += outcome.retried;
    sums.faults += faults.length;
  }
  print(
    `${kills} kills, ${sums.calls} calls: ${sums.retried} sent again, ${sums.failed} that must not ` +
      `run twice ended with an error, ${sums.faults} faults`,
  );
  if (sums.faults > 0) process.exitCode = 1;
}

try {
  const [{ model }] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  print(`${cpus().length} cores ${model}, ${gigabytes} GiB, Node ${process.version}`);
  await killRounds();
  const upstream = await startUpstream(0);
  const store = await postgres.database();
  const files = fleetFiles(store, upstream.url);
  const start = () => startServe(files, "warn");
  await figures({ store, start, upstream, ms: seconds * 1000, print });
  await upstream.end("SIGKILL");
  files.remove();
  await appendFigures({ store: await postgres.database(), ms: seconds * 1000, print });
} finally {
  await postgres.stop();
  await sources.close();
}
