import fc from "fast-check";
import { sample } from "../packages/core/src/testing/sample.ts";

// A property that names no number of runs has 100, fewer in `npm test`.
// `npm run fuzz:inputs` runs the same properties as the tests, a million times. With a seed every
// run has the same cases, as a check that others wait for should; without one each run has its own.
const runs = process.env["TOUCHSTONE_FUZZ_RUNS"];
const seed = process.env["TOUCHSTONE_FUZZ_SEED"];
fc.configureGlobal({
  numRuns: runs === undefined ? sample(30, 100) : Number(runs),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
