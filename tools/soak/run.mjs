import { rmSync } from "node:fs";
import { disturb } from "./disturb.mjs";
import { Ledger } from "./ledger.mjs";
import { Lines } from "./lines.mjs";
import { comesTrue, compareUsage, measure } from "./measure.mjs";
import { makePeers } from "./peers.mjs";
import { processesWith } from "./processes.mjs";
import { Random } from "./random.mjs";
import { followEvents, readPages } from "./readers.mjs";
import { compareEvents, compareRecords, readRecords } from "./records.mjs";
import { Topology } from "./topology.mjs";
import { everything, traffic } from "./traffic.mjs";

/** Share of the time that passes before the first measurement. */
const WARM = 0.2;

/**
 * Runs a soak.
 *
 * @param {{minutes: number, seed: number, rate: number}} options `rate` in actions a second
 * @param {(text: string) => void} told receives the progress, for a terminal
 * @returns {Promise<object>} what was sent, recorded and used; `faults` is empty if all is well
 */
export async function runSoak({ minutes, seed, rate }, told = () => {}) {
  const ledger = new Ledger();
  const lines = new Lines();
  const onLine = (name, line) => {
    lines.take(name, line);
  };
  const topology = new Topology(onLine);
  const own = { ledger, onLine };
  const soak = { ...own, topology, random: new Random(seed), rate, peers: [] };
  try {
    told("starting");
    await topology.start();
    // Clients have their own random numbers, so that the pace of one part does not change those of another.
    soak.peers = makePeers(topology, { ...own, random: new Random(seed + 1) });
    await Promise.all(soak.peers.map((peer) => peer.open()));
    told("each action once");
    for (const peer of soak.peers) await ended(soak, everything(peer));
    const ms = minutes * 60_000;
    await phase(soak, ms * WARM, told);
    const before = await measure(soak);
    const first = { entries: ledger.entries.length };
    const done = await phase(soak, ms * (1 - WARM), told);
    told("settling");
    const after = await measure(soak, before);
    compareUsage(ledger, before, after);
    await stop(soak);
    told("reading the records");
    const records = await readRecords(topology.dataDir, topology.directory, ledger);
    const compared = compareRecords(ledger, records);
    compareEvents(ledger, records, done.events.seen);
    for (const { count, first: line } of lines.unexpected.values()) {
      ledger.fault("stderr", `${count} × ${line}`);
    }
    return result({ ledger, lines, before, after, records, compared, done, warm: first.entries });
  } finally {
    for (const { pid } of processesWith(topology.run)) kill(pid);
    topology.serve?.kill("SIGKILL");
    rmSync(topology.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs traffic, disturbances and readers side by side. */
async function phase(soak, ms, told) {
  const { ledger } = soak;
  const began = performance.now();
  const until = began + ms;
  const tell = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    const { entries, underWay } = ledger;
    told(
      `${left} s left, ${entries.length} sent, ${underWay} under way, ${ledger.counts.size} kinds of fault`,
    );
  };
  const stray = { ...soak, random: new Random(soak.random.whole(0, 2 ** 31)) };
  const reading = { ...soak, random: new Random(soak.random.whole(0, 2 ** 31)) };
  const [active, disturbances, pages, events] = await Promise.all([
    traffic(soak, until, tell),
    disturb(stray, until),
    readPages(reading, until),
    followEvents(reading, until),
  ]);
  await ended(soak, Promise.all(active));
  return { disturbances, pages, events };
}

/**
 * Waits for actions, for as long as requests may take. Then reports requests without a response, and stops waiting
 * for them.
 */
async function ended({ ledger }, acting) {
  let over = false;
  const all = acting.then(() => {
    over = true;
  });
  if (await comesTrue(() => over)) return;
  ledger.giveUp();
  await all;
}

/** Ends clients and gateway in an orderly way. */
async function stop({ topology, peers, ledger }) {
  for (const peer of peers) {
    const code = await peer.close();
    if (peer.transport === "stdio" && code !== 0)
      ledger.fault("exit code", `${peer.name}: ${code}`);
  }
  // Nothing else keeps the process alive, but an open channel to its parent would.
  topology.serve.disconnect();
  topology.serve.kill("SIGTERM");
  const code = await topology.serve.exited;
  if (code !== 0) ledger.fault("exit code", `serve: ${code}`);
  topology.web.stdin.end();
  await topology.web.exited;
  const left = async () => processesWith(topology.run).length === 0;
  if (await comesTrue(left)) return;
  const commands = processesWith(topology.run).map(({ command }) => command);
  ledger.fault("children", `left behind: ${commands.join("; ")}`);
}

function result({ ledger, lines, before, after, records, compared, done, warm }) {
  const states = new Map();
  const actions = new Map();
  const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { state, answer, action } of ledger.entries) {
    add(states, state === "answered" ? `answered: ${answer}` : state);
    add(actions, action.name);
  }
  return {
    sent: ledger.entries.length,
    warm,
    ended: Object.fromEntries(states),
    actions: Object.fromEntries(actions),
    disturbances: Object.fromEntries(done.disturbances),
    read: {
      pages: done.pages,
      events: done.events.seen.length,
      connections: done.events.connections,
    },
    records: { all: records.all, ...compared, verified: records.verified },
    usage: { before: before.usage, after: after.usage },
    processes: { before: before.processes, after: after.processes },
    lines: lines.total,
    counts: Object.fromEntries(ledger.counts),
    faults: ledger.faults,
  };
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
