// `npm run bench:activity -- [records]`: measures the cost of recording, of queries over a million records, and of
// calls while such queries run. `--only appends|questions|calls` measures one of these; `--data-dir DIR` keeps the
// records there, for the next run as well; `--store URL` measures the queries in a PostgreSQL database instead;
// `--decisions N` (400) makes one record in N a decision; `--slices N` (10) sets how often calls are measured beside
// each reader.
import "../help.mjs";

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { measureAppends } from "./activity/appends.mjs";
import { measureCalls } from "./activity/calls.mjs";
import { fill } from "./activity/fill.mjs";
import { measureQuestions } from "./activity/questions.mjs";
import { temporary } from "./gateway/processes.mjs";

const PARTS = ["appends", "questions", "calls"];
const { values, positionals } = parseArgs({
  options: {
    only: { type: "string" },
    "data-dir": { type: "string" },
    store: { type: "string" },
    decisions: { type: "string", default: "400" },
    slices: { type: "string", default: "10" },
  },
  allowPositionals: true,
});
const given = [positionals[0] ?? 1_000_000, values.slices, values.decisions];
const [records, slices, decisions] = given.map(Number);
for (const number of [records, slices, decisions]) {
  if (Number.isInteger(number) && number > 0) continue;
  console.error("The numbers of records, of slices and of --decisions are positive whole ones.");
  process.exit(2);
}
if (values.only !== undefined && !PARTS.includes(values.only)) {
  console.error(`--only takes ${PARTS.join(", ")}, not ${JSON.stringify(values.only)}.`);
  process.exit(2);
}
// The other parts start separate gateways, with a data directory.
const only = values.store === undefined ? values.only : "questions";
const isWanted = (part) => only === undefined || only === part;
const dataDir = values["data-dir"] ?? temporary();

console.log(
  `Node ${process.version}, ${availableParallelism()} cores; client, gateway, server and readers share them.\n`,
);
// This must come first: the ids of a process never go back, and these records are in the past.
const place = values.store === undefined ? { dataDir } : { url: values.store };
if (only !== "appends") await fill(place, records, decisions);
if (isWanted("appends")) await measureAppends();
if (isWanted("questions")) await measureQuestions(place);
if (isWanted("calls")) await measureCalls(dataDir, { inFlights: [1, 8], slices });
console.log("Not measured: appends to PostgreSQL (npm run full:scale does), real disks' flushes.");
