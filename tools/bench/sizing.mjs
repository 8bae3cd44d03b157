// `npm run bench:sizing -- [seconds]`: what a gateway takes, for the guide to sizing (docs/guides/size-a-gateway.md): processor time
// for each call over HTTP, memory at rest, under load and for each session, and bytes on disk for each record. Records are in
// SQLite. Client, gateway and server share the machine; processor time is the gateway's alone.
import "../help.mjs";

import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { countArgument } from "../count-argument.mjs";
import { startLoader } from "../source-modules.mjs";
import { cpu, usage } from "./gateway/usage.mjs";
import { load } from "./scale/load.mjs";
import { table } from "./timing.mjs";

const seconds = countArgument(process.argv[2], 10, "npm run bench:sizing -- [seconds]");
const IN_FLIGHT = 16;
const WARM_UP_MS = 4_000;
const SESSIONS = 200;

const sources = await startLoader();
const { fleetFiles, startServe, startUpstream } = await sources.load(
  "cli/src/testing/fleet/processes.ts",
);
const { connectCaller } = await sources.load("cli/src/testing/fleet/sdk-callers.ts");
const { openPlace, verifyActivity } = await import("@touchstone/gateway/activity");

const upstream = await startUpstream(0);

/** Starts a gateway with its own settings, and ends it after `use`. */
async function withGateway(settings, use) {
  const files = fleetFiles(undefined, upstream.url, settings);
  const served = await startServe(files, "strict");
  try {
    return await use(served, files);
  } finally {
    await served.end("SIGKILL");
    files.remove();
  }
}

function bytesIn(folder) {
  const files = readdirSync(folder).filter((name) => name.startsWith("activity"));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function recordsIn(dataDir) {
  const reader = await openPlace({ dataDir }).reader();
  const { records } = await verifyActivity(reader);
  await reader.close();
  return records;
}

/** Puts load on one gateway: measures the cost of each call, and the size of its records after it has ended. */
async function underLoad(name, settings) {
  return await withGateway(settings, async ({ child, url, end }, { dataDir }) => {
    const atRest = usage(child)?.mb ?? 0;
    await load([url], IN_FLIGHT, WARM_UP_MS);
    const before = cpu(child) ?? 0;
    const { calls, seconds: took } = await load([url], IN_FLIGHT, seconds * 1000);
    const each = ((cpu(child) ?? 0) - before) / calls;
    const busy = usage(child)?.mb ?? 0;
    await end("SIGTERM");
    const records = await recordsIn(dataDir);
    return [
      name,
      (calls / took).toFixed(0),
      each.toFixed(2),
      (1000 / each).toFixed(0),
      atRest.toFixed(0),
      busy.toFixed(0),
      records,
      (bytesIn(dataDir) / records).toFixed(0),
    ];
  });
}

/** Measures how much memory a session of an official client adds to a gateway. */
async function sessions() {
  return await withGateway({ activity: {} }, async ({ child, url }) => {
    const open = async (count) => {
      const callers = [];
      for (let i = 0; i < count; i += 1) {
        const caller = await connectCaller(url, "2025-11-25");
        await caller.call("look", `call ${i}`);
        callers.push(caller);
      }
      return callers;
    };
    // The first sessions also include the cost of what is created once.
    const first = await open(SESSIONS);
    const from = usage(child)?.mb ?? 0;
    const second = await open(SESSIONS);
    const to = usage(child)?.mb ?? 0;
    await Promise.all([...first, ...second].map((caller) => caller.close()));
    return ((to - from) * 1024) / SESSIONS;
  });
}

try {
  const [{ model }] = cpus();
  console.log(
    `${cpus().length} cores ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}, Node ${process.version}\n`,
  );
  const rows = [
    await underLoad("records", { activity: {} }),
    await underLoad("records with bodies", { activity: { bodies: true } }),
    await underLoad("records, metrics", { activity: {}, telemetry: { metrics: true } }),
  ];
  table(
    [
      `strict, ${IN_FLIGHT} in flight, 1 KB`,
      "calls/s",
      "ms CPU a call",
      "calls/s a core",
      "MB at rest",
      "MB under load",
      "records",
      "bytes a record",
    ],
    rows,
  );
  console.log(`a session of 2025-11-25: ${(await sessions()).toFixed(0)} KB`);
} finally {
  await upstream.end("SIGKILL");
  await sources.close();
}
