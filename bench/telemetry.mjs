// `npm run bench:telemetry`: what telemetry costs, all of it on (traces and metrics by OTLP, and where
// there is a listener `/metrics`, scraped every second) beside none, in the same run, in turns. `--quick`
// takes less than a minute; `--size` is that of the results in KB, 1, 10 or 100. The collector is a
// process of its own that reads and drops.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { httpClient, stdioClient } from "./gateway/clients.mjs";
import { load, rotated } from "./gateway/load.mjs";
import { httpUpstream, said, start, stop, temporary, UPSTREAM } from "./gateway/processes.mjs";
import { toolName } from "./gateway/tools.mjs";
import { cpu } from "./gateway/usage.mjs";
import { measureRoad } from "./telemetry/road.mjs";
import { median, progress, table } from "./timing.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    size: { type: "string", default: "1" },
  },
});
const ROUNDS = values.quick ? 5 : 21;
const MS = values.quick ? 150 : 500;
const WARM_UP_MS = values.quick ? 500 : 3_000;
const TOOL = toolName(Number(values.size), true);
const TOUCHSTONE = fileURLToPath(new URL("../packages/cli/bin/touchstone.js", import.meta.url));

const COLLECTOR = `
  require("node:http").createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;

async function collector() {
  const child = spawn(process.execPath, ["-e", COLLECTOR], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => child.kill());
  const [port] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, url: `http://127.0.0.1:${port.trim()}` };
}

/** `touchstone wrap` in front of a process. */
function wrapped(env) {
  const own = [TOUCHSTONE, "wrap", "--name", "bench", "--data-dir", temporary()];
  const child = start([...own, "--", process.execPath, UPSTREAM, "stdio"], env);
  return { child, client: stdioClient(child) };
}

/** `touchstone serve` in front of a URL; scraped where it has metrics. */
async function served(url, telemetry, env) {
  const dir = temporary();
  const config = join(dir, "touchstone.json");
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(config, JSON.stringify({ listen, telemetry, mcpServers: { bench: { url } } }));
  const child = start([TOUCHSTONE, "serve", "--config", config, "--data-dir", dir], env);
  const at = await said(child, child.stderr, /bench: (http:\S+)\n/);
  if (telemetry.metrics) {
    const page = new URL("/metrics", at);
    setInterval(
      () =>
        fetch(page).then(
          (answer) => answer.text(),
          () => {},
        ),
      1_000,
    ).unref();
  }
  return { child, client: httpClient(at) };
}

/** Time of the thread that relays, in milliseconds; undefined where Linux does not tell it. */
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

const { child: sink, url } = await collector();
const upstream = await httpUpstream();
const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
const road = await measureRoad(otlp, {
  tool: TOOL,
  rounds: values.quick ? 5 : 41,
});
const transports = {
  "wrap, stdio": { none: wrapped({}), all: wrapped(otlp) },
  "serve, Streamable HTTP": {
    none: await served(upstream.url, { otlp: false, metrics: false }, {}),
    all: await served(upstream.url, { otlp: true, metrics: true }, otlp),
  },
};
const rows = [];
for (const [transport, ways] of Object.entries(transports)) {
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
      rows.push([transport, inFlight, name, ...cells]);
    }
  }
  for (const { client, child } of Object.values(ways)) {
    client.close();
    await stop(child);
  }
}
progress("");
const beyond = ((road.all / road.none - 1) * 100).toFixed(1);
console.log(
  `The road of a call inside the gateway, 16 at a time, on the relaying thread's processor: ` +
    `${road.none.toFixed(1)} µs, all on ${road.all.toFixed(1)} µs (${beyond} % more; medians of the rounds).\n`,
);
console.log(
  `Node ${process.version}. A call has a ${values.size} KB result with an output schema; activity is on. ` +
    `Medians of ${ROUNDS} rounds of ${MS} ms; the last column is the median over the rounds.\n`,
);
table(["transport", "in flight", "figure", "none", "all on", "more"], rows);
await stop(upstream.child);
sink.kill();
