// `npm run bench:checkouts -- CHECKOUT [CHECKOUT]`: compares the processor time of a checked, recorded call in two
// checkouts of this repository, the second of which defaults to this one, and that in the bare relay. It builds both
// (dependencies must be installed) and measures them in turns: stdio and HTTP, results of 1, 10 and 100 KB, all
// threads, with what is done for a record later. `--rounds N` (7), `--no-build`. Needs Linux.
import "../help.mjs";

import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { callTimes } from "./gateway/call-time.mjs";
import { httpWays, stdioWays } from "./gateway/endpoints.mjs";
import { httpUpstream, stop } from "./gateway/processes.mjs";
import { median, table } from "./timing.mjs";

const SIZES = [1, 10, 100];
const THIS = fileURLToPath(new URL("../..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    "no-build": { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const [first, second = THIS, ...surplus] = positionals;
if (!Number.isInteger(rounds) || rounds < 1 || first === undefined || surplus.length > 0) {
  console.error("Pass one or two checkouts, and --rounds with a positive whole number.");
  process.exit(2);
}
const checkouts = [resolve(first), resolve(second)];

/** Returns the short name of a checkout's commit, with a mark if files have changed since. */
const commitOf = (checkout) =>
  execFileSync("git", ["-C", checkout, "describe", "--always", "--dirty", "--exclude", "*"], {
    encoding: "utf8",
  }).trim();

const subjects = checkouts.map((checkout, i) => {
  if (!values["no-build"]) {
    console.error(`building ${checkout}`);
    execFileSync("npm", ["run", "build", "--silent"], { cwd: checkout, stdio: "inherit" });
  }
  const touchstone = join(checkout, "packages/cli/bin/touchstone.js");
  return { name: `${i + 1}: ${commitOf(checkout)}`, touchstone };
});

/** Measures one transport. @param waysOf returns the ways with the command of a checkout */
async function measure(transport, waysOf) {
  const ways = [
    ["bare relay", waysOf().relay],
    ...subjects.map(({ name, touchstone }) => [name, waysOf(touchstone).warn]),
  ];
  const times = await callTimes(transport, ways, SIZES, rounds);
  return SIZES.map((size) => {
    const all = ways.map(([name]) =>
      times
        .get(size)
        .get(name)
        .filter((time) => !Number.isNaN(time)),
    );
    const [relay, one, two] = all.map(median);
    const [leastRelay, leastOne, leastTwo] = all.map((list) => Math.min(...list));
    return [
      transport,
      `${size} KB`,
      ...[relay, one, two].map((time) => time.toFixed(0)),
      ...[two / one, leastTwo / leastOne].map((ratio) => ratio.toFixed(2)),
      ...[leastOne, leastTwo].map((time) => (time / leastRelay).toFixed(1)),
    ];
  });
}

const load = () => loadavg()[0].toFixed(1);
const before = load();
const stdio = await measure("stdio", (touchstone) => stdioWays(undefined, touchstone));
const { child, url } = await httpUpstream();
const http = await measure("HTTP", (touchstone) => httpWays(url, undefined, touchstone));
await stop(child);
const [one, two] = subjects.map(({ name }) => name);
console.log(
  `Processor time of a call in the hop: warn, all checks and records, all threads, 16 in flight, ${rounds} rounds in ` +
    `turns, Node ${process.version}. Load of the machine: ${before} before, ${load()} after.\n`,
);
table(
  [
    "transport",
    "result",
    "bare relay, median µs",
    one,
    two,
    "2 ÷ 1, medians",
    "2 ÷ 1, best rounds",
    "1 ÷ relay, best",
    "2 ÷ relay, best",
  ],
  [...stdio, ...http],
);
process.exit(0);
