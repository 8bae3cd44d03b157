// `npm run fuzz:inputs -- [runs] [seed] [target] [processes]`: tests the properties of everything that reads bytes or
// texts from outside, this many times each (1,000,000), with different cases for each seed. Processes (one per core)
// share the cases, each with its own seed. For a failing case, fast-check prints how to repeat it; add it as an example
// to the test beside the source. The scanner and the engine have scripts of their own, fuzz:scan and fuzz:schema.
import "../help.mjs";

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The input that is read, its test file, and the names of the properties in it. */
const TARGETS = [
  ["frames", "packages/protocol/src/read.property.test.ts", "readFrame"],
  [
    "ends of cut frames",
    "packages/protocol/src/trailing-id.test.ts",
    "cut off in front|behind whatever|never throws",
  ],
  ["event streams", "packages/gateway/src/transport/http/sse.test.ts", "however|eventsource"],
  ["lines", "packages/gateway/src/transport/stdio/lines.test.ts", ""],
  ["configuration", "packages/gateway/src/config/hostile.test.ts", "throws nothing but"],
  ["activity filters", "packages/records/src/filter.test.ts", ""],
  ["times", "packages/records/src/time.test.ts", ""],
  ["repairs of arguments", "packages/core/src/repair/repair-text.test.ts", "is valid, is what"],
  ["activity queries", "packages/records/src/store.test.ts", "SQLite filters as"],
];

const [runsText = "1000000", seedText = String(Date.now() % 1_000_000), only = ""] =
  process.argv.slice(2);
const [runs, seed] = [Number(runsText), Number(seedText)];
const processes = Math.min(Number(process.argv[5] ?? availableParallelism()), runs);
const exact = TARGETS.filter(([name]) => name === only);
const chosen = exact.length > 0 ? exact : TARGETS.filter(([name]) => name.includes(only));
if (![runs, processes].every((n) => Number.isSafeInteger(n) && n > 0) || !isSeed(seed)) {
  fail("usage: npm run fuzz:inputs -- [runs] [seed, an integer of 32 bits] [target] [processes]");
}
if (chosen.length === 0) {
  fail(`no target has "${only}" in its name: ${TARGETS.map(([name]) => name).join(", ")}`);
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "touchstone-fuzz-"));
try {
  console.log(`seed ${seed}, processes ${processes}\n`);
  console.log("| target | tests | cases of each property | seconds | |\n| - | -: | -: | -: | - |");
  for (const target of chosen) await fuzz(target);
} finally {
  rmSync(folder, { recursive: true });
}

async function fuzz([name, file, pattern]) {
  const started = performance.now();
  const parts = await Promise.all(
    Array.from({ length: processes }, (_, at) => {
      const share = Math.floor(runs / processes) + (at < runs % processes ? 1 : 0);
      // Seeds are far apart, so that runs with the next seed have different cases.
      return run(file, pattern, share, (seed + at * 0x1000_0000) | 0);
    }),
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  const failed = parts.filter(({ held }) => !held);
  const result = failed.length === 0 ? "held" : "FAILED";
  console.log(`| ${name} | ${parts[0].passed} | ${runs} | ${seconds} | ${result} |`);
  for (const { output } of failed) console.error(output);
  if (failed.length > 0) process.exitCode = 1;
}

async function run(file, pattern, share, own) {
  const report = join(folder, `${own}.json`);
  const args = [
    ...[vitest, "run", file, "--testTimeout=0", "--reporter=default", "--reporter=json"],
    ...[`--outputFile.json=${report}`, ...(pattern === "" ? [] : ["-t", pattern])],
  ];
  const env = {
    ...process.env,
    TOUCHSTONE_FUZZ_RUNS: String(share),
    TOUCHSTONE_FUZZ_SEED: String(own),
  };
  const child = spawn(process.execPath, args, { cwd: root, env });
  const closed = new Promise((resolve) => child.on("close", resolve));
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  // Vitest also succeeds if a pattern matches no test.
  const passed = status === 0 ? JSON.parse(readFileSync(report, "utf8")).numPassedTests : 0;
  return { held: passed > 0, passed, output: `${output}${errors}` };
}

/** Returns whether fast-check accepts a value as a seed without changing it. */
function isSeed(value) {
  return Number.isInteger(value) && value === (value | 0);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
