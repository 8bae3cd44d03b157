// `npm run full:fuzz-inputs -- [runs] [seed] [target]`: the properties of whatever reads bytes or texts from
// outside, so many times each (1,000,000), with other cases for each seed. A case that fails is printed by
// fast-check with what repeats it, and becomes an example in the test beside the source. The scanner and the
// engine have scripts of their own, full:scan and full:fuzz.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [runsText = "1000000", seedText = String(Date.now() % 1_000_000), only = ""] =
  process.argv.slice(2);
const [runs, seed] = [Number(runsText), Number(seedText)];
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run full:fuzz-inputs -- [runs, 1 or more] [seed, an integer] [target]");
  process.exit(2);
}

/** What is read, the file of its tests, and the names of the properties in it. */
const TARGETS = [
  ["frames", "packages/protocol/src/read.property.test.ts", "readFrame"],
  ["ends of cut frames", "packages/protocol/src/ending.test.ts", ""],
  ["event streams", "packages/gateway/src/relay/sse.test.ts", "however|eventsource"],
  ["lines", "packages/gateway/src/relay/lines.test.ts", ""],
  ["configuration", "packages/gateway/src/config/hostile.test.ts", ""],
  ["activity filters", "packages/gateway/src/activity/filter.test.ts", ""],
  ["times", "packages/gateway/src/activity/time.test.ts", ""],
  ["activity queries", "packages/gateway/src/activity/store.test.ts", "SQLite filters as"],
];

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
console.log(`seed ${seed}\n\n| target | cases of each property | seconds | |\n| - | -: | -: | - |`);
let failed = 0;
for (const [name, file, pattern] of TARGETS.filter(([name]) => name.includes(only))) {
  const args = [vitest, "run", file, "--testTimeout=0", ...(pattern ? ["-t", pattern] : [])];
  const env = {
    ...process.env,
    TOUCHSTONE_FUZZ_RUNS: String(runs),
    TOUCHSTONE_FUZZ_SEED: String(seed),
  };
  const started = performance.now();
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    env,
    encoding: "utf8",
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`| ${name} | ${runs} | ${seconds} | ${status === 0 ? "held" : "FAILED"} |`);
  if (status === 0) continue;
  failed += 1;
  console.error(stdout);
}
process.exitCode = failed === 0 ? 0 : 1;
