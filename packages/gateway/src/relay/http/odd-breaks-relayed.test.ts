import { expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../../testing/http.ts";

const BAD = '{"jsonrpc":"2.0","id":5,"result":{"content":[],"structuredContent":{"sum":"no"}}}';
const GOOD = '{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"\u2028"}]}}';
const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"u","version":"1"}}';

it.each([
  ["in a comment", `: \u2028data: ${BAD}\u2028\u2028\n\n`, ""],
  ["in the id", `id: 7\u0085data: ${BAD}\u0085\u0085\n\n`, ""],
  ["behind an id", `id: 7\n:\fdata: ${BAD}\f\f\n\n`, "id: 7\n\n"],
  ["in an event of another type", `event: x\ndata: \v\vdata: ${BAD}\v\v\n\n`, ""],
  ["behind a byte order mark", `data: ${GOOD}\n\n\ufeffdata: ${BAD}\n\n`, `data: ${GOOD}\n\n`],
  ["beside a message", `: \u2029data: ${BAD}\u2029\u2029\n`, ""],
  ["in an event of another type, as its data", `id: 7\nevent: x\ndata: ${BAD}\n\n`, "id: 7\n\n"],
  [
    "in an event of another type, by other names",
    `event: x\ndata: ${BAD.replace("jsonrpc", "JSONRPC").replace("id", "ID").replace("result", "Result")}\n\n`,
    "",
  ],
  ["in a batch of another type", `event: x\ndata: [${BAD}]\n\n`, ""],
  ["behind a space", ` data: ${BAD}\n\n`, ""],
  ["in a field that is in upper case", `Data: ${BAD}\n\n`, ""],
  ["in a field behind a NUL", `\0data: ${BAD}\n\n`, ""],
  ["in a comment that looks like a field", `:data: ${BAD}\n\n`, ""],
  ["in a comment, behind a space", `: data: ${BAD}\n\n`, ""],
  ["as a comment", `:${BAD}\n\n`, ""],
  ["as a comment beside a message", `:${BAD}\n`, ""],
  ["as the time to retry", `retry: ${BAD}\n\n`, ""],
  ["as the id", `id: ${BAD}\n\n`, ""],
  ["as the id, beside a message", `id: ${BAD}\n`, ""],
  ["as the type", `id: 7\nevent: ${BAD}\n\n`, "id: 7\n\n"],
  ["that is none, as the time to retry", "retry: 10\n\n", "retry: 10\n\n"],
  ["that is none, as the id", "id: 7=\n\n", "id: 7=\n\n"],
  ["as a field of its own", `${BAD}\n\n`, ""],
  ["as a field beside a message", `${BAD}\n`, ""],
  [
    "that is none, in an event of another type",
    "event: ping\ndata: {}\n\n",
    "event: ping\ndata: {}\n\n",
  ],
  ["that is none, in a comment", ": ping\n\n", ": ping\n\n"],
])("withholds a message that only some clients would see: %s", async (_, event, left) => {
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body);
    if (method === "initialize") {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${INITIALIZED}}`);
    } else if (id === undefined) response.writeHead(202).end();
    else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${event}data: ${GOOD}\n\n`);
    }
  });
  const gateway = await startTestGateway({ mcpServers: { u: { url: upstream.url } } });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const headers = await initialize(gateway.url("u"));
  const { text } = await post(gateway.url("u"), request(5, "ping"), headers);
  expect(text).toBe(`${left}data: ${GOOD}\n\n`);
});

it("sends no byte order mark after a response of its own", async () => {
  const tool = { name: "add", inputSchema: { type: "object", required: ["a"] } };
  const upstream = await startHttpUpstream(({ body }, response) => {
    const message = JSON.parse(body);
    const answer = (result: string) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
    const json = { "content-type": "application/json", "mcp-session-id": "s" };
    if (message.method === "initialize") response.writeHead(200, json).end(answer(INITIALIZED));
    else if (message.method === "tools/list") {
      response.writeHead(200, json).end(answer(JSON.stringify({ tools: [tool] })));
    } else if (Array.isArray(message)) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`\ufeffdata: ${GOOD}\n\n`);
    } else response.writeHead(202).end();
  });
  const gateway = await startTestGateway({
    input_validation: { mode: "strict" },
    mcpServers: { u: { url: upstream.url } },
  });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const headers = await initialize(gateway.url("u"), "2025-03-26");
  const batch = [request(4, "tools/call", { name: "add" }), request(5, "ping")];
  const { messages } = await post(gateway.url("u"), batch, headers);
  expect(messages.map((message) => JSON.parse(message).id)).toEqual([4, 5]);
});
