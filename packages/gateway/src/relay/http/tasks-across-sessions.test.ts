import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

const INTEGER = { type: "object", properties: { n: { type: "integer" } } };
const TASK = {
  taskId: "t1",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl: 60_000,
};
const ANSWERS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tasks: {} },
    serverInfo: { name: "s", version: "1" },
  },
  "tools/list": { tools: [{ name: "work", inputSchema: {}, outputSchema: INTEGER }] },
  "tools/call": { task: TASK },
  "tasks/result": { content: [], structuredContent: { n: "one" } },
};

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body || "{}");
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const begun = method === "initialize" ? { "mcp-session-id": randomUUID() } : {};
    response.writeHead(200, { "content-type": "application/json", ...begun });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: ANSWERS[method] ?? {} }));
  });
  touchstone = await startTestGateway({
    mcpServers: {
      web: { url: upstream.url, touchstone: { output_validation: { mode: "strict" } } },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

it("checks the result of a task that another session of the server has made", async () => {
  const url = touchstone.url("web");
  const [one, other] = [await initialize(url), await initialize(url)];
  const work = request(1, "tools/call", { name: "work", arguments: {}, task: { ttl: 60_000 } });
  expect((await post(url, work, one)).text).toContain('"taskId":"t1"');
  const answer = await post(url, request(2, "tasks/result", { taskId: "t1" }), other);
  expect(answer.text).toContain("output schema validation failed");
});
