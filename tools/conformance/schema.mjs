// `npm run conformance:schema`: runs the official JSON-Schema-Test-Suite against the engine and the scanner.
import "../help.mjs";

import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const load = async (name) => {
  const path = fileURLToPath(new URL(`../../packages/core/src/testing/${name}`, import.meta.url));
  const { module } = await runnerImport(path, { configFile: false });
  return module;
};
const { sharedPath } = await load("shared.ts");
const { readRemotes, readSuite } = await load("suite.ts");
const { lineOf, rowOf, runSuite, TABLE_HEAD, totalOf } = await load("conformance.ts");
const judges = await load("judges.ts");

const folder = sharedPath("suites", "json-schema-test-suite");
if (folder === undefined) {
  console.error("The suite is absent; set TOUCHSTONE_SHARED to the folder that holds suites/.");
  process.exit(1);
}
const groups = readSuite(folder);
const documents = readRemotes(folder);
const engines = [
  ["engine", judges.engineJudge],
  ["scanner, on bytes", judges.imageJudge],
  ["compile", judges.productJudge],
];
const results = engines.map(([name, judge]) => [name, runSuite(groups, documents, judge)]);
console.log(TABLE_HEAD);
for (const [name, result] of results) console.log(rowOf(name, result));
for (const [name, { failures }] of results) {
  console.log(`\n${name}: ${failures.length} failures`);
  for (const failure of failures) console.log(`  ${lineOf(failure)}`);
}
const whole = results.at(-1)?.[1];
process.exitCode = whole !== undefined && totalOf(whole, "required").failed === 0 ? 0 : 1;
