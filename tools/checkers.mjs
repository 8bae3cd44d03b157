// `npm run checkers`: sends messages with a known right outcome through Touchstone and other programs, and shows what
// each does: blocked, forwarded, changed, lost, hung. Other programs are installed into --cache (TOUCHSTONE_CHECKERS_CACHE,
// else a temporary folder), at the versions of checkers/peers.json. --checkers NAME,NAME and --cases PATTERN choose;
// --python FILE is the interpreter for packages of PyPI; --minutes N (15) bounds the whole, --jobs N (2) run at once; --json prints JSON; --page
// writes docs/reference/checkers.md. Exits with 1 if Touchstone does not do what is right.
import "./help.mjs";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readCases } from "./checkers/cases.mjs";
import { install, PEERS } from "./checkers/install.mjs";
import { pageOf } from "./checkers/page.mjs";
import { textOf, wrongOf } from "./checkers/report.mjs";
import { runCases } from "./checkers/run.mjs";
import { CHECKERS } from "./checkers/starts.mjs";

const { values: given } = parseArgs({
  options: {
    cache: { type: "string" },
    cases: { type: "string", default: "" },
    checkers: { type: "string" },
    json: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    minutes: { type: "string", default: "15" },
    page: { type: "boolean", default: false },
    python: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

const usage = (text) => {
  console.error(`${text}\n--help lists the options`);
  process.exit(2);
};
const names = CHECKERS.map(({ name }) => name);
const chosen = given.checkers?.split(",") ?? names;
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined)
  usage(`--checkers: there is no ${unknown}; there are ${names.join(", ")}`);
const minutes = Number(given.minutes);
if (!(minutes > 0)) usage("--minutes takes a positive number");
const jobs = Number(given.jobs);
if (!(Number.isInteger(jobs) && jobs > 0)) usage("--jobs takes a positive whole number");
const cases = readCases().filter(({ group, key }) => `${group}/${key}`.includes(given.cases));
if (cases.length === 0)
  usage(`--cases: no case has ${JSON.stringify(given.cases)} in GROUP/NAME@REVISION`);

const cacheGiven = given.cache ?? process.env.TOUCHSTONE_CHECKERS_CACHE;
const cache = cacheGiven ? resolve(cacheGiven) : mkdtempSync(join(tmpdir(), "checkers-"));
mkdirSync(cache, { recursive: true });

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
const note = (line) => console.error(line);

const checkers = [];
for (const checker of CHECKERS.filter(({ name }) => chosen.includes(name))) {
  const peer = PEERS.find(({ name }) => name === checker.name);
  const version = peer?.version ?? checker.version();
  const missing = peer === undefined ? undefined : await install(cache, peer, given.python);
  const { title, client, server } = checker;
  checkers.push({
    name: checker.name,
    title,
    client,
    server,
    version,
    missing,
    outcomes: new Map(),
    checker,
  });
  note(`${title} ${version}: ${missing ?? "installed"}`);
}

// Installation time does not count: it depends on the network.
const late = setTimeout(() => stop.abort("time"), minutes * 60_000);
late.unref();
const waiting = checkers.filter(({ missing }) => missing === undefined);
const worker = async () => {
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const start = performance.now();
    const report = given.verbose ? note : undefined;
    const options = { cache, stop: stop.signal, report };
    one.outcomes = await runCases(one.checker, cases, options);
    for (const { key } of cases)
      if (!one.outcomes.has(key))
        one.outcomes.set(key, { kind: "not run", detail: `stopped after ${minutes} minutes` });
    const seconds = (performance.now() - start) / 1_000;
    note(`${one.title} ${one.version}: ${seconds.toFixed(0)} s`);
  }
};
await Promise.all(Array.from({ length: jobs }, worker));
clearTimeout(late);
if (!cacheGiven) rmSync(cache, { recursive: true, force: true });

if (given.json) {
  const shown = cases.map((entry) => ({
    ...entry,
    outcomes: Object.fromEntries(
      checkers.map(({ name, outcomes }) => [name, outcomes.get(entry.key)]),
    ),
  }));
  const programs = checkers.map(({ name, version, missing }) => ({ name, version, missing }));
  console.log(JSON.stringify({ date: new Date().toISOString(), programs, cases: shown }, null, 2));
} else console.log(textOf(cases, checkers));
if (given.page && !stop.signal.aborted) {
  const page = fileURLToPath(new URL("../docs/reference/checkers.md", import.meta.url));
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(page, pageOf(cases, checkers, { date, node: process.version }));
}

const wrong = checkers
  .filter(({ name }) => name.startsWith("touchstone"))
  .flatMap(({ name, outcomes }) =>
    wrongOf(cases, name, outcomes).map((line) => `${name}: ${line}`),
  );
for (const line of wrong) note(line);
process.exitCode = wrong.length > 0 || stop.signal.aborted ? 1 : 0;
