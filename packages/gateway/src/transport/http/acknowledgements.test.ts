import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpAnswer,
  type HttpUpstreamServer,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
/** What the server answers everything with. */
let text = "";

beforeAll(async () => {
  upstream = await startHttpUpstream((_seen, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(text);
  });
  touchstone = await startTestGateway({ mcpServers: { web: { url: upstream.url } } });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

async function remove(): Promise<HttpAnswer> {
  const answer = await fetch(touchstone.url("web"), { method: "DELETE" });
  return {
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
    messages: [],
  };
}

const notify = (): Promise<HttpAnswer> => post(touchstone.url("web"), NOTIFICATION);

it.each([
  ["a DELETE", '{"success":true}', remove],
  ["a DELETE", '{ "ok" : 1.0 }\n', remove],
  ["a notification", '{"success":true}', notify],
  ["a notification", "null", notify],
])("passes on a server's acknowledgement of %s, %s, unchanged", async (_what, body, send) => {
  text = body;
  const answer = await send();
  expect([answer.status, answer.text]).toEqual([200, body]);
  expect(touchstone.lines.filter((line) => /not a JSON-RPC message/.test(line))).toEqual([]);
});

it("does not accept an acknowledgement as a response to a request", async () => {
  text = '{"success":true}';
  const answer = await post(touchstone.url("web"), request(7, "ping"));
  expect(JSON.parse(answer.text)).toMatchObject({ id: 7, error: { code: -32603 } });
});

it("checks an acknowledgement that a client might take for a message", async () => {
  text = '{"jsonrpc":"2.0","result":5}';
  await notify();
  const record = (await touchstone.records({ type: "policy_decision" })).at(-1);
  expect(record).toMatchObject({ direction: "protocol", decision: "warning" });
});
