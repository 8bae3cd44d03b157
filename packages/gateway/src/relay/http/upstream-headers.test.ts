import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../../testing/http.ts";

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id } = JSON.parse(body) as { id: unknown };
    const tools = [{ name: "drop", inputSchema: { type: "object" } }];
    const result = { resultType: "complete", content: [], tools };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const entry = (mode: string) => ({
    url: upstream.url,
    touchstone: { protocol_validation: { mode } },
  });
  touchstone = await startTestGateway({
    mcpServers: { off: entry("off"), warn: entry("warn"), strict: entry("strict") },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const { body, headers } = modern("tools/call", { name: "drop", arguments: {} });
const WRONG = { ...headers, "mcp-name": "read" };

it.each([
  ["off", 200, []],
  ["warn", 200, ["warning"]],
  ["strict", 400, ["blocked"]],
])(
  "handles a header that names another tool than the message: %s",
  async (server, status, decisions) => {
    const answer = await post(touchstone.url(server), body, WRONG);
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(JSON.parse(answer.text)).toMatchObject({ id: 1, error: { code: -32020 } });
    const records = await touchstone.records({ server, tool: "drop", type: "policy_decision" });
    expect(records.map(({ decision }) => decision)).toEqual(decisions);
    for (const { direction, reason } of records) {
      expect([direction, reason]).toEqual(["protocol", expect.stringContaining("Mcp-Name")]);
    }
  },
);

it("accepts headers that agree with the message", async () => {
  expect((await post(touchstone.url("strict"), body, headers)).status).toBe(200);
});
