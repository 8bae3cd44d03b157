// `npm run load:fleet -- [--gateways 3] [--clients 16] [--seconds 30] [--mode warn] [--kill] [--store URL]`: puts load on gateways
// that share one PostgreSQL, behind a balancer, all on this machine: official clients of both generations, each with one call
// under way. Prints calls/s, delays, errors, and answered calls that have no record. --kill ends one gateway with SIGKILL
// halfway. --store takes an empty database instead of a PostgreSQL server that it starts. Exits with 1 if a record is lost.
import "../help.mjs";

import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { countArgument } from "../count-argument.mjs";
import { startLoader } from "../source-modules.mjs";

const USAGE =
  "npm run load:fleet -- [--gateways N] [--clients N] [--seconds N] [--mode MODE] [--kill] [--store URL]";
const { values } = parseArgs({
  options: {
    gateways: { type: "string" },
    clients: { type: "string" },
    seconds: { type: "string" },
    mode: { type: "string", default: "warn" },
    kill: { type: "boolean", default: false },
    store: { type: "string" },
  },
});
const gateways = countArgument(values.gateways, 3, USAGE);
const clients = countArgument(values.clients, 16, USAGE);
const seconds = countArgument(values.seconds, 30, USAGE);
if (values.kill && gateways < 2) throw new Error(`--kill needs two gateways or more\n${USAGE}`);

/** Read-only, so that a balancer may send it again. */
const TOOL = "look";
const WARM_UP_MS = 3_000;
/** Pause of a client after a failed call, so that it does not count as load. */
const REST_MS = 100;

// As in tools/full/scale.mjs: these parts belong to the tests, in TypeScript.
const sources = await startLoader();
const { startPostgres } = await sources.load("records/src/testing/postgres.ts");
const { startBalancer } = await sources.load("cli/src/testing/fleet/balancer.ts");
const { fleetFiles, startServe, startUpstream } = await sources.load(
  "cli/src/testing/fleet/processes.ts",
);
const { recordsByText } = await sources.load("cli/src/testing/fleet/kill-round.ts");
const { connectCaller } = await sources.load("cli/src/testing/fleet/sdk-callers.ts");
const { openPlace, verifyActivity } = await import("@touchstone/gateway/activity");

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls one tool after another until `until`; notes each call with its end and its delay. */
async function callUntil(client, at, until, calls) {
  for (let count = 0; performance.now() < until; count += 1) {
    // A row of digits could be taken for a card number, and redacted.
    const text = `call ${count} of client ${at}, until ${Math.round(until)}`;
    const began = performance.now();
    let failure;
    try {
      const echo = await client.call(TOOL, text);
      if (echo !== text) failure = "another answer";
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const ended = performance.now();
    calls.push({ text, failure, ended, ms: ended - began });
    if (failure !== undefined) await pause(REST_MS);
  }
}

function quantile(sorted, part) {
  return sorted.length === 0 ? 0 : sorted[Math.floor((sorted.length - 1) * part)];
}

function line(what, calls, ms) {
  const answered = calls.filter(({ failure }) => failure === undefined);
  const delays = answered.map((call) => call.ms).sort((a, b) => a - b);
  const at = (part) => quantile(delays, part).toFixed(1);
  console.log(
    `${what}: ${(answered.length / (ms / 1000)).toFixed(0)} calls/s, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ` +
      `p99 ${at(0.99)} ms, longest ${at(1)} ms, ${calls.length - answered.length} errors`,
  );
}

const postgres = values.store === undefined ? await startPostgres() : undefined;
if (typeof postgres === "string") throw new Error(`PostgreSQL does not start: ${postgres}`);
const store = values.store ?? (await postgres.database());
const running = [];
let files;
try {
  const upstream = await startUpstream(0);
  running.push(upstream);
  // The text of a call, by which its record is found.
  files = fleetFiles(store, upstream.url, { activity: { store, bodies: true } });
  const serving = await Promise.all(
    Array.from({ length: gateways }, () => startServe(files, values.mode)),
  );
  running.push(...serving);
  const balancer = await startBalancer(
    serving.map(({ url }) => url),
    { safeTools: new Set([TOOL]), sent: () => {} },
  );
  const callers = await Promise.all(
    Array.from({ length: clients }, (_, at) =>
      connectCaller(balancer.url, at % 2 === 0 ? "2026-07-28" : "2025-11-25"),
    ),
  );
  const run = async (ms) => {
    const calls = [];
    const until = performance.now() + ms;
    await Promise.all(callers.map((caller, at) => callUntil(caller, at, until, calls)));
    return calls;
  };
  const warmUp = await run(WARM_UP_MS);

  const [{ model }] = cpus();
  console.log(
    `${cpus().length} cores ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}, Node ${process.version}`,
  );
  console.log(`${gateways} gateways in ${values.mode}, ${clients} clients, ${seconds} s`);
  const began = performance.now();
  let killed;
  const [calls] = await Promise.all([
    run(seconds * 1000),
    values.kill &&
      pause(seconds * 500).then(async () => {
        killed = performance.now();
        await serving[0].end("SIGKILL");
      }),
  ]);
  const ended = Math.max(...calls.map((call) => call.ended));
  line("all", calls, ended - began);
  if (killed !== undefined) {
    line(
      "until one was killed",
      calls.filter((call) => call.ended <= killed),
      killed - began,
    );
    line(
      "after that",
      calls.filter((call) => call.ended > killed),
      ended - killed,
    );
    console.log(`the balancer sent ${balancer.retried} requests a second time`);
  }
  const failures = new Set(calls.flatMap(({ failure }) => failure ?? []));
  for (const failure of [...failures].slice(0, 5)) console.log(`error: ${failure}`);

  await Promise.all(callers.map((caller) => caller.close()));
  await Promise.all(serving.map(({ end }) => end("SIGTERM")));
  await balancer.close();
  const reader = await openPlace({ url: store }).reader();
  const records = await recordsByText(reader);
  const report = await verifyActivity(reader);
  await reader.close();
  const answered = [...warmUp, ...calls].filter(({ failure }) => failure === undefined);
  const lost = answered.filter(({ text }) => !records.has(text));
  console.log(
    `${answered.length} answered calls, ${lost.length} without a record; ${report.records} records in ${report.chains} chains, ${report.ok ? "which verify" : "which do not verify"}`,
  );
  if (lost.length > 0 || !report.ok) process.exitCode = 1;
} finally {
  await Promise.all(running.map(({ end }) => end("SIGKILL")));
  files?.remove();
  await postgres?.stop();
  await sources.close();
}
