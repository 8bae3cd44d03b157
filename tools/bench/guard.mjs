// `npm run bench:guard`: fails if a check or a call got much slower. Each figure is a ratio to a fixed partner that runs
// in turns with it: Ajv, `JSON.parse`, the bare relay. It compares processor time, the best of 5 rounds, so load on the
// machine changes little. The limit is 1.5 times the budget (`tools/bench/guard/budgets.mjs`). It takes about a minute.
// At the end it slows the engine down on purpose, and fails if it does not notice. `--only engine|gateway` measures
// one; `--slow` measures only the slow engine, and fails. `TOUCHSTONE_SHARED` names the folder with the corpus. Calls
// through the gateway are measured on Linux only.
import "../help.mjs";

import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { largeCases, toolCases } from "./corpus.mjs";
import { BUDGETS, compareFigures, TOLERANCE } from "./guard/budgets.mjs";
import { checkFigures, compileFigures } from "./guard/engine.mjs";
import { hopFigures } from "./guard/hops.mjs";
import { slowCompile } from "./guard/slow.mjs";
import { table } from "./timing.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "all" },
    slow: { type: "boolean", default: false },
  },
});
if (!["all", "engine", "gateway"].includes(values.only)) {
  console.error(`--only takes engine or gateway, not ${JSON.stringify(values.only)}.`);
  process.exit(2);
}
// Ajv reports each format that it does not know.
console.warn = () => {};

/** How many schemas show that the guard notices a slow engine. */
const SLOW_CASES = 24;
const SLOW_FIGURE = "validate ÷ Ajv, tools";

const wants = (part) => [part, "all"].includes(values.only);
const tools = wants("engine") ? toolCases() : [];
const hasTools = tools.length > 0;
if (wants("engine") && !hasTools) {
  console.error("No tools to measure: the corpus is absent; set TOUCHSTONE_SHARED to its folder.");
  if (process.env.REQUIRE_ALL === "1" || values.only === "engine") process.exit(3);
}

/** Prints figures next to their budgets. @returns the names of those over the limit */
function show(figures) {
  const rows = compareFigures(figures, BUDGETS);
  table(
    ["ratio", "measured", "budget", `limit (${TOLERANCE} ×)`, ""],
    rows.map(({ name, value, budget, limit, isMet, isOver }) => [
      name,
      ...[value, budget, limit].map((number) => number.toFixed(3)),
      isOver ? "OVER THE LIMIT" : isMet ? "" : "over the budget",
    ]),
  );
  return rows.filter(({ isOver }) => isOver).map(({ name }) => name);
}

/** Returns the figures of an engine that is slow on purpose. */
const slowFigures = async () => {
  const cases = tools.filter((_, i) => i % Math.ceil(tools.length / SLOW_CASES) === 0);
  return checkFigures("tools", cases, await slowCompile());
};

const before = loadavg()[0].toFixed(1);
const figures = new Map();
const failures = [];
if (values.slow) {
  for (const [name, value] of await slowFigures()) figures.set(name, value);
} else {
  if (hasTools) {
    const all = [checkFigures("tools", tools), checkFigures("large", largeCases().cases)];
    for (const part of [...all, compileFigures(tools)]) {
      for (const [name, value] of part) figures.set(name, value);
    }
  }
  if (wants("gateway") && existsSync("/proc/self/schedstat")) {
    for (const [name, value] of await hopFigures()) figures.set(name, value);
  }
}
failures.push(...show(figures));

if (hasTools && !values.slow) {
  const value = (await slowFigures()).get(SLOW_FIGURE);
  const limit = BUDGETS[SLOW_FIGURE] * TOLERANCE;
  const isNoticed = value > limit;
  console.log(
    `Slowed down on purpose (limits copied for each check), ${SLOW_FIGURE} is ${value.toFixed(1)}: ` +
      `${isNoticed ? "the guard notices" : "NOT NOTICED"}.`,
  );
  if (!isNoticed) failures.push("the guard itself");
}
const notMeasured = Object.keys(BUDGETS).filter((name) => !figures.has(name));
if (notMeasured.length > 0) console.log(`Not measured: ${notMeasured.join("; ")}.`);
console.log(`Load of the machine: ${before} before, ${loadavg()[0].toFixed(1)} after.`);
if (failures.length > 0) console.error(`Over the limit: ${failures.join("; ")}.`);
process.exit(failures.length > 0 ? 1 : 0);
