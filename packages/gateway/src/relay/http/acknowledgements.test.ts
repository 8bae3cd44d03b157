import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpAnswer,
  type HttpUpstreamServer,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

const JSON_BODY = { "content-type": "application/json" };
const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
/** What the server answers everything with. */
let text = "";
let status = 200;
let head: Record<string, string> = JSON_BODY;

beforeAll(async () => {
  upstream = await startHttpUpstream((_seen, response) => {
    response.writeHead(status, head);
    response.end(text);
  });
  const strict = { protocol_validation: { mode: "strict" } };
  touchstone = await startTestGateway({
    mcpServers: {
      web: { url: upstream.url },
      strict: { url: upstream.url, touchstone: strict },
      off: { url: upstream.url, touchstone: { protocol_validation: { mode: "off" } } },
    },
  });
});
beforeEach(() => {
  status = 200;
  head = JSON_BODY;
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

const notify = (server = "web", message: object = NOTIFICATION): Promise<HttpAnswer> =>
  post(touchstone.url(server), message);
const decisions = (server: string) => touchstone.records({ type: "policy_decision", server });

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

/** What servers answer notifications with, and how the text names it. */
const ODD: readonly (readonly [string, number, Record<string, string>, string, string])[] = [
  ["an object", 200, JSON_BODY, "{}", "status 200 with a body of application/json, 2 bytes"],
  ["null", 200, JSON_BODY, "null", "status 200 with a body of application/json, 4 bytes"],
  ["a string", 202, JSON_BODY, '"ok"', "status 202 with a body of application/json, 4 bytes"],
  [
    ...(["a result as text", 200, { "content-type": "text/plain" }] as const),
    ...(['{"jsonrpc":"2.0","id":1,"result":{"content":5}}', "a body of text/plain"] as const),
  ],
  ["a page", 200, { "content-type": "text/html" }, "<p>", "a body of text/html, 3 bytes"],
  ["bytes without a type", 200, {}, "x", "a body of no content type, 1 bytes"],
  ["200 without a body", 200, {}, "", "status 200 with no body"],
  ["204", 204, {}, "", "status 204 with no body"],
  [
    ...(["a message", 200, JSON_BODY] as const),
    ...(['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', "status 200"] as const),
  ],
  [
    ...(["a stream", 200, { "content-type": "text/event-stream" }] as const),
    ...(['data: {"jsonrpc":"2.0","method":"x"}\n\n', "a body of text/event-stream"] as const),
  ],
  [
    ...(["an unknown coding", 200, { ...JSON_BODY, "content-encoding": "odd" }] as const),
    ...(["{}", 'the content encoding "odd"'] as const),
  ],
  [
    ...(["a long type", 200, { "content-type": `a/${"b".repeat(5_000)}` }] as const),
    ...(["x", "a body of a/bbb"] as const),
  ],
];

describe("a response to a notification that is not 202 without a body", () => {
  it.each(ODD)(
    "is recorded in strict, and becomes 202: %s",
    async (_, code, fields, body, says) => {
      [status, head, text] = [code, fields, body];
      const before = (await decisions("strict")).length;
      const answer = await notify("strict");
      expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
        202,
        "",
        null,
      ]);
      const [record, ...others] = (await decisions("strict")).slice(before);
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        direction: "protocol",
        decision: "blocked",
        server: "strict",
      });
      expect(record?.reason).toContain(says);
      expect(record?.reason?.length).toBeLessThan(400);
    },
  );

  it.each(ODD.slice(0, 8))(
    "is recorded in warn, and forwarded: %s",
    async (_, code, fields, body, says) => {
      [status, head, text] = [code, fields, body];
      const before = (await decisions("web")).length;
      const answer = await notify("web");
      expect([answer.status, answer.text]).toEqual([code, body]);
      const found = (await decisions("web")).slice(before);
      expect(found.some(({ reason }) => reason?.includes(says))).toBe(true);
      expect(new Set(found.map(({ decision }) => decision))).toEqual(new Set(["warning"]));
    },
  );

  it("is the same for a client's response", async () => {
    text = "{}";
    const answer = await notify("strict", { jsonrpc: "2.0", id: 1, result: {} });
    expect([answer.status, answer.text]).toEqual([202, ""]);
  });

  it("is not recorded if protocol checks are off", async () => {
    text = "{}";
    expect((await notify("off")).text).toBe("{}");
    expect(await decisions("off")).toEqual([]);
  });

  it.each([
    ["202 without a body", 202, ""],
    ["an error status", 400, "no"],
  ])("does not count: %s", async (_, code, body) => {
    [status, text, head] = [code, body, {}];
    const before = (await decisions("strict")).length;
    const answer = await notify("strict");
    expect([answer.status, answer.text]).toEqual([code, body]);
    expect(await decisions("strict")).toHaveLength(before);
  });
});

describe("a server that refuses initialize", () => {
  const params = {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "t", version: "1" },
  };
  it.each([
    ["an old transport", 405, {}, "", /HTTP status 405: it may speak the old HTTP\+SSE transport/],
    ["a wrong path", 404, { "content-type": "text/html" }, "<p>", /404: nothing is served at this/],
    ["a failure", 500, {}, "", /HTTP status 500: the server failed; see its own log/],
    ["a proxy", 503, {}, "", /HTTP status 503: the server, or a proxy in front of it/],
    ["a limit", 429, { "retry-after": "7" }, "", /HTTP status 429: try again in 7 s/],
    ["a text", 400, { "content-type": "text/plain" }, "bad", /400 \(bad\): it does not accept/],
    [
      "a page",
      200,
      { "content-type": "text/html" },
      "<p>",
      /text\/html instead of .*; check that the/,
    ],
    ["nothing", 200, {}, "", /an empty body instead of a JSON-RPC message; check that the URL/],
  ])("is reported in one line: %s", async (_, code, fields, body, says) => {
    [status, head, text] = [code, fields as Record<string, string>, body];
    const gateway = await startTestGateway({ mcpServers: { u: { url: upstream.url } } });
    try {
      await post(gateway.url("u"), request(0, "initialize", params));
      const lines = gateway.lines.filter((line) => says.test(line) && /warn: u: /.test(line));
      expect(lines).toHaveLength(1);
    } finally {
      await gateway.close();
    }
  });
});
