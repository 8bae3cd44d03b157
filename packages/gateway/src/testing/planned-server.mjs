/**
 * A stdio MCP server for property tests, which writes what each request contains as a plan.
 *
 * It serves `initialize` and `tools/list` (one tool, `work`, whose schemas are in `SCHEMA`). A request whose
 * `params._meta` has a `plan`, a list of texts, is answered with these lines; `@ID@` in them is replaced by the
 * request's id as it was sent, `@NUMBER@` by the id without quotes. The text of a call's arguments, which must come
 * before its `_meta`, goes to stderr.
 */
import { createInterface } from "node:readline";

const say = (text) => process.stdout.write(`${text}\n`);
const answer = (id, result) =>
  say(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);

createInterface({ input: process.stdin }).on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const id = /"id":("(?:[^"\\]|\\.)*"|[^,]+),/.exec(line)?.[1];
  const { method, params = {} } = message;
  if (method === "tools/call")
    process.stderr.write(`${/"arguments":(.*),"_meta"/.exec(line)?.[1]}\n`);
  if (id === undefined || method === undefined) return;
  if (params._meta?.plan !== undefined) {
    const number = id.replaceAll('"', "");
    for (const text of params._meta.plan) {
      say(text.replaceAll("@ID@", () => id).replaceAll("@NUMBER@", () => number));
    }
  } else if (method === "initialize") {
    const serverInfo = { name: "planned", version: "1" };
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") {
    const schema = JSON.parse(process.env.SCHEMA);
    answer(id, { tools: [{ name: "work", inputSchema: schema, outputSchema: schema }] });
  }
});
