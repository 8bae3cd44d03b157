// Measures throughput, delays and costs of gateways that share one PostgreSQL, all on this machine.
import { cpu } from "../gateway/usage.mjs";
import { load } from "./load.mjs";
import { watchPostgres } from "./postgres.mjs";

/** Number of gateways, and concurrent calls at each. */
const STEPS = [
  [1, 1],
  [1, 8],
  [1, 32],
  [2, 16],
  [3, 1],
  [3, 11],
];
const WARM_UP_MS = 5_000;
const WARM_UP_CALLS = 32;
const fixed = (value, digits = 2) => value.toFixed(digits);

async function step({ urls, children, upstream, postgres }, inFlight, ms) {
  // Always warms up with a high load: how much code is compiled must not depend on the measured load.
  await load(urls, WARM_UP_CALLS, WARM_UP_MS);
  const before = await postgres.numbers();
  const used = () => ({
    gateways: children.reduce((sum, child) => sum + cpu(child), 0),
    postgres: postgres.cpu(),
    upstream: cpu(upstream),
    clients: cpu(process),
  });
  const started = used();
  const { calls, seconds, p50, p99 } = await load(urls, inFlight, ms);
  const ended = used();
  const after = await postgres.numbers();
  const perCall = (name) => (ended[name] - started[name]) / calls;
  const written = (name) => (after[name] - before[name]) / calls;
  return {
    rate: calls / seconds,
    ...{ p50, p99 },
    gateway: perCall("gateways"),
    postgres: perCall("postgres"),
    others: perCall("upstream") + perCall("clients"),
    commits: written("commits"),
    syncs: written("syncs"),
    wal: written("wal"),
  };
}

const COLUMNS = [
  ["gateways", (row) => row.count],
  ["calls under way at each", (row) => row.inFlight],
  ["calls/s", (row) => fixed(row.rate, 0)],
  ["p50 ms", (row) => fixed(row.p50, 1)],
  ["p99 ms", (row) => fixed(row.p99, 1)],
  ["CPU of gateways, ms a call", (row) => fixed(row.gateway)],
  ["CPU of PostgreSQL, ms a call", (row) => fixed(row.postgres)],
  ["CPU of clients and server, ms a call", (row) => fixed(row.others)],
  ["transactions a call", (row) => fixed(row.commits)],
  ["WAL flushes a call", (row) => fixed(row.syncs)],
  ["WAL bytes a call", (row) => fixed(row.wal, 0)],
];
const line = (cells) => `| ${cells.join(" | ")} |`;

/**
 * Measures each step and prints its row.
 * @param store URL of an empty database
 * @param start starts a gateway that keeps its records there; returns `{child, url, end}`
 * @param upstream the MCP server behind the gateways
 */
export async function figures({ store, start, upstream, ms, print }) {
  const postgres = await watchPostgres(store);
  const gateways = [];
  print(`PostgreSQL ${await postgres.version()}`);
  print(line(COLUMNS.map(([name]) => name)));
  print(line(COLUMNS.map(() => "---")));
  for (const [count, inFlight] of STEPS) {
    while (gateways.length < count) gateways.push(await start());
    const urls = gateways.map(({ url }) => url);
    const children = gateways.map(({ child }) => child);
    const row = await step({ urls, children, upstream: upstream.child, postgres }, inFlight, ms);
    print(line(COLUMNS.map(([, value]) => value({ ...row, count, inFlight }))));
  }
  const connections = await postgres.connections();
  const { rows, calls, heap, indexes } = await postgres.sizes();
  print(`${connections} connections of ${gateways.length} gateways`);
  print(
    `${rows} records of ${calls} calls; bytes a record: ${fixed(heap / rows, 0)} in the table, ` +
      `${fixed(indexes / rows, 0)} in its indexes`,
  );
  await Promise.all(gateways.map(({ end }) => end("SIGTERM")));
  await postgres.close();
}
