// Measures the memory of a hop's process over many calls.
import { progress, table } from "../timing.mjs";
import { load } from "./load.mjs";
import { stop } from "./processes.mjs";
import { toolName } from "./tools.mjs";
import { usage } from "./usage.mjs";

const PARTS = 5;
const IN_FLIGHT = 64;

/** Prints the growth of each way's process; returns false if this system does not report it. */
export async function measureGrowth(transport, ways, calls) {
  const rows = [];
  for (const name of ["relay", "warn"]) {
    const { child, client } = await ways[name]();
    await client.open();
    // What is created only once does not count as growth: code, caches, pools.
    await load(client, toolName(1, true), IN_FLIGHT, { calls: Math.ceil(calls / PARTS) });
    const from = usage(child);
    if (from === undefined) return false;
    const cells = [name, from.mb.toFixed(1)];
    let at = from;
    for (let part = 1; part <= PARTS; part += 1) {
      progress(`${transport}, memory of ${name}, part ${part} of ${PARTS}`);
      await load(client, toolName(1, true), IN_FLIGHT, { calls: Math.ceil(calls / PARTS) });
      at = usage(child);
      cells.push((at.mb - from.mb).toFixed(1));
    }
    rows.push([...cells, at.open - from.open]);
    client.close();
    await stop(child);
  }
  progress("");
  const parts = Array.from(
    { length: PARTS },
    (_, i) => `+ MB at ${Math.ceil(calls / PARTS) * (i + 1)}`,
  );
  console.log(`## Memory, ${transport}: resident, ${IN_FLIGHT} in flight, 1 KB\n`);
  table(
    ["way", `MB after ${Math.ceil(calls / PARTS)} to warm up`, ...parts, "+ descriptors"],
    rows,
  );
  return true;
}
