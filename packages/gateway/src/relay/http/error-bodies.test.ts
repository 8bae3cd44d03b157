import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, post, request, startHttpUpstream } from "../../testing/http.ts";

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
/** What the server answers everything with. */
let status = 400;
let text = "";
let type = "application/json";

beforeAll(async () => {
  upstream = await startHttpUpstream((_seen, response) => {
    response.writeHead(status, { "content-type": type });
    response.end(text);
  });
  touchstone = await startTestGateway({
    mcpServers: { web: { url: upstream.url } },
    protocol_validation: { mode: "strict" },
    output_validation: { mode: "off" },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const call = () =>
  post(touchstone.url("web"), request(7, "tools/call", { name: "a", arguments: {} }));

it.each([
  [402, '{"error":"invalid_token","error_description":"It expired"}'],
  [400, '{"error":"Missing Mcp-Session-Id header"}'],
  [403, '{"error":{"code":403,"message":"No","status":"PERMISSION_DENIED"}}'],
  [429, '{ "title": "Slow down" }'],
])("passes an HTTP error on unchanged: %i %s", async (code, body) => {
  [status, text] = [code, body];
  const answer = await call();
  expect([answer.status, answer.text]).toEqual([code, body]);
  // The list cannot be fetched either, which warn records.
  const decisions = await touchstone.records({ type: "policy_decision" });
  expect(new Set(decisions.map(({ outcome }) => outcome))).toEqual(new Set(["unknown"]));
  const reason = `the server answered with HTTP status ${code}`;
  const recorded = await touchstone.records({ type: "tool_call" });
  expect(recorded.at(-1)).toMatchObject({ status: "error", reason });
});

it("reports why the tool list could not be fetched", async () => {
  const line = await touchstone.line(/could not fetch tools\/list/);
  expect(line).toContain("the server answered with HTTP status 402 (It expired)");
});

it("checks a JSON-RPC error that comes with an HTTP error status", async () => {
  [status, text] = [400, '{"jsonrpc":"2.0","id":7,"error":"no"}'];
  const answer = await call();
  expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32603 } });
  const decisions = await touchstone.records({ type: "policy_decision" });
  expect(decisions.at(-1)).toMatchObject({ direction: "protocol", decision: "blocked" });
});

it.each(["text/plain", "application/problem+json", "text/html; charset=utf-8"])(
  "checks a JSON-RPC error whatever its media type: %s",
  async (given) => {
    [status, text, type] = [
      400,
      '{"jsonrpc":"2.0","id":7,"error":{"code":"x","message":5}}',
      given,
    ];
    const answer = await call();
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      400,
      { id: 7, error: { code: -32603 } },
    ]);
    text = '{ "jsonrpc":"2.0", "id":7, "error":{"code":-32602,"message":"no"} }';
    const good = await call();
    expect([good.status, good.text]).toEqual([400, text]);
    expect(good.headers.get("content-type")).toBe(given);
    const [recorded] = (await touchstone.records({ type: "tool_call" })).slice(-1);
    expect(recorded).toMatchObject({ status: "error", request_id: expect.any(String) });
    text = "7: no";
    const plain = await call();
    expect([plain.status, plain.text]).toEqual([400, text]);
  },
);

it.each(["application/json", "text/plain"])(
  "checks each response of a batch: %s",
  async (given) => {
    const bad = '{"jsonrpc":"2.0","id":7,"error":"no"}';
    [status, text, type] = [500, `[${bad}]`, given];
    const answer = await call();
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      500,
      [{ id: 7, error: { code: -32603 } }],
    ]);
    text = '["no", {"error":"invalid_token"}]';
    expect((await call()).text).toBe(text);
  },
);

it("names the wrong id of a response", async () => {
  [status, text, type] = [200, '{"jsonrpc":"2.0","id":99,"result":{}}', "application/json"];
  const { text: wrong } = await call();
  const message = expect.stringContaining("(HTTP status 200) a response with the id 99,");
  expect(JSON.parse(wrong)).toMatchObject({ id: 7, error: { message } });
  [text, type] = [`data: ${text}\n\n`, "text/event-stream"];
  expect((await call()).text).toContain("a response with the id 99,");
});

it.each([
  [
    "of another type",
    'event: progress\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n',
    'of the type "progress"',
  ],
  ["without its end", 'data: {"jsonrpc":"2.0","id":7,"result":{}}', "no blank line ends them"],
])("logs an event %s that it ignores", async (_name, stream, reason) => {
  [status, text, type] = [200, stream, "text/event-stream"];
  expect((await call()).text).toContain("stream ended without a response");
  expect(await touchstone.line(/is dropped|are dropped/)).toContain("dropped");
  expect(touchstone.lines.join("\n")).toContain(reason);
});

it("passes an error page in another charset on unchanged", async () => {
  [status, text, type] = [403, "<p>no</p>", "text/html; charset=iso-8859-1"];
  const answer = await call();
  expect([answer.status, answer.text]).toEqual([403, text]);
  expect(answer.headers.get("content-type")).toBe(type);
});

it("refuses JSON in another charset", async () => {
  [status, text, type] = [200, "{}", "application/json; charset=utf-16le"];
  const answer = await call();
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("utf-16le")]);
});
