// A program for a runtime that forbids code generation from strings: checks every nth group of the suite's required
// tests, and prints the results as JSON. Arguments: the suite's folder, n, the number of the first group.

import { lineOf, runSuite, totalOf } from "./conformance.ts";
import { productJudge } from "./judges.ts";
import { readRemotes, readSuite } from "./suite.ts";

function isForbidden(): boolean {
  try {
    new Function("return 1")();
    return false;
  } catch (thrown) {
    return thrown instanceof EvalError;
  }
}

const [folder = "", every = "1", first = "0"] = process.argv.slice(2);
const groups = readSuite(folder)
  .filter(({ part }) => part === "required")
  .filter((_group, i) => i % Number(every) === Number(first));
const result = runSuite(groups, readRemotes(folder), productJudge);
const report = {
  isForbidden: isForbidden(),
  failures: result.failures.map(lineOf),
  ...totalOf(result, "required"),
};
process.stdout.write(JSON.stringify(report));
