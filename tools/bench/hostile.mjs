// `npm run bench:hostile`: measures how long hostile schemas and values take, case by case: reading the schema, and a
// check with the full budget, which servers run on a thread if it is more than a few milliseconds of work. On a busy
// machine the clock also counts the work of others, so the fastest of several checks counts. `--only TEXT` runs the
// cases whose names contain TEXT, `--formats` adds texts of 10 MB against each format. `--gateway` measures a gateway
// instead, with hostile servers and clients: the longest turn of its event loop in processor time, and its memory. That
// takes some minutes, and needs Linux.
import "../help.mjs";

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compileDeclared, renderForModel } from "@touchstone/core/advanced";
import { runnerImport } from "vite";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    formats: { type: "boolean", default: false },
    gateway: { type: "boolean", default: false },
  },
});
if (options.gateway) {
  const { measureGateway } = await import("./hostile/rows.mjs");
  process.exit((await measureGateway(options.only)) === 0 ? 0 : 1);
}
/** Milliseconds, on an otherwise idle machine. */
const BOUNDS = { compile: 200, check: 10_000, told: 50 };

const path = fileURLToPath(
  new URL("../../packages/core/src/document/testing/hostile.ts", import.meta.url),
);
const { module } = await runnerImport(path, { configFile: false });
const { HOSTILE_CASES, HOSTILE_FORMATS, HOSTILE_LIMITS } = module;

function timed(run) {
  const started = performance.now();
  const result = run();
  return [performance.now() - started, result];
}

function fastest(count, run) {
  const all = Array.from({ length: count }, () => timed(run));
  return [Math.min(...all.map(([time]) => time)), all.map(([, result]) => result)];
}

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row(["case", "schema", "compile", "check", "told", "outcome", ""]);
row(["-", "-:", "-:", "-:", "-:", "-", "-"]);
let failed = 0;
const cases = [...HOSTILE_CASES, ...(options.formats ? HOSTILE_FORMATS : [])];
for (const { name, schema, value, outcome } of cases) {
  if (!name.includes(options.only)) continue;
  const given = schema();
  const text = "text" in given ? given.text : JSON.stringify(given.value);
  const data = value();
  const [compile, [compiled]] = fastest(3, () => compileDeclared({ text }));
  const [check, checks] = fastest(3, () => compiled.validateText(data, HOSTILE_LIMITS));
  const [told] = fastest(2, () => renderForModel(checks[0]));
  const outcomes = [...new Set(checks.map((each) => each.outcome))];
  const over = compile > BOUNDS.compile || check > BOUNDS.check || told > BOUNDS.told;
  const wrong = outcomes.length > 1 || !outcome.test(outcomes[0]);
  if (over || wrong) failed += 1;
  row([
    name.replaceAll("|", "\\|"),
    `${Math.ceil(text.length / 1024)} KB`,
    compile.toFixed(1),
    check.toFixed(1),
    told.toFixed(1),
    outcomes.join(", "),
    [over ? "over" : "", wrong ? "wrong" : ""].join(" ").trim(),
  ]);
}
console.log(
  `\nMilliseconds, with reading the text. Bounds: ${BOUNDS.compile} to compile, ${BOUNDS.check} to check, ${BOUNDS.told} to tell a model. ${failed} cases over or wrong.`,
);
process.exitCode = failed === 0 ? 0 : 1;
