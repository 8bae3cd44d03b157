// `npm run fuzz:schema -- [pairs] [seed]`: checks random schemas and values with our engine and two others.
import "../help.mjs";

import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { countArgument, seedArgument } from "../count-argument.mjs";

const path = fileURLToPath(new URL("../../packages/core/src/testing/fuzz.ts", import.meta.url));
const { module } = await runnerImport(path, { configFile: false });

const usage = "npm run fuzz:schema -- [pairs] [seed]";
const pairs = countArgument(process.argv[2], 1_000_000, usage);
const seed = seedArgument(process.argv[3], usage);
const progress = (done) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${pairs} pairs`);
};
const result = await module.fuzz(pairs, seed, progress);
const { undecided, inconsistent, against, split } = result;
console.log(`\n${result.pairs} pairs, seed ${seed}
undecided (budget, or no oracle): ${undecided}
engine and scanner differ: ${inconsistent.length}
both oracles against us: ${against.length}
hyperjump against us, cfworker with us: ${split.length}`);
for (const pair of [...inconsistent, ...against, ...split].slice(0, 20)) {
  console.log(JSON.stringify(pair));
}
process.exitCode = inconsistent.length + against.length === 0 ? 0 : 1;
