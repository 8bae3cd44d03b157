// An MCP server over stdio whose results come from a file: the text of a result by method. The file is read again for
// each request. The text under `before` is a line that it writes before each result of `tools/call`; the text under
// `line` is written instead of the result, with the id of the request for `$ID`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , replies] = process.argv;
const OWN = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "hostile", version: "1" },
    }),
  "tools/call": () => '{"content":[{"type":"text","text":"done"}]}',
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  for (const { id, method, params } of Array.isArray(message) ? message : [message]) {
    if (id === undefined || method === undefined) continue;
    const given = JSON.parse(readFileSync(replies, "utf8"));
    const result = given[method] ?? OWN[method]?.(params) ?? "{}";
    if (method === "tools/call" && given.before) process.stdout.write(`${given.before}\n`);
    if (method === "tools/call" && given.line) {
      process.stdout.write(`${given.line.replaceAll("$ID", () => JSON.stringify(id))}\n`);
      continue;
    }
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
  }
}
