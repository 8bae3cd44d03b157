// `npm run fuzz:scan -- [count] [seed]`: reads valid and broken texts with every scanner and with JSON.parse.
import "../help.mjs";

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { countArgument, seedArgument } from "../count-argument.mjs";

const path = fileURLToPath(
  new URL("../../packages/core/src/testing/fuzz-scan.ts", import.meta.url),
);
const { module } = await runnerImport(path, { configFile: false });

const usage = "npm run fuzz:scan -- [count] [seed]";
const count = countArgument(process.argv[2], 1_000_000, usage);
const seed = seedArgument(process.argv[3], usage);

/** Returns messages as they pass through a gateway, plus one for each tool of the captured lists. */
function frames() {
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { a: [1.5] } } },
    { jsonrpc: "2.0", id: "é", result: { content: [], structuredContent: { a: "\u{1f600}\n" } } },
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 9, progress: 1 } },
    [{ jsonrpc: "2.0", id: 2, error: { code: -32602, message: 'no "x"' } }],
  ];
  const shared =
    process.env.TOUCHSTONE_SHARED ?? fileURLToPath(new URL("../../../shared", import.meta.url));
  try {
    for (const name of readdirSync(`${shared}/corpus/tools-list`)) {
      if (!name.endsWith(".json")) continue;
      const { tools = [] } = JSON.parse(
        readFileSync(`${shared}/corpus/tools-list/${name}`, "utf8"),
      );
      for (const tool of tools.slice(0, 10)) {
        messages.push({ jsonrpc: "2.0", id: messages.length, result: { tools: [tool] } });
      }
    }
  } catch {
    console.error(`no captured lists of tools under ${shared}: only ${messages.length} frames`);
  }
  return messages
    .map((message) => new TextEncoder().encode(JSON.stringify(message)))
    .filter(({ length }) => length <= 4096);
}

const started = performance.now();
const isTerminal = process.stderr.isTTY === true;
const { cases, disagreements } = module.fuzzScan(count, seed, frames(), (done) => {
  if (isTerminal) process.stderr.write(`\r${done} of ${count} texts`);
});
if (isTerminal) process.stderr.write("\n");

const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(`seed ${seed}, ${seconds} s\n\n| texts | read alike by all | not |\n| - | - | - |`);
for (const [kind, { texts, bad }] of cases) console.log(`| ${kind} | ${texts - bad} | ${bad} |`);
for (const { kind, what, bytes } of disagreements) {
  console.log(`\n${kind}: ${what}\n${JSON.stringify(new TextDecoder().decode(bytes))}`);
}
process.exitCode = disagreements.length === 0 ? 0 : 1;
