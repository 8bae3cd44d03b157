// Measures latency and throughput of each way, in turns, compared with a bare relay.
import { median, progress, table } from "../timing.mjs";
import { load, rotated } from "./load.mjs";
import { stop } from "./processes.mjs";
import { SIZES, toolName } from "./tools.mjs";
import { cpu } from "./usage.mjs";

/** The rows: name, the way taken, and whether the tool has schemas. */
const SUBJECTS = [
  { name: "direct", way: "direct", checked: true },
  { name: "bare relay", way: "relay", checked: true },
  { name: "recording relay", way: "recording", checked: true },
  { name: "warn, schemas", way: "warn", checked: true },
  { name: "off", way: "off", checked: true },
  { name: "warn, no schema", way: "warn", checked: false },
];

/** Returns whether a row has budgets: checks with schemas in warn, 16 calls in flight. */
const isBudgeted = ({ name }, inFlight) => name === "warn, schemas" && inFlight === 16;

/** Lowest throughput allowed relative to the relay's, by transport and size in KB. */
const LEAST_RATE = {
  stdio: { 1: 0.7, 10: 0.8, 100: 0.95 },
  http: { 1: 0.85, 10: 0.85, 100: 0.85 },
};

/**
 * Maximum processor time of the hop per call of 1 KB over stdio, in microseconds: immediate work, and deferred work.
 */
const MOST_CPU = { cpu: 25, later: 20 };

/** How many times longer the warm-up with small results takes: most calls are of these. */
const SMALL_RESULTS = 4;

/** Opens each way, and sends calls until it is warm: V8 has compiled a hop after some 5,000 to 8,000 calls. */
async function openWays(ways, plain, warmUpMs) {
  const open = new Map();
  for (const [name, way] of Object.entries(ways)) {
    const { child, client } = await way();
    await client.open();
    open.set(name, { child, client });
    for (const size of SIZES) {
      const ms = size === 1 ? SMALL_RESULTS * warmUpMs : warmUpMs;
      await load(client, toolName(size, true), 16, { ms });
      if (plain) await load(client, toolName(size, false), 16, { ms });
    }
  }
  return open;
}

async function closeWays(open) {
  for (const { child, client } of open.values()) {
    client.close();
    if (child !== undefined) await stop(child);
  }
}

/** Longer than the pause after which a hop does its deferred work. */
const QUIET_MS = 300;

/** Waits until all hops are idle: deferred work of one hop must not disturb the next. */
async function settled(open) {
  const spent = () => [...open.values()].reduce((sum, { child }) => sum + (cpu(child) ?? 0), 0);
  for (let before = spent(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const now = spent();
    if (!(now - before > QUIET_MS / 50)) return;
    before = now;
  }
}

/** Returns the median over the rounds of a figure divided by the relay's in the same round. */
const beside = (runs, relay, figure) =>
  median(runs.map((run, i) => run[figure] / relay[i][figure]));

/** Compares the figures of a row with its budgets. */
function compare(transport, size, { rate, cpu, later }) {
  const least = LEAST_RATE[transport][size];
  const rates = { isMet: rate >= least, text: `≥ ${least}` };
  if (transport !== "stdio" || size !== 1) return [rates];
  const { cpu: most, later: mostLater } = MOST_CPU;
  const isMet = cpu <= most && later <= mostLater;
  return [rates, { isMet, text: `≤ ${most} µs + ${mostLater} µs` }];
}

function rowOf(transport, { size, inFlight }, subject, runs, relay) {
  const figure = (name) => median(runs.map((run) => run[name]));
  const latency = beside(runs, relay, "p50");
  const rate = beside(runs, relay, "rate");
  const budgets = isBudgeted(subject, inFlight)
    ? compare(transport, size, { rate, cpu: figure("cpu"), later: figure("later") })
    : [];
  return {
    budgets,
    cells: [
      `${size} KB`,
      inFlight,
      subject.name,
      figure("p50").toFixed(3),
      figure("p99").toFixed(3),
      figure("rate").toFixed(0),
      latency.toFixed(2),
      rate.toFixed(2),
      ...(Number.isNaN(figure("cpu"))
        ? ["", "", ""]
        : [
            figure("cpu").toFixed(0),
            beside(runs, relay, "cpu").toFixed(2),
            figure("later").toFixed(0),
          ]),
      budgets.map(({ isMet, text }) => `${isMet ? "yes" : "no"} (${text})`).join(", "),
    ],
  };
}

/**
 * Measures one transport, `stdio` or `http`; prints its table, and how many budgets are met.
 * @param plain whether there are tools without schemas to call
 */
export async function measureHops(
  title,
  ways,
  plain,
  { transport, rounds, ms, warmUpMs, inFlights },
) {
  const open = await openWays(ways, plain, warmUpMs);
  const subjects = SUBJECTS.filter(({ way, checked }) => way in ways && (checked || plain));
  const rows = [];
  try {
    for (const size of SIZES) {
      for (const inFlight of inFlights) {
        const runs = new Map(subjects.map(({ name }) => [name, []]));
        for (let round = 0; round < rounds; round += 1) {
          progress(`${title}, ${size} KB, ${inFlight} in flight, round ${round + 1}`);
          for (const { name, way, checked } of rotated(subjects, round)) {
            const { client, child } = open.get(way);
            const hop = way === "direct" ? undefined : child;
            const before = cpu(hop);
            const run = await load(client, toolName(size, checked), inFlight, { ms });
            const during = cpu(hop) - before;
            await settled(open);
            const later = cpu(hop) - before - during;
            const perCall = (milliseconds) => (milliseconds * 1000) / run.calls;
            runs.get(name).push({ ...run, cpu: perCall(during), later: perCall(later) });
          }
        }
        for (const subject of subjects) {
          const { [subject.name]: own, "bare relay": relay } = Object.fromEntries(runs);
          rows.push(rowOf(transport, { size, inFlight }, subject, own, relay));
        }
      }
    }
  } finally {
    await closeWays(open);
  }
  progress("");
  console.log(`## ${title}\n`);
  table(
    [
      "result",
      "in flight",
      "way",
      "p50 ms",
      "p99 ms",
      "calls/s",
      "latency ÷ relay",
      "calls/s ÷ relay",
      "hop CPU µs/call",
      "CPU ÷ relay",
      "later µs/call",
      "within budget",
    ],
    rows.map(({ cells }) => cells),
  );
  const budgets = rows.flatMap((row) => row.budgets);
  const met = budgets.filter(({ isMet }) => isMet).length;
  console.log(`${met} of ${budgets.length} budgets met.\n`);
}
