// `npm run bench:protocol`: what reading and judging one message costs, beside JSON.parse and the
// official SDK's schemas in the same run.
import { CallToolRequestSchema, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { engineReady } from "@touchstone/core";
import { judgeMessage, readFrame } from "@touchstone/protocol";

const ROUNDS = 15;
const CALLS = 4_000;

function call(bytes) {
  const args = {
    path: "/srv/data/reports/2026/summary.json",
    recursive: true,
    limit: 25,
    text: "",
  };
  const params = { name: "read_file", arguments: args, _meta: { progressToken: 7 } };
  const message = { jsonrpc: "2.0", id: 42, method: "tools/call", params };
  args.text = "An ordinary sentence. "
    .repeat(bytes)
    .slice(0, bytes - JSON.stringify(message).length);
  return JSON.stringify(message);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Median time of one call in microseconds, the candidates taking turns in an order that rotates. */
function measure(candidates) {
  const times = new Map(candidates.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = round % candidates.length;
    for (const [name, run] of [...candidates.slice(turn), ...candidates.slice(0, turn)]) {
      const started = performance.now();
      for (let i = 0; i < CALLS; i += 1) run();
      times.get(name).push(((performance.now() - started) * 1000) / CALLS);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

const decoder = new TextDecoder();
const options = { revision: "2025-11-25", sender: "client" };
let seen;

// The measuring below gives the event loop no turn in which core's compiler could be loaded.
await engineReady();

for (const size of [1_024, 10_240]) {
  const bytes = new TextEncoder().encode(call(size));
  const times = measure([
    ["JSON.parse", () => (seen = JSON.parse(decoder.decode(bytes)))],
    ["classify", () => (seen = readFrame(bytes).method)],
    ["classify, duplicate keys too", () => (seen = readFrame(bytes, { duplicates: true }).method)],
    ["classify and judge", () => (seen = judgeMessage(bytes, options).valid)],
    [
      "SDK: parse and two schemas",
      () => {
        const message = JSONRPCMessageSchema.parse(JSON.parse(decoder.decode(bytes)));
        seen = CallToolRequestSchema.parse(message).method;
      },
    ],
  ]);
  console.log(`\n${bytes.length} bytes, tools/call, median of ${ROUNDS} rounds of ${CALLS}`);
  const base = times.get("JSON.parse");
  for (const [name, time] of times) {
    console.log(
      `  ${name.padEnd(30)} ${time.toFixed(2).padStart(8)} µs  ${(time / base).toFixed(2)} of JSON.parse`,
    );
  }
  const factor = times.get("SDK: parse and two schemas") / times.get("classify and judge");
  console.log(`  the SDK takes ${factor.toFixed(2)} times as long as classifying and judging`);
}
if (seen === undefined) process.exitCode = 1;
