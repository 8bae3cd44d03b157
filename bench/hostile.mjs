// `npm run bench:hostile`: how long hostile schemas and values block the event loop, case by case.
// On a busy machine the clock runs on while others work: "cpu" is the processor time of the slowest
// check, of this whole process with its compiler and collector threads. A case is over its bound by
// the smaller of the two; "too_slow" is the deadline of a compilation, which goes by the clock.
// `--only TEXT` takes the cases with that in their names, `--no-deadline` runs without a deadline,
// as on runtimes that have none, `--formats` adds texts of 10 MB against each format.
import "../scripts/help.mjs";

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compileSchema, engineReady, renderForModel } from "@touchstone/core";
import { nodeDeadline } from "@touchstone/core/node";
import { runnerImport } from "vite";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    "no-deadline": { type: "boolean", default: false },
    formats: { type: "boolean", default: false },
  },
});
/** Milliseconds. A check has to read its text as well, which is measured beside it. */
const BOUNDS = { compile: 200, check: 50, patient: 200 };
/** Checks that are given more time than their first deadline. */
const PATIENT = 2;
/** A value has a millisecond more for so many bytes. */
const BYTES_PER_MS = 131_072;
/** The check in which the schema is compiled once more, for speed. */
const COMPILING = 3;

const path = fileURLToPath(
  new URL("../packages/core/src/schema/testing/hostile.ts", import.meta.url),
);
const { module } = await runnerImport(path, { configFile: false });
const { HOSTILE_CASES, HOSTILE_FORMATS, HOSTILE_LIMITS } = module;

const settings = options["no-deadline"] ? {} : { deadline: nodeDeadline };
const anything = compileSchema({ text: "true" });
await engineReady();

function timed(run) {
  const before = process.cpuUsage();
  const started = performance.now();
  const result = run();
  const time = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return [time, result, (user + system) / 1000];
}

function measure({ schema, value, outcome }) {
  const given = schema();
  const text = "text" in given ? given.text : JSON.stringify(given.value);
  const data = value();
  const read = Math.min(...[1, 2].map(() => timed(() => anything.check(data, HOSTILE_LIMITS))[0]));
  const [compile, compiled, compileCpu] = timed(() => compileSchema({ text }, settings));
  const checks = Array.from({ length: 6 }, () => timed(() => compiled.check(data, HOSTILE_LIMITS)));
  const times = checks.map(([time]) => time);
  const told = checks.map(([, check]) => timed(() => renderForModel(check)));
  const outcomes = [...new Set(checks.map(([, check]) => check.outcome))];
  const others = times.filter((_, i) => i !== COMPILING);
  const cpu = Math.max(...checks.filter((_, i) => i !== COMPILING).map((check) => check[2]));
  const late = compiled.fault?.code === "too_slow";
  const more = Buffer.byteLength(data) / BYTES_PER_MS;
  const used = checks.map(([time, , cpu]) => Math.min(time, cpu));
  const over =
    Math.min(compile, compileCpu) > BOUNDS.compile ||
    told.some(([time, , cpu]) => Math.min(time, cpu) > BOUNDS.check) ||
    used.some((time, i) => {
      const check = i < PATIENT ? BOUNDS.patient + 4 * more : BOUNDS.check + more;
      return time > check + read + (i === COMPILING ? BOUNDS.compile : 0);
    });
  const wrong = !late && outcomes.some((each) => each !== "budget" && !outcome.test(each));
  if (late) outcomes.push("too_slow");
  const telling = Math.max(...told.map(([time]) => time));
  return { text, read, compile, compileCpu, times, others, cpu, telling, outcomes, over, wrong };
}

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
row([
  "case",
  "schema",
  "read",
  "compile",
  "cpu",
  "first",
  "4th",
  "warm",
  "cpu",
  "told",
  "outcome",
  "",
]);
row(["-", "-:", "-:", "-:", "-:", "-:", "-:", "-:", "-:", "-:", "-", "-"]);
let failed = 0;
const cases = [...HOSTILE_CASES, ...(options.formats ? HOSTILE_FORMATS : [])];
for (const each of cases.filter(({ name }) => name.includes(options.only))) {
  const measured = measure(each);
  const { text, read, compile, compileCpu, times, others, cpu, telling } = measured;
  const { outcomes, over, wrong } = measured;
  if (over || wrong) failed += 1;
  row([
    each.name.replaceAll("|", "\\|"),
    `${Math.ceil(text.length / 1024)} KB`,
    read.toFixed(1),
    compile.toFixed(1),
    compileCpu.toFixed(0),
    times[0].toFixed(1),
    times[COMPILING].toFixed(1),
    Math.max(...others.slice(1)).toFixed(1),
    cpu.toFixed(0),
    telling.toFixed(1),
    outcomes.join(", "),
    [over ? "over" : "", wrong ? "wrong" : ""].join(" ").trim(),
  ]);
}
console.log(
  `\nMilliseconds. Bounds: ${BOUNDS.compile} for a compilation, ${BOUNDS.check} for a check (${BOUNDS.patient} for each of the first ${PATIENT}) beside reading its text ("read"), and 1 more for each 128 KiB of it; the fourth check may compile for speed; "told" is the text for a model. ${failed} cases over or wrong.`,
);
process.exitCode = failed === 0 ? 0 : 1;
