// `npm run bench:protocol`: measures reading and checking a call and its response, compared with JSON.parse and the
// official SDK's schemas in the same run.
import "../help.mjs";

import {
  CallToolRequestSchema,
  CallToolResultSchema,
  JSONRPCMessageSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { judgeMessage, readFrame } from "@touchstone/protocol";

const ROUNDS = 15;
const CALLS = 4_000;

const TEXT = "An ordinary sentence. ";

/** Returns a message of exactly this many bytes, filled up with a text. */
function filled(bytes, make) {
  const missing = bytes - JSON.stringify(make("")).length;
  return JSON.stringify(make(TEXT.repeat(bytes).slice(0, missing)));
}

function call(text) {
  const path = "/srv/data/reports/2026/summary.json";
  const args = { path, recursive: true, limit: 25, text };
  const params = { name: "read_file", arguments: args, _meta: { progressToken: 7 } };
  return { jsonrpc: "2.0", id: 42, method: "tools/call", params };
}

function answer(text) {
  return { jsonrpc: "2.0", id: 42, result: { content: [{ type: "text", text }], isError: false } };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Returns the median time of one call in microseconds; the candidates take turns in an order that rotates. */
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
const encoder = new TextEncoder();
const revision = "2025-11-25";
let seen;

const parse = (bytes) => JSON.parse(decoder.decode(bytes));
const MESSAGES = [
  {
    what: "tools/call",
    make: call,
    asked: (frame) => frame.method,
    options: { revision, sender: "client" },
    sdk: (bytes) => CallToolRequestSchema.parse(JSONRPCMessageSchema.parse(parse(bytes))),
  },
  {
    what: "its result",
    make: answer,
    asked: (frame) => frame.idKey,
    options: { revision, sender: "server", requestMethod: "tools/call" },
    sdk: (bytes) => CallToolResultSchema.parse(JSONRPCMessageSchema.parse(parse(bytes)).result),
  },
];

// The measurements below never yield to the event loop, so core's compiler could not load there.

for (const size of [1_024, 10_240]) {
  for (const { what, make, asked, options, sdk } of MESSAGES) {
    const bytes = encoder.encode(filled(size, make));
    const times = measure([
      ["JSON.parse", () => (seen = parse(bytes))],
      ["classify", () => (seen = asked(readFrame(bytes)))],
      [
        "classify, duplicate keys too",
        () => (seen = asked(readFrame(bytes, { duplicates: true }))),
      ],
      ["classify and judge", () => (seen = judgeMessage(bytes, options).valid)],
      ["SDK: parse and two schemas", () => (seen = sdk(bytes))],
    ]);
    console.log(`\n${bytes.length} bytes, ${what}, median of ${ROUNDS} rounds of ${CALLS}`);
    const base = times.get("JSON.parse");
    for (const [name, time] of times) {
      console.log(
        `  ${name.padEnd(30)} ${time.toFixed(2).padStart(8)} µs  ${(time / base).toFixed(2)} of JSON.parse`,
      );
    }
    const factor = times.get("SDK: parse and two schemas") / times.get("classify and judge");
    console.log(`  the SDK takes ${factor.toFixed(2)} times as long as classifying and judging`);
  }
}
if (seen === undefined) process.exitCode = 1;
