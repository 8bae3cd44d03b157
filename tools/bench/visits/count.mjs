// Counts what the main thread of a gateway runs for a valid call of a tool: strict, recorded, of a stdio server. Every
// call is checked and recorded alike, so the counts do not depend on the machine.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stdioClient } from "../gateway/clients.mjs";
import { load } from "../gateway/load.mjs";
import { said, startWithChannel, stop, temporary, UPSTREAM } from "../gateway/processes.mjs";
import { callArguments, isAnswer, toolName } from "../gateway/tools.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PACKAGES = path("../../../packages/");

/** Calls before the counted ones: they do what is done only once. */
const WARM_UP = 10;
const CALLS = 40;
/** Functions that run this often run for each call; timers and the like run less often. */
const LEAST = CALLS * 0.9;

/** Facts that are looked up, and the functions that do it. */
const LOOK_UPS = {
  settings: ["gateway/relay/server-context.js", "snapshot"],
  revision: ["protocol/revisions/revisions.js", "revisionOf"],
  policy: ["gateway/pipeline/exchange.js", "#policyOf"],
  method: ["protocol/read.js", "get method"],
};

/**
 * Counts a call over stdio (`touchstone wrap`).
 * @returns the files in which functions run for each call, with those functions and how often each runs in a call; the
 *   same for the functions that look up facts. A call is two messages
 */
export async function countVisits() {
  const child = startCounted([
    ...["wrap", "--name", "bench", "--mode", "strict", "--data-dir", temporary()],
    ...["--", process.execPath, UPSTREAM, "stdio"],
  ]);
  const client = stdioClient(child);
  await client.open();
  return visitsBy(child, client);
}

/** Counts a call of the tools API (`touchstone serve`), as {@link countVisits} does. */
export async function countToolsApiVisits() {
  const entry = { command: process.execPath, args: [UPSTREAM, "stdio"] };
  const config = join(temporary(), "touchstone.json");
  const settings = { mcpServers: { bench: entry }, http: { allow_execute: true } };
  writeFileSync(config, JSON.stringify(settings));
  const where = ["--config", config, "--data-dir", temporary(), "--listen", "127.0.0.1:0"];
  const child = startCounted(["serve", ...where, "--mode", "strict"]);
  const gateway = await said(child, child.stderr, /bench: (http:\/\/[^/\s]+)\S*\n/);
  const call = async (id, tool) => {
    const response = await fetch(`${gateway}/servers/bench/tools/${tool}/call`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(callArguments(id)),
    });
    const text = await response.text();
    if (!isAnswer(text, id)) throw new Error(`call ${id} got another answer: ${text}`);
  };
  return visitsBy(child, { call, close: () => {} });
}

/** Starts a command whose functions are counted. */
const startCounted = (args) =>
  startWithChannel([
    ...["--import", path("./single-modules.mjs"), "--import", path("./counter.mjs")],
    ...[`${PACKAGES}cli/build/main.js`, ...args],
  ]);

async function visitsBy(child, client) {
  const counted = async () => {
    const [answer] = await Promise.all([once(child, "message"), child.send("count")]);
    return answer[0];
  };
  try {
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
