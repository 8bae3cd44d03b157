// `npm run bench:gateway`: measures a hop through the gateway, compared with the direct call and a bare byte relay in
// the same run, in turns: latency and throughput, start, memory, and other projects' gateways. Over stdio also a relay
// that does nothing but record each response: no hop that records can cost less. `--quick` takes less than a minute;
// `--calls N` (50,000) is for the memory; `--transport stdio|http` measures one only, `--endpoints bare|sdk|published`
// measures hops between one kind of client and server only (the rest is measured with bare ones). Other gateways are
// measured if TOUCHSTONE_PEERS names a folder that has them in its node_modules.
import "../help.mjs";

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ENDPOINTS, httpWays, stdioWays } from "./gateway/endpoints.mjs";
import { measureGrowth } from "./gateway/growth.mjs";
import { measureHops } from "./gateway/hops.mjs";
import { measurePeers } from "./gateway/others.mjs";
import { httpUpstream, stop } from "./gateway/processes.mjs";
import { measureStarts } from "./gateway/starts.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    calls: { type: "string" },
    transport: { type: "string", default: "both" },
    endpoints: { type: "string", default: "all" },
  },
});
const calls = Number(values.calls ?? (values.quick ? 2_000 : 50_000));
if (!Number.isInteger(calls) || calls < 1) {
  console.error(`--calls takes a positive whole number, not ${JSON.stringify(values.calls)}.`);
  process.exit(2);
}
if (!["both", "stdio", "http"].includes(values.transport)) {
  console.error(`--transport takes stdio, http or both, not ${JSON.stringify(values.transport)}.`);
  process.exit(2);
}
if (!["all", ...Object.keys(ENDPOINTS)].includes(values.endpoints)) {
  const kinds = Object.keys(ENDPOINTS).join(", ");
  console.error(`--endpoints takes ${kinds} or all, not ${JSON.stringify(values.endpoints)}.`);
  process.exit(2);
}
const settings = values.quick
  ? { rounds: 3, ms: 40, warmUpMs: 15, inFlights: [1, 16] }
  : { rounds: 7, ms: 400, warmUpMs: 300, inFlights: [1, 16, 64] };
const starts = values.quick ? 3 : 11;

const upstream = await httpUpstream();
const TITLES = { stdio: "stdio: touchstone wrap", http: "Streamable HTTP: touchstone serve" };
const chosen = Object.keys(TITLES).filter((name) => [name, "both"].includes(values.transport));
const ends = Object.keys(ENDPOINTS).filter((name) => [name, "all"].includes(values.endpoints));

console.log(
  `Node ${process.version}, ${availableParallelism()} cores; client, hop and server share them. ` +
    `Medians of ${settings.rounds} rounds of ${settings.ms} ms. Activity is on, with SQLite.\n`,
);
const unmeasured = [
  "2026-07-28 (calls are of 2025-11-25)",
  "answers as event streams",
  "PostgreSQL",
  "connections beyond loopback",
  ...(values.quick ? ["64 in flight (--quick)"] : []),
];
for (const name of chosen) {
  for (const end of ends) {
    const endpoints = ENDPOINTS[end];
    if (endpoints[name] === undefined) continue;
    const server = name === "http" ? await httpUpstream(endpoints.server) : undefined;
    const ways = server ? httpWays(server.url, endpoints) : stdioWays(endpoints);
    await measureHops(`${TITLES[name]}, between ${endpoints.title}`, ways, endpoints.plain, {
      transport: name,
      ...settings,
    });
    if (server) await stop(server.child);
  }
  const ways = name === "http" ? httpWays(upstream.url) : stdioWays();
  await measureStarts(TITLES[name], ways, starts);
  if (!(await measureGrowth(TITLES[name], ways, calls))) unmeasured.push("memory (needs /proc)");
}
const missing = await measurePeers(process.env.TOUCHSTONE_PEERS, upstream.url, settings);
await stop(upstream.child);
console.log(`Not measured: ${[...unmeasured, ...missing].join("; ")}.`);
