import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, post, request, startHttpUpstream } from "../../testing/http.ts";

const LIST = { tools: [{ name: "a", inputSchema: { type: "object" } }] };
const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
/** What the server answers everything but `tools/list` with. */
let headers: Record<string, string> = {};
let text = "";

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body || "{}");
    const listed = JSON.stringify({ jsonrpc: "2.0", id, result: LIST });
    const lists = method === "tools/list";
    response.writeHead(200, lists ? JSON_TYPE : headers).end(lists ? listed : text);
  });
  const entry = (mode: string) => ({
    url: upstream.url,
    touchstone: { protocol_validation: { mode } },
  });
  touchstone = await startTestGateway({
    mcpServers: { warn: entry("warn"), off: entry("off") },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const call = (server: string, id: unknown = 7) =>
  post(touchstone.url(server), request(id, "tools/call", { name: "a", arguments: {} }));

describe("an unreadable response", () => {
  it.each([
    [{ ...JSON_TYPE, "content-encoding": "rot13" }, "{}", 'content encoding "rot13"'],
    [{ "content-type": "application/json; charset=utf-7" }, "{}", 'charset "utf-7"'],
    [{ ...JSON_TYPE, "content-encoding": "gzip" }, "{}", "not in the content encoding"],
    [{ ...JSON_TYPE, "content-encoding": "br" }, "{}", "not in the content encoding"],
    [{ ...EVENTS, "content-encoding": "gzip" }, "data: {}\n\n", "not in the content encoding"],
    [JSON_TYPE, "", "an empty body instead of"],
    [JSON_TYPE, "<html>", "something that is not a JSON-RPC message: Invalid JSON"],
    [JSON_TYPE, '{"success":true}', "something that is not a JSON-RPC message"],
    [{ "content-type": "text/html" }, "<html>", "text/html instead of"],
  ])("is a protocol fault, with an error for the id: %j %s", async (given, body, reason) => {
    [headers, text] = [given, body];
    const [message = ""] = (await call("warn")).messages;
    const { error, id } = JSON.parse(message);
    expect([id, error.code, error.message]).toEqual([7, -32603, expect.stringContaining(reason)]);
    const [decision, ended] = (await touchstone.records({ server: "warn" })).slice(-2);
    expect(decision).toMatchObject({
      type: "policy_decision",
      direction: "protocol",
      decision: "blocked",
      reason: expect.stringContaining(reason),
    });
    expect(ended).toMatchObject({ type: "tool_call", status: "blocked", tool: "a" });
  });

  it("ends every request of a batch", async () => {
    [headers, text] = [{ "content-type": "text/html" }, "<html>"];
    const one = request(1, "tools/call", { name: "a", arguments: {} });
    const answer = await post(touchstone.url("warn"), [one, request(2, "ping")], {
      "mcp-protocol-version": "2025-03-26",
    });
    const answers = JSON.parse(answer.text) as { id: number; error: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error.code])).toEqual([
      [1, -32603],
      [2, -32603],
    ]);
  });

  it("has no decision record if messages are not checked", async () => {
    [headers, text] = [{ "content-type": "text/html" }, "<html>"];
    expect((await call("off")).text).toContain("instead of a JSON-RPC message");
    const types = (await touchstone.records({ server: "off" })).map(({ type }) => type);
    expect(types).toEqual(["tool_call"]);
  });
});

it("does not relay the first event of the old HTTP+SSE transport", async () => {
  [headers, text] = [EVENTS, "event: endpoint\ndata: /messages?session=1\n\n"];
  const response = await fetch(touchstone.url("warn"), {
    headers: { accept: EVENTS["content-type"] },
  });
  expect(await response.text()).not.toContain("/messages");
  await touchstone.line(/warn: the server speaks the old HTTP\+SSE transport of 2024-11-05/);
});

it.each([
  ["a result", '{"jsonrpc":"2.0","id":7,"result":{ "content":[] }}'],
  ["an error", '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}'],
])("skips a byte order mark at the start of a body: %s", async (_what, body) => {
  [headers, text] = [JSON_TYPE, `\uFEFF${body}`];
  expect((await call("warn")).text).toBe(body);
});
