// Measures what telemetry costs in real use: between the client and the server of
// @modelcontextprotocol/sdk. The cost of a call includes all work of the three processes, also the work that the
//   gateway defers to a pause; the collector does not count. Two gateways without telemetry show the noise.
import { readFileSync } from "node:fs";
import { ENDPOINTS } from "../gateway/endpoints.mjs";
import { load, rotated } from "../gateway/load.mjs";
import { httpUpstream, stop } from "../gateway/processes.mjs";
import { cpu } from "../gateway/usage.mjs";
import { median, progress, table } from "../timing.mjs";
import { served, wrapped } from "./gateways.mjs";

/** Longer than any deferred work waits, and the maximum processor time during it that counts as idle. */
const QUIET_MS = 300;
const REST_MS = 6;

/** Returns the processor time of a gateway, once it is idle. */
async function rested(gateway) {
  if (cpu(gateway) === undefined) return Number.NaN;
  for (let before = cpu(gateway); ; ) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const now = cpu(gateway);
    if (!(now - before > REST_MS)) return now;
    before = now;
  }
}

/** Returns the only process that a wrap has started. */
function serverOf({ pid }) {
  try {
    return { pid: Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) };
  } catch {
    return undefined;
  }
}

function own() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns the processor time so far in milliseconds: of the client, the server behind a gateway, and the collector.
 */
const spentBeside = (server, sink) => [own(), cpu(server()) ?? Number.NaN, cpu(sink)];

/**
 * Runs one round of one gateway, and sums up its costs, except those of the gateway, which continues to work after
 * the round.
 */
async function round({ client, server, sums }, sink, { tool, ms, inFlight }) {
  const before = spentBeside(server, sink);
  const run = await load(client, tool, inFlight, { ms });
  for (const [i, now] of spentBeside(server, sink).entries()) sums.beside[i] += now - before[i];
  sums.calls += run.calls;
  return run;
}

/** Returns microseconds of processor time per call. @param spent by the gateway in all rounds, in milliseconds */
function perCall({ beside: [client, server, collector], calls }, spent) {
  const each = (milliseconds) => (milliseconds * 1000) / calls;
  return [client + server + spent, spent, collector].map(each);
}

const LATENCY = [
  ["p50 latency, µs", ({ p50 }) => p50 * 1000],
  ["time per call (1 / throughput), µs", ({ rate }) => 1e6 / rate],
];
const CPU = ["client, gateway and server", "the gateway", "the collector"];
const NAMES = ["none", "again", "all"];
const percent = (more) => (Number.isFinite(more) ? `${(more * 100).toFixed(1)} %` : "");

/** Measures the rows of one transport and one number of calls in flight. */
async function measureCalls(title, ways, to, settings) {
  const { rounds, inFlight } = settings;
  const runs = Object.fromEntries(NAMES.map((name) => [name, []]));
  const from = {};
  for (const name of NAMES) {
    ways[name].sums = { calls: 0, beside: [0, 0, 0] };
    from[name] = await rested(ways[name].child);
  }
  for (let i = 0; i < rounds; i += 1) {
    progress(`between the SDK's ends, ${title}, ${inFlight} in flight, round ${i + 1}`);
    for (const name of rotated(NAMES, i)) {
      runs[name].push(await round(ways[name], to.child, settings));
      await rested(ways[name].child);
    }
  }
  const rows = LATENCY.map(([figure, of]) => {
    const [none, ...others] = NAMES.map((name) => runs[name].map(of));
    const more = others.map((all) => percent(median(all.map((value, i) => value / none[i] - 1))));
    return [figure, ...[none, ...others].map((all) => median(all).toFixed(1)), ...more];
  });
  const spent = [];
  for (const name of NAMES) {
    const way = ways[name];
    spent.push(perCall(way.sums, (await rested(way.child)) - from[name]));
  }
  for (const [i, what] of CPU.entries()) {
    const values = spent.map((each) => each[i]);
    // Without telemetry, the collector receives nothing.
    const more =
      what === CPU[2] ? ["", ""] : values.slice(1).map((v) => percent(v / values[0] - 1));
    rows.push([`CPU of ${what}, µs per call`, ...values.map((v) => v.toFixed(1)), ...more]);
  }
  return rows.map((row) => [title, inFlight, ...row]);
}

async function measureTransport(title, ways, to, settings) {
  const { tool, warmUpMs } = settings;
  for (const { client } of Object.values(ways)) {
    await client.open();
    await load(client, tool, 16, { ms: warmUpMs });
  }
  const rows = [];
  for (const inFlight of [1, 16]) {
    rows.push(...(await measureCalls(title, ways, to, { ...settings, inFlight })));
  }
  for (const { client, child } of Object.values(ways)) {
    await client.close();
    await stop(child);
  }
  return rows;
}

function measureWrap(title, ends, to, settings) {
  const way = (sink) => {
    const gateway = wrapped(ends, sink);
    return { ...gateway, server: () => serverOf(gateway.child) };
  };
  return measureTransport(title, { none: way(), again: way(), all: way(to) }, to, settings);
}

/** Prints what telemetry costs per call between the SDK's ends, over each transport. */
export async function measureLife(to, transports, settings) {
  const ends = ENDPOINTS.sdk;
  const rows = [];
  if (transports.includes("stdio")) {
    rows.push(...(await measureWrap("wrap, stdio", ends, to, settings)));
    const title = "wrap, stdio, server-filesystem";
    rows.push(...(await measureWrap(title, ENDPOINTS.published, to, settings)));
  }
  if (transports.includes("http")) {
    const { child: server, url } = await httpUpstream(ends.server);
    const way = async (sink) => ({ ...(await served(ends, url, sink)), server: () => server });
    const ways = { none: await way(), again: await way(), all: await way(to) };
    rows.push(...(await measureTransport("serve, Streamable HTTP", ways, to, settings)));
    await stop(server);
  }
  progress("");
  const { rounds, ms } = settings;
  console.log(
    `## Between the SDK's ends\n\nTwo gateways with none, and one with all on, beside the first; ${rounds} rounds of ` +
      `${ms} ms. Medians of the rounds; processor time is that of all of them.\n`,
  );
  const head = ["transport", "in flight", "figure", "none", "none again", "all on"];
  table([...head, "none again, more", "all on, more"], rows);
}
