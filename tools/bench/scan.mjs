// `npm run bench:scan`: measures reading JSON text, compared with JSON.parse in the same run.
import "../help.mjs";

import { locateJson, scanJson } from "@touchstone/core/advanced";
// Not a public module: the scanner without WebAssembly.
import { walkJson } from "../../packages/core/build/json/walk.js";

const ROUNDS = 15;
const ROUND_BYTES = 4_000_000;

const members = {
  jsonrpc: true,
  id: true,
  method: true,
  params: { name: true, arguments: true, _meta: { progressToken: true } },
  result: { content: true, structuredContent: true, isError: true, _meta: true },
  error: { code: true },
};
const full = { members, duplicates: true, numbers: true };

const call = (text) => ({
  jsonrpc: "2.0",
  id: 17,
  method: "tools/call",
  params: {
    name: "create_issue",
    arguments: {
      owner: "octo-org",
      repo: "octo-repo",
      title: "Crash when the file is empty",
      body: `Steps to reproduce:\n1. Open an empty file\n2. Press "save"\n\n${text}`,
      labels: ["bug", "triage", "editor"],
      assignees: ["octocat", "hubot"],
      milestone: 3,
      draft: false,
      options: { notify: true, priority: "high", estimate: 2.5 },
    },
    _meta: { progressToken: "p-17" },
  },
});
const answer = (structuredContent) => ({
  jsonrpc: "2.0",
  id: 17,
  result: { content: [], structuredContent, isError: false },
});
const record = (_, id) => ({
  id,
  name: `user ${id}`,
  email: `user${id}@example.com`,
  active: id % 2 === 0,
  score: id * 1.5,
  tags: ["a", "bb", "ccc"],
  address: { city: "Berlin", zip: `${10_000 + id}` },
});
const records = (count) => answer({ rows: Array.from({ length: count }, record) });
const SENTENCE = "The quick brown fox jumps over the lazy dog, again and again.\n";
const texts = (size) => answer({ text: SENTENCE.repeat(size / SENTENCE.length) });

const INPUTS = [
  ["call, 0.7 KB", call("Expected: nothing happens. Actual: it ends. ".repeat(5))],
  ["records, 1 KB", records(6)],
  ["text, 1 KB", texts(900)],
  ["records, 86 KB", records(570)],
  ["text, 86 KB", texts(86_000)],
  ["records, 1 MB", records(6_450)],
  ["text, 1 MB", texts(1_000_000)],
  ["records, 5 MB", records(31_500)],
  ["text, 5 MB", texts(5_000_000)],
];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Returns the median times of one call in microseconds; the readers take turns in an order that rotates. */
function measure(readers, size) {
  const calls = Math.max(1, Math.round(ROUND_BYTES / size));
  const times = new Map(readers.map(([name]) => [name, []]));
  // The first two rounds warm up.
  for (let round = -2; round < ROUNDS; round += 1) {
    const turn = (round + 2) % readers.length;
    for (const [name, read] of [...readers.slice(turn), ...readers.slice(0, turn)]) {
      const started = performance.now();
      for (let i = 0; i < calls; i += 1) read();
      const time = ((performance.now() - started) * 1000) / calls;
      if (round >= 0) times.get(name).push(time);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** The native parser's binding, if it is installed. */
const simdjson = await import("simdjson").then(
  (module) => module.default ?? module,
  () => undefined,
);

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
console.log(`medians of ${ROUNDS} rounds; JSON.parse reads a string, all others bytes\n`);
for (const [title, value] of INPUTS) {
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  const wrong = [scanJson(bytes, full), locateJson(bytes, { members })].find(
    (result) => result.error !== undefined || !result.members.has("/id"),
  );
  if (wrong !== undefined) throw new Error(`${title}: a reader refuses the text`);
  const times = measure(
    [
      ["JSON.parse", () => JSON.parse(text)],
      ...(simdjson === undefined ? [] : [["simdjson.isValid", () => simdjson.isValid(text)]]),
      ["scan in JavaScript, all checks", () => walkJson(bytes, full)],
      ["scanJson, all checks", () => scanJson(bytes, full)],
      ["scanJson, grammar and ranges", () => scanJson(bytes, { members })],
      ["locateJson", () => locateJson(bytes, { members })],
    ],
    bytes.length,
  );
  row([`${title} (${bytes.length} B)`, "median µs", "MB/s", "÷ JSON.parse"]);
  row(["-", "-", "-", "-"]);
  const parse = times.get("JSON.parse");
  for (const [name, time] of times) {
    row([name, time.toFixed(2), (bytes.length / time).toFixed(0), (time / parse).toFixed(3)]);
  }
  console.log("");
}
const absent = simdjson === undefined ? ["simdjson (not installed)"] : [];
console.log(
  `Not measured: ${[...absent, "texts with something to report, which are read twice", "memory"].join("; ")}.`,
);
