// Measures the processor time of a call in the hop, for several ways in turns. Load on the machine changes it little.
import { progress } from "../timing.mjs";
import { load, rotated } from "./load.mjs";
import { stop } from "./processes.mjs";
import { toolName } from "./tools.mjs";
import { spentBetween, threadTimes } from "./usage.mjs";

const IN_FLIGHT = 16;
/** Calls of a round, by KB of the result. */
const CALLS = { 1: 2000, 10: 1000, 100: 250 };
/** Calls of each size before the first round: V8 has compiled a hop after some thousands. */
const WARM_UP = { 1: 6000, 10: 1000, 100: 250 };

/** Longer than the pause after which the gateway moves its records to the database. */
const QUIET_MS = 300;
/** A process that uses less processor time than this during the pause is idle. */
const IDLE_MS = 6;

/** Waits until a process is idle. @returns its times at that moment */
async function settled(child) {
  for (let last = threadTimes(child); ; ) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const now = threadTimes(child);
    if (!(spentBetween(last, now) >= IDLE_MS)) return now;
    last = now;
  }
}

async function openAll(ways, title) {
  const open = [];
  for (const [name, way] of ways) {
    const { child, client } = await way();
    await client.open();
    for (const [size, calls] of Object.entries(WARM_UP)) {
      progress(`${title}, ${name}: warming up, ${size} KB`);
      await load(client, toolName(size, true), IN_FLIGHT, { calls });
    }
    await settled(child);
    open.push({ name, child, client });
  }
  return open;
}

/** Returns the processor time of a call in microseconds, including the work that the hop defers. */
async function timeOf({ child, client }, size) {
  const before = threadTimes(child);
  await load(client, toolName(size, true), IN_FLIGHT, { calls: CALLS[size] });
  return (spentBetween(before, await settled(child)) * 1000) / CALLS[size];
}

/**
 * Measures calls of a tool with schemas: all threads of the hop, 16 calls in flight.
 * @param ways name and opener of each, as `stdioWays` returns them
 * @returns the times of each round in microseconds, by size and way; NaN for a round in which a thread ended
 */
export async function callTimes(title, ways, sizes, rounds) {
  const open = await openAll(ways, title);
  const times = new Map(sizes.map((size) => [size, new Map(ways.map(([name]) => [name, []]))]));
  try {
    for (const size of sizes) {
      for (let round = 0; round < rounds; round += 1) {
        for (const way of rotated(open, round)) {
          progress(`${title}, ${size} KB, round ${round + 1} of ${rounds}: ${way.name}`);
          times.get(size).get(way.name)[round] = await timeOf(way, size);
        }
      }
    }
  } finally {
    for (const { child, client } of open) {
      client.close();
      await stop(child);
    }
    progress("");
  }
  return times;
}
