import fc from "fast-check";
import { sample } from "../packages/core/src/testing/sample.ts";

// A property without a number of runs has 100, fewer in `npm test`. `npm run fuzz:inputs` runs the same properties as
// the tests, a million times. Every run has the same cases, so that only a change can make one fail, unless
// TOUCHSTONE_FUZZ_SEED is another number, or `random` as in `npm run full:tests`.
const SEED = 20261122;
const runs = process.env["TOUCHSTONE_FUZZ_RUNS"];
const seed = process.env["TOUCHSTONE_FUZZ_SEED"] ?? String(SEED);
if (seed !== "random" && !/^-?\d+$/.test(seed)) {
  throw new Error(
    `TOUCHSTONE_FUZZ_SEED must be an integer or "random" (got ${JSON.stringify(seed)})`,
  );
}
fc.configureGlobal({
  numRuns: runs === undefined ? sample(30, 100) : Number(runs),
  ...(seed === "random" ? {} : { seed: Number(seed) }),
});
