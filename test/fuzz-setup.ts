import fc from "fast-check";

// `npm run fuzz:inputs` runs the same properties as the tests, a million times. With a seed every
// run has the same cases, as a check that others wait for should; without one each run has its own.
const runs = process.env["TOUCHSTONE_FUZZ_RUNS"];
const seed = process.env["TOUCHSTONE_FUZZ_SEED"];
fc.configureGlobal({
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
