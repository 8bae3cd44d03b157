// Measures the time from the start of a process to its first responses.
import { median, progress, table } from "../timing.mjs";
import { rotated } from "./load.mjs";
import { stop } from "./processes.mjs";
import { toolName } from "./tools.mjs";

const MOST_MS = 300;

/** Returns the milliseconds to the response to `initialize`, and to the first result of a tool. */
async function timed(way) {
  const started = performance.now();
  const { child, client } = await way();
  await client.open();
  const first = performance.now() - started;
  await client.call(1, toolName(1, true));
  const called = performance.now() - started;
  client.close();
  if (child !== undefined) await stop(child);
  return { first, called };
}

/** Prints one table for the ways of a transport; extra time is relative to the first of them. */
export async function measureStarts(transport, ways, starts) {
  const all = Object.entries(ways);
  const times = new Map(all.map(([name]) => [name, []]));
  for (let round = 0; round < starts; round += 1) {
    progress(`${transport}, start ${round + 1} of ${starts}`);
    for (const [name, way] of rotated(all, round)) times.get(name).push(await timed(way));
  }
  progress("");
  const figure = (name, key) => median(times.get(name).map((time) => time[key]));
  const [[base]] = all;
  console.log(`## Start, ${transport} (medians of ${starts})\n`);
  table(
    [
      "way",
      "first answer ms",
      "first tool result ms",
      "first answer beyond direct ms",
      `under ${MOST_MS}`,
    ],
    all.map(([name]) => {
      const beyond = figure(name, "first") - figure(base, "first");
      const times = [figure(name, "first"), figure(name, "called"), beyond];
      const ours = name === "warn" || name === "off";
      const verdict = ours ? (beyond < MOST_MS ? "yes" : "no") : "";
      return [name, ...times.map((time) => time.toFixed(0)), verdict];
    }),
  );
}
