import { describe, expect, it, onTestFinished } from "vitest";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { initialize, modern, post, request, startHttpUpstream } from "../../testing/http.ts";

const answer = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[]}}`;
const STRICT = { protocol_validation: { mode: "strict" } };

/** A gateway in front of servers that write every id as a string. */
async function serving(): Promise<TestGateway> {
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method, params = {} } = JSON.parse(body);
    const headers = { "content-type": "application/json", "mcp-session-id": "s" };
    response.writeHead(id === undefined ? 202 : 200, headers);
    const { protocolVersion } = params;
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: "u", version: "1" } };
    if (method === "initialize") response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    else response.end(id === undefined ? "" : answer(`"${id}"`));
  });
  const args = [SCRIPTED_SERVER, "--on", `tools/call=raw:${answer('"$ID"')}`];
  const stdio = { command: process.execPath, args };
  const gateway = await startTestGateway({
    limits: { concurrent_calls: 1 },
    mcpServers: {
      stdio,
      "stdio strict": { ...stdio, touchstone: STRICT },
      http: { url: upstream.url },
      "http strict": { url: upstream.url, touchstone: STRICT },
    },
  });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  return gateway;
}

const params = { name: "work", arguments: { n: 3 } };

describe("a server that returns ids as strings", () => {
  it.each(["stdio", "http"])(
    "has its response forwarded unchanged in warn (%s)",
    async (server) => {
      const gateway = await serving();
      const url = gateway.url(server);
      const headers = await initialize(url);
      for (const id of [7, 8]) {
        const { text } = await post(url, request(id, "tools/call", params), headers);
        expect(text).toBe(answer(`"${id}"`));
      }
      const { body, headers: own } = modern("tools/call", params, { id: 9 });
      for (let i = 0; i < 2; i++) expect((await post(url, body, own)).text).toBe(answer('"9"'));
    },
  );

  it.each(["stdio", "http"])(
    "has its response replaced by an error with the exact id in strict (%s)",
    async (server) => {
      const gateway = await serving();
      const url = gateway.url(`${server} strict`);
      const legacy = await post(url, request(7, "tools/call", params), await initialize(url));
      const { body, headers } = modern("tools/call", params, { id: 9 });
      const answers = [legacy, await post(url, body, headers)].map(({ text }) => JSON.parse(text));
      expect(answers).toMatchObject([
        { id: 7, error: { message: expect.stringContaining("the type of the id differs") } },
        { id: 9, error: { message: expect.stringContaining("the type of the id differs") } },
      ]);
    },
  );

  it("may return a client's own string id", async () => {
    const url = (await serving()).url("stdio strict");
    const { body, headers } = modern("tools/call", params, { id: "a" });
    expect((await post(url, body, headers)).text).toBe(answer('"a"'));
  });
});
