import fc from "fast-check";

// `npm run full:fuzz-inputs` runs the same properties as the tests, a million times.
const runs = process.env["TOUCHSTONE_FUZZ_RUNS"];
const seed = process.env["TOUCHSTONE_FUZZ_SEED"];
if (runs !== undefined) {
  fc.configureGlobal({
    numRuns: Number(runs),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
}
