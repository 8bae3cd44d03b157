// Measures calls through the relay while other processes read the records that it writes: `touchstone wrap` on stdio
// next to the commands, and `touchstone serve` next to its own API, which runs on a thread. Slices with and without a
// reader take turns, so that other load on the machine affects both.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { httpClient, stdioClient } from "../gateway/clients.mjs";
import { said, start, stop, TOUCHSTONE, temporary, UPSTREAM } from "../gateway/processes.mjs";
import { callText, isAnswer, toolName } from "../gateway/tools.mjs";
import { cpu } from "../gateway/usage.mjs";
import { progress, table } from "../timing.mjs";
import { commands, questions } from "./readers.mjs";

const TOOL = toolName(1, true);
const SLICE_MS = 1500;
const WARM_UP_MS = 3000;
/** How long a caller waits after a response: without a pause, calls use up the processors. */
const PAUSE_MS = 2;
const WITHIN = 1.5;

let ids = 0;

/** Makes calls, `inFlight` at a time, until the work is over; adds the latency of each. */
async function callsBeside(client, inFlight, work, latencies) {
  let running = true;
  const caller = async () => {
    while (running) {
      ids += 1;
      const id = ids;
      const sent = performance.now();
      const text = await client.request(id, callText(id, TOOL));
      latencies.push(performance.now() - sent);
      if (!isAnswer(text, id)) throw new Error(`call ${id} got another answer: ${text}`);
      await pause(PAUSE_MS);
    }
  };
  const calling = Promise.all(Array.from({ length: inFlight }, caller));
  await Promise.race([work, calling]);
  running = false;
  await calling;
}

/** Returns the MCP server behind the hop, which is its only child. Only Linux reports it, and processor use. */
function serverOf({ pid }) {
  try {
    return { pid: readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim() };
  } catch {
    return undefined;
  }
}

const WHO = ["hop", "client", "server"];

/** Latencies and processor use, summed over slices. */
class Slices {
  latencies = [];
  ms = 0;
  used = { hop: 0, client: 0, server: 0 };

  async add({ child, client }, inFlight, work) {
    const all = { hop: child, client: process, server: serverOf(child) };
    const before = Object.fromEntries(WHO.map((who) => [who, cpu(all[who])]));
    const began = performance.now();
    await callsBeside(client, inFlight, work, this.latencies);
    this.ms += performance.now() - began;
    for (const who of WHO) this.used[who] += cpu(all[who]) - before[who];
  }

  quantile(q) {
    return this.latencies.toSorted((a, b) => a - b)[Math.floor((this.latencies.length - 1) * q)];
  }

  percent(who) {
    return ((this.used[who] / this.ms) * 100).toFixed(0);
  }
}

const HEAD = [
  ...["in flight", "beside", "calls", "alone p50 ms", "p50 ms", "alone p99 ms", "p99 ms"],
  ...["p50 ÷ alone", "p99 ÷ alone", ...WHO.map((who) => `${who} CPU %`), `within ${WITHIN}`],
];

function rowOf(inFlight, name, alone, beside) {
  const ratio = (q) => beside.quantile(q) / alone.quantile(q);
  return [
    ...[inFlight, name, beside.latencies.length],
    ...[0.5, 0.99].flatMap((q) => [alone, beside].map((each) => each.quantile(q).toFixed(3))),
    ...[0.5, 0.99].map((q) => ratio(q).toFixed(2)),
    ...WHO.map((who) => `${alone.percent(who)} → ${beside.percent(who)}`),
    ratio(0.99) <= WITHIN ? "yes" : "no",
  ];
}

async function measure(title, way, { inFlights, slices }) {
  await way.client.open();
  await callsBeside(way.client, 8, pause(WARM_UP_MS), []);
  const rows = [];
  for (const inFlight of inFlights) {
    const found = Object.entries(way.beside).map(([name, reader]) => {
      return { name, reader, alone: new Slices(), beside: new Slices() };
    });
    for (let slice = 0; slice < slices; slice += 1) {
      for (const { name, reader, alone, beside } of found) {
        progress(`${title}, ${inFlight} in flight, slice ${slice + 1}, ${name}`);
        await alone.add(way, inFlight, pause(SLICE_MS));
        await reader.begin?.();
        await beside.add(way, inFlight, reader.slice(SLICE_MS));
      }
    }
    for (const { name, alone, beside } of found) rows.push(rowOf(inFlight, name, alone, beside));
  }
  progress("");
  way.client.close();
  await stop(way.child);
  console.log(`## ${title}\n`);
  table(HEAD, rows);
}

function openWrap(dataDir) {
  const where = ["--name", "bench", "--data-dir", dataDir];
  const child = start([TOUCHSTONE, "wrap", ...where, "--", process.execPath, UPSTREAM, "stdio"]);
  return { child, client: stdioClient(child), beside: commands(dataDir) };
}

async function openServe(dataDir) {
  const config = join(temporary(), "touchstone.json");
  const entry = { command: process.execPath, args: [UPSTREAM, "stdio"] };
  writeFileSync(config, JSON.stringify({ mcpServers: { bench: entry } }));
  const where = ["--config", config, "--data-dir", dataDir, "--listen", "127.0.0.1:0"];
  const child = start([TOUCHSTONE, "serve", ...where]);
  const url = await said(child, child.stderr, /bench: (http:\S+)\n/);
  return { child, client: httpClient(url), beside: questions(url) };
}

/** Prints the figures of calls alone and with each reader of the records in `dataDir`. */
export async function measureCalls(dataDir, settings) {
  await measure("Calls through touchstone wrap", openWrap(dataDir), settings);
  await measure("Calls through touchstone serve", await openServe(dataDir), settings);
}
