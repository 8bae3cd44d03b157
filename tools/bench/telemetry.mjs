// `npm run bench:telemetry`: measures the cost of telemetry: all of it (traces and metrics by OTLP, and if there is a
// listener `/metrics`, scraped every second) compared with none, in the same run, in turns. `--quick` takes less than a
// minute and a half; `--size` is the size of the results in KB, 1, 10 or 100; `--ends sdk` measures only between the
// SDK's ends, `bare` only the rest; `--transport stdio|http` one of them. The collector is a separate process that
// reads and drops everything.
import "../help.mjs";

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ENDPOINTS } from "./gateway/endpoints.mjs";
import { load, rotated } from "./gateway/load.mjs";
import { httpUpstream, stop } from "./gateway/processes.mjs";
import { toolName } from "./gateway/tools.mjs";
import { cpu } from "./gateway/usage.mjs";
import { collector, served, wrapped } from "./telemetry/gateways.mjs";
import { measureLife } from "./telemetry/life.mjs";
import { measureRoad } from "./telemetry/road.mjs";
import { median, progress, table } from "./timing.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    size: { type: "string", default: "1" },
    ends: { type: "string", default: "both" },
    transport: { type: "string", default: "both" },
  },
});
const ROUNDS = values.quick ? 5 : 21;
const MS = values.quick ? 150 : 500;
const WARM_UP_MS = values.quick ? 500 : 3_000;
const TOOL = toolName(Number(values.size), true);
for (const [option, known] of [
  ["ends", ["bare", "sdk", "both"]],
  ["transport", ["stdio", "http", "both"]],
]) {
  if (known.includes(values[option])) continue;
  console.error(`--${option} takes ${known.join(", ")}, not ${JSON.stringify(values[option])}.`);
  process.exit(2);
}
const transports = values.transport === "both" ? ["stdio", "http"] : [values.transport];

/** Returns the processor time of the relaying thread, in milliseconds; undefined if Linux does not report it. */
function relayCpu({ pid }) {
  try {
    const [spent] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(spent) / 1e6;
  } catch {
    return undefined;
  }
}

/** @param ways by name, `none` and `all` */
async function measure(ways, inFlight) {
  const runs = new Map(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${inFlight} in flight, round ${round + 1} of ${ROUNDS}`);
    for (const name of rotated(Object.keys(ways), round)) {
      const { client, child } = ways[name];
      const before = [relayCpu(child), cpu(child)];
      const run = await load(client, TOOL, inFlight, { ms: MS });
      const each = (after, i) => ((after - before[i]) * 1000) / run.calls;
      runs.get(name).push({
        ...run,
        relay: each(relayCpu(child), 0),
        process: each(cpu(child), 1),
      });
    }
  }
  return runs;
}

const figures = [
  ["p50 latency, µs", ({ p50 }) => p50 * 1000],
  ["time per call (1 / throughput), µs", ({ rate }) => 1e6 / rate],
  ["CPU of the relaying thread, µs per call", ({ relay }) => relay],
  ["CPU of the process, µs per call", ({ process }) => process],
];

async function measureBare(to) {
  const road = await measureRoad(to.env, { tool: TOOL, rounds: values.quick ? 5 : 41 });
  const rows = [];
  for (const transport of transports) {
    const upstream = transport === "http" ? await httpUpstream() : undefined;
    const way = (sink) =>
      upstream === undefined
        ? wrapped(ENDPOINTS.bare, sink)
        : served(ENDPOINTS.bare, upstream.url, sink);
    const title = upstream === undefined ? "wrap, stdio" : "serve, Streamable HTTP";
    const ways = { none: await way(), all: await way(to) };
    rows.push(...(await measureTransport(title, ways)));
    if (upstream !== undefined) await stop(upstream.child);
  }
  progress("");
  const beyond = ((road.all / road.none - 1) * 100).toFixed(1);
  console.log(
    `## Between ends that do nothing\n\nThe road of a call inside the gateway, 16 at a time, on the relaying ` +
      `thread's processor: ${road.none.toFixed(1)} µs, all on ${road.all.toFixed(1)} µs (${beyond} % more; ` +
      "medians of the rounds).\n",
  );
  console.log(
    `Medians of ${ROUNDS} rounds of ${MS} ms; the last column is the median over the rounds.\n`,
  );
  table(["transport", "in flight", "figure", "none", "all on", "more"], rows);
}

async function measureTransport(title, ways) {
  const rows = [];
  for (const { client } of Object.values(ways)) {
    await client.open();
    await load(client, TOOL, 16, { ms: WARM_UP_MS });
  }
  for (const inFlight of [1, 16]) {
    const runs = await measure(ways, inFlight);
    for (const [name, figure] of figures) {
      const none = runs.get("none").map(figure);
      const all = runs.get("all").map(figure);
      if (none.some(Number.isNaN)) continue;
      const more = median(all.map((value, i) => value / none[i] - 1)) * 100;
      const cells = [median(none).toFixed(1), median(all).toFixed(1), `${more.toFixed(1)} %`];
      rows.push([title, inFlight, name, ...cells]);
    }
  }
  for (const { client, child } of Object.values(ways)) {
    client.close();
    await stop(child);
  }
  return rows;
}

console.log(
  `Node ${process.version}. A call has a ${values.size} KB result with an output schema; activity is on.\n`,
);
const to = await collector();
if (values.ends !== "sdk") await measureBare(to);
if (values.ends !== "bare") {
  const size = Number(values.size);
  const settings = { rounds: ROUNDS, ms: MS, warmUpMs: WARM_UP_MS, tool: TOOL, size };
  await measureLife(to, transports, settings);
}
to.child.kill();
