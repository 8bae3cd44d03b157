// An MCP server over HTTP whose results come from a file, like those of `server.mjs`. What is under `body` is the
// whole response to `tools/call`, and what is under `stream` the whole stream of events, with the id of the request
// for `$ID`.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [, , replies] = process.argv;
const OWN = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "hostile", version: "1" },
    }),
  "tools/call": () => '{"content":[{"type":"text","text":"done"}]}',
};

const server = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  const { id, method, params } = text === "" ? {} : JSON.parse(text);
  if (id === undefined || method === undefined) {
    response.writeHead(request.method === "POST" ? 202 : 405).end();
    return;
  }
  const given = JSON.parse(readFileSync(replies, "utf8"));
  const isCall = method === "tools/call";
  const withId = (text) => text?.replaceAll("$ID", () => JSON.stringify(id));
  if (isCall && given.stream !== undefined) {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(withId(given.stream));
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  const result = given[method] ?? OWN[method]?.(params) ?? "{}";
  const own = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  response.end((isCall && withId(given.body)) || own);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
