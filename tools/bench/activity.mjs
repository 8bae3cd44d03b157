// `npm run bench:activity -- [records]`: measures the cost of recording, of queries over a million records, and of
// calls while such queries run. `--only appends|questions|calls` measures one of these; `--data-dir DIR` keeps the
// records there, for the next run as well; `--slices N` (10) sets how often calls are measured beside each reader.
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
    slices: { type: "string", default: "10" },
  },
  allowPositionals: true,
});
const [records, slices] = [positionals[0] ?? 1_000_000, values.slices].map(Number);
for (const number of [records, slices]) {
  if (Number.isInteger(number) && number > 0) continue;
  console.error("The number of records, and that of slices, is a positive whole one.");
  process.exit(2);
}
if (values.only !== undefined && !PARTS.includes(values.only)) {
  console.error(`--only takes ${PARTS.join(", ")}, not ${JSON.stringify(values.only)}.`);
  process.exit(2);
}
const isWanted = (part) => values.only === undefined || values.only === part;
const dataDir = values["data-dir"] ?? temporary();

console.log(
  `Node ${process.version}, ${availableParallelism()} cores; client, gateway, server and readers share them.\n`,
);
// This must come first: the ids of a process never go back, and these records are in the past.
if (values.only !== "appends") await fill(dataDir, records);
if (isWanted("appends")) await measureAppends();
if (isWanted("questions")) await measureQuestions(dataDir);
if (isWanted("calls")) await measureCalls(dataDir, { inFlights: [1, 8], slices });
console.log("Not measured: PostgreSQL (npm run full:scale does), real disks' flushes.");
