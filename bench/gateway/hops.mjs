// Latency and throughput of each way, in turns, beside a bare relay.
import { median, progress, table } from "../timing.mjs";
import { load, rotated } from "./load.mjs";
import { stop } from "./processes.mjs";
import { SIZES, toolName } from "./tools.mjs";
import { cpu } from "./usage.mjs";

/** What is measured: its name, the way it takes, whether the tool has schemas, and its targets. */
const SUBJECTS = [
  { name: "direct", way: "direct", checked: true },
  { name: "bare relay", way: "relay", checked: true },
  { name: "recording relay", way: "recording", checked: true },
  { name: "warn, schemas", way: "warn", checked: true, latency: 1.25, rate: 0.8 },
  { name: "off", way: "off", checked: true, latency: 1.05, rate: 0.95 },
  { name: "warn, no schema", way: "warn", checked: false, latency: 1.05, rate: 0.95 },
];

/** How much longer small results are asked for to warm up: most calls are of these. */
const SMALL_RESULTS = 4;

/** Opens each way, and uses it until it is warm: V8 has compiled a hop after some 5,000 to 8,000 calls. */
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

/** Longer than the pause in which a hop does what it has put off. */
const QUIET_MS = 300;

/** Waits until no hop does anything: what one has put off must not disturb the next. */
async function settled(open) {
  const spent = () => [...open.values()].reduce((sum, { child }) => sum + (cpu(child) ?? 0), 0);
  for (let before = spent(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const now = spent();
    if (!(now - before > QUIET_MS / 50)) return;
    before = now;
  }
}

/** The median over the rounds of a figure beside the relay's in the same round. */
const beside = (runs, relay, figure) =>
  median(runs.map((run, i) => run[figure] / relay[i][figure]));

function rowOf(where, subject, runs, relay) {
  const figure = (name) => median(runs.map((run) => run[name]));
  const latency = beside(runs, relay, "p50");
  const rate = beside(runs, relay, "rate");
  const { latency: most, rate: least } = subject;
  const within = latency <= most && rate >= least;
  return {
    within: most === undefined ? undefined : within,
    cells: [
      ...where,
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
      most === undefined ? "" : `${within ? "yes" : "no"} (≤ ${most}, ≥ ${least})`,
    ],
  };
}

/**
 * Measures one transport; prints its table, and how many rows are within their targets.
 * @param plain whether tools without schemas are there to be called
 */
export async function measureHops(transport, ways, plain, { rounds, ms, warmUpMs, inFlights }) {
  const open = await openWays(ways, plain, warmUpMs);
  const subjects = SUBJECTS.filter(({ way, checked }) => way in ways && (checked || plain));
  const rows = [];
  try {
    for (const size of SIZES) {
      for (const inFlight of inFlights) {
        const runs = new Map(subjects.map(({ name }) => [name, []]));
        for (let round = 0; round < rounds; round += 1) {
          progress(`${transport}, ${size} KB, ${inFlight} in flight, round ${round + 1}`);
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
          const where = [`${size} KB`, inFlight];
          rows.push(rowOf(where, subject, runs.get(subject.name), runs.get("bare relay")));
        }
      }
    }
  } finally {
    await closeWays(open);
  }
  progress("");
  console.log(`## ${transport}\n`);
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
      "in target",
    ],
    rows.map(({ cells }) => cells),
  );
  const judged = rows.filter(({ within }) => within !== undefined);
  const met = judged.filter(({ within }) => within).length;
  console.log(`${met} of ${judged.length} rows within their targets.\n`);
}
