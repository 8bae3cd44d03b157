// Readers of the records that run at the same time as calls, one slice of time after another. Each has `slice(ms)`,
// which resolves after that time, or earlier if the work is short; some have a `begin()` to be called first.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openActivityReader } from "@touchstone/gateway/activity";
import { start, TOUCHSTONE } from "../gateway/processes.mjs";

const ASK = fileURLToPath(new URL("./ask.mjs", import.meta.url));
const PRUNED = 2000;
const START_MS = 1000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function command(dataDir, args) {
  const child = start([TOUCHSTONE, "activity", ...args, "--data-dir", dataDir]);
  child.stdout.resume();
  return { child, ended: once(child, "close") };
}

async function whole({ child, ended }) {
  const [code] = await ended;
  if (code !== 0)
    throw new Error(`${child.spawnargs.join(" ")} ended with ${code}: ${child.errors}`);
}

/** A command that runs from start to end in each slice. */
const short = (dataDir, args) => ({
  slice: async () => whole(command(dataDir, await args())),
});

/**
 * A command that takes much longer than a slice: its start does not count, and it is ended with the slice. If it were
 * only stopped until the next slice, it would hold the lock of the database.
 */
function long(dataDir, args) {
  let running;
  return {
    async begin() {
      running = command(dataDir, args);
      await pause(START_MS);
    },
    async slice(ms) {
      const isOver = await Promise.race([whole(running).then(() => true), pause(ms)]);
      if (isOver) return;
      running.child.kill("SIGKILL");
      await running.ended;
    },
  };
}

async function tooMany(dataDir) {
  const reader = await openActivityReader({ dataDir });
  const { records } = await reader.usage();
  await reader.close();
  return String(records - PRUNED);
}

/** The commands by name, each in a separate process. */
export const commands = (dataDir) => ({
  summary: short(dataDir, () => ["summary", "--period", "60d"]),
  prune: short(dataDir, async () => ["prune", "--max-records", await tooMany(dataDir)]),
  export: long(dataDir, ["export"]),
  verify: long(dataDir, ["verify"]),
});

/** The requests to the gateway's own API, by name. A long response is read until the slice ends. */
export function questions(url) {
  const ask = (path) => ({
    slice(ms) {
      const child = start([ASK, String(new URL(`/api/v1/activity${path}`, url)), String(ms)]);
      return whole({ child, ended: once(child, "close") });
    },
  });
  return {
    "GET /summary": ask("/summary"),
    "GET /export": ask("/export"),
    "GET /rollout": ask("/rollout"),
  };
}
