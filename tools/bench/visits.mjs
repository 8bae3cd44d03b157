// `npm run bench:visits`: counts what a valid call over stdio runs on the main thread (strict, recorded): files,
// functions, and how often facts about its two messages are looked up. `--tools-api` counts a call of the tools API of
// `touchstone serve` instead. `--files` lists the files, `--functions` also their functions, with how often each runs.
import "../help.mjs";

import { parseArgs } from "node:util";
import { table } from "./timing.mjs";
import { countToolsApiVisits, countVisits } from "./visits/count.mjs";

const { values } = parseArgs({
  options: {
    files: { type: "boolean", default: false },
    functions: { type: "boolean", default: false },
    "tools-api": { type: "boolean", default: false },
  },
});

const isToolsApi = values["tools-api"];
const { files, lookUps } = await (isToolsApi ? countToolsApiVisits() : countVisits());
const functions = files.flatMap((file) => file.functions);
const calls = functions.reduce((sum, one) => sum + one.calls, 0);
table(
  [isToolsApi ? "a valid call of the tools API" : "a valid call over stdio", "count"],
  [
    ["files", files.length],
    ["functions", functions.length],
    ["function calls", calls.toFixed(0)],
    ...Object.entries(lookUps).map(([fact, count]) => [`look-ups: ${fact}`, count]),
  ],
);
if (values.files || values.functions) {
  for (const { file, functions } of files) {
    console.log(file);
    if (!values.functions) continue;
    for (const { name, calls } of functions) console.log(`  ${calls.toFixed(1)} ${name}`);
  }
}
process.exit(0);
