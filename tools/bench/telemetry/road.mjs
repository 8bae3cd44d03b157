// Measures a call's path inside the gateway, without a transport: what telemetry adds to the thread that relays. None
// of this is public, so it is imported from the built files.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openActivityStore } from "@touchstone/gateway/activity";
import { createLogger } from "@touchstone/gateway/log";
import { rotated } from "../gateway/load.mjs";
import { callText, resultText, TOOLS } from "../gateway/tools.mjs";
import { median } from "../timing.mjs";

const built = (path) =>
  import(new URL(`../../../packages/gateway/build/${path}`, import.meta.url).href);
const { ServerRuntime } = await built("relay/server-runtime.js");
const { gatewayCache, openTelemetry } = await built("insight/telemetry/open.js");
const { DEFAULT_SETTINGS } = await built("settings/validation.js");

const TOGETHER = 16;
/** Calls per round: Linux counts a thread's time in steps of some milliseconds. */
const CALLS = 9_600;
const bytes = (text) => new TextEncoder().encode(text);

/** Opens a conversation with a server whose tools are already known. */
async function road(tool, activity, telemetry, log) {
  const runtime = new ServerRuntime(
    { name: "bench", settings: DEFAULT_SETTINGS, tools: new Map() },
    {
      activity,
      contracts: activity.contracts,
      cache: gatewayCache(telemetry),
      log,
      ...(telemetry === undefined ? {} : { telemetry: { of: telemetry, client: "pipe" } }),
    },
  );
  const conversation = { ...runtime.ownConversation(), revision: "2025-11-25" };
  const pipeline = runtime.pipeline(conversation, () => Promise.reject(new Error("nobody")));
  const exchange = async (id, request, result) => {
    const { passage } = await pipeline.fromClient(pipeline.read(bytes(request)));
    if ((await passage).onward === undefined) throw new Error("the call did not go on");
    const answer = bytes(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    const { onward } = await pipeline.fromServer(pipeline.read(answer));
    if (onward !== answer) throw new Error("the answer is another one");
  };
  const list = '{"jsonrpc":"2.0","id":0,"method":"tools/list"}';
  await exchange(0, list, JSON.stringify({ tools: TOOLS }));
  let id = 0;
  const result = resultText(tool, { text: "x" });
  return async (calls) => {
    for (let done = 0; done < calls; done += TOGETHER) {
      const some = Array.from({ length: TOGETHER }, () => {
        id += 1;
        return exchange(id, callText(id, tool), result);
      });
      await Promise.all(some);
    }
  };
}

/** Returns this thread's processor time in milliseconds if Linux reports it, else the clock's time. */
function spent() {
  try {
    const [nanoseconds] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Measures microseconds per call with each, in turns: the medians of the rounds. */
export async function measureRoad(env, { tool, rounds }) {
  const dataDir = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  const log = createLogger((line) => process.stderr.write(line), "warn");
  const activity = await openActivityStore({ dataDir });
  const telemetry = await openTelemetry({ settings: { metrics: true }, env, log });
  try {
    const roads = [
      ["none", await road(tool, activity, undefined, log)],
      ["all", await road(tool, activity, telemetry, log)],
    ];
    const each = new Map(roads.map(([name]) => [name, []]));
    for (const [, run] of roads) await run(CALLS);
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, run] of rotated(roads, round)) {
        const started = spent();
        await run(CALLS);
        each.get(name).push(((spent() - started) * 1000) / CALLS);
      }
    }
    return Object.fromEntries([...each].map(([name, all]) => [name, median(all)]));
  } finally {
    await telemetry.close();
    await activity.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
