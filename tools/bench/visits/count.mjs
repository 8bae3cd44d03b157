// Counts what the main thread of `touchstone wrap` runs for a valid call of a tool: strict, recorded, over stdio. Every
// call is checked and recorded alike, so the counts do not depend on the machine.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stdioClient } from "../gateway/clients.mjs";
import { load } from "../gateway/load.mjs";
import { startWithChannel, stop, temporary, UPSTREAM } from "../gateway/processes.mjs";
import { toolName } from "../gateway/tools.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PACKAGES = path("../../../packages/");

/** Calls before the counted ones: what is done once is done. */
const WARM_UP = 10;
const CALLS = 40;
/** What runs this often runs for each call; timers and the like run less often. */
const LEAST = CALLS * 0.9;

/** Facts that are looked up, and the functions that do it. */
const LOOK_UPS = {
  settings: ["gateway/upstreams/server-context.js", "snapshot"],
  revision: ["protocol/revisions/revisions.js", "revisionOf"],
  policy: ["gateway/pipeline/exchange.js", "#policyOf"],
  method: ["protocol/read.js", "get method"],
};

/**
 * @returns the files in which functions run for each call, with those functions and how often each runs in a call; the
 *   same for the functions that look up facts. A call is two messages
 */
export async function countVisits() {
  const child = startWithChannel([
    ...["--import", path("./single-modules.mjs"), "--import", path("./counter.mjs")],
    ...[`${PACKAGES}cli/build/main.js`, "wrap", "--name", "bench", "--mode", "strict"],
    ...["--data-dir", temporary(), "--", process.execPath, UPSTREAM, "stdio"],
  ]);
  const client = stdioClient(child);
  const counted = async () => {
    const [answer] = await Promise.all([once(child, "message"), child.send("count")]);
    return answer[0];
  };
  try {
    await client.open();
    await load(client, toolName(1, true), 1, { calls: WARM_UP });
    await counted();
    await load(client, toolName(1, true), 1, { calls: CALLS });
    return visitsOf(await counted());
  } finally {
    client.close();
    await stop(child);
  }
}

function visitsOf(counts) {
  const files = counts
    .map(({ file, functions }) => ({
      file,
      functions: functions
        .filter(({ count }) => count >= LEAST)
        .map(({ name, at, count }) => ({ name: name || excerpt(file, at), calls: count / CALLS })),
    }))
    .filter(({ functions }) => functions.length > 0)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  const lookUps = Object.entries(LOOK_UPS).map(([fact, [file, name]]) => {
    const functions = files.find((one) => one.file === file)?.functions ?? [];
    return [fact, functions.find((one) => one.name === name)?.calls ?? 0];
  });
  return { files, lookUps: Object.fromEntries(lookUps) };
}

/** Returns the beginning of a function without a name. */
function excerpt(file, at) {
  const source = readFileSync(PACKAGES + file.replace("/", "/build/"), "utf8");
  return source.slice(at, at + 40).replace(/\s+/g, " ");
}
