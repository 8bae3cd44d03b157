// `npm run conformance:messages`: compares our message schemas with MCP's own, revision by revision.
import "../help.mjs";

import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const load = async (path) => {
  const file = fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));
  const { module } = await runnerImport(file, {
    configFile: false,
    environments: {
      inline: { resolve: { conditions: ["@touchstone/source"], noExternal: [/^@touchstone\//] } },
    },
  });
  return module;
};
const { compareMessages } = await load("protocol/src/testing/message-conformance.ts");
const { OFFICIAL } = await load("protocol/src/testing/official.ts");
const { ERRATA } = await load("protocol/src/messages/errata.ts");

if (OFFICIAL === undefined) {
  console.error(
    "MCP's schemas are absent; set TOUCHSTONE_SHARED to the folder that holds corpus/.",
  );
  process.exit(3);
}
const { MESSAGE_TABLES } = await load("protocol/src/messages/tables.ts");
const versions = MESSAGE_TABLES.map(({ version }) => version);
const { tallies, differences } = compareMessages(OFFICIAL, versions, () => true);

const share = (part, whole) => (whole === 0 ? "-" : `${((part / whole) * 100).toFixed(3)} %`);
console.log(
  "revision     good  refused | mutations refused by the official schema: caught | accepted: passed",
);
for (const {
  version,
  good,
  refusedGood,
  notMutated,
  refused,
  caught,
  accepted,
  passed,
} of tallies) {
  console.log(
    `${version}  ${String(good).padStart(5)}  ${String(refusedGood.length).padStart(7)} | ` +
      `${refused}: ${caught} (${share(caught, refused)}) | ${accepted}: ${passed} (${share(passed, accepted)})`,
  );
  for (const name of refusedGood) console.log(`  refused: ${name}`);
  for (const name of notMutated) console.log(`  not mutated: ${name}`);
}

const open = differences.filter(({ erratum }) => erratum === undefined);
console.log(`\n${differences.length} differences, ${open.length} without a reason`);
for (const { id, effect, reason } of ERRATA) {
  const { length } = differences.filter(({ erratum }) => erratum === id);
  console.log(`  ${id}: ${length} of the mutations ${effect}\n    ${reason}`);
}
for (const { version, kind, fixture, path, change } of open.slice(0, 200)) {
  console.log(`  ${version} ${kind}: ${fixture} ${path || "(root)"}: ${change}`);
}
const sound = tallies.every(
  ({ refusedGood, refused, caught }) => refusedGood.length === 0 && caught >= refused * 0.995,
);
process.exitCode = sound && open.length === 0 ? 0 : 1;
