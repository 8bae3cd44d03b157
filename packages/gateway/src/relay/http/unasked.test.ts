import { describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, modern, post, request, startHttpUpstream } from "../../testing/http.ts";

const TOOL = {
  name: "add",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { sum: { type: "number" } } },
};
const wrong = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],"structuredContent":{"sum":"no"}}}`;
const event = (data: string): string => `data: ${data}\n\n`;

/** A gateway in front of a server that says in each stream, before its response, what nobody asked for. */
async function serving(more: object) {
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const events = { "content-type": "text/event-stream" };
    if (method === "GET") {
      response.writeHead(200, events).end(event(wrong("77")));
      return;
    }
    const { id, method: asked, params } = JSON.parse(body);
    const answer = (result: object): string => JSON.stringify({ jsonrpc: "2.0", id, result });
    if (asked === "initialize") {
      const capabilities = { tools: {} };
      const serverInfo = { name: "u", version: "1" };
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(answer({ protocolVersion: params.protocolVersion, capabilities, serverInfo }));
    } else if (asked === "tools/list") {
      response.writeHead(200, { "content-type": "application/json" });
      const caching = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
      response.end(answer({ tools: [TOOL], ...caching }));
    } else if (id === undefined) response.writeHead(202).end();
    else {
      const right = { resultType: "complete", content: [], structuredContent: { sum: 1 } };
      response.writeHead(200, events);
      response.end(event(wrong("77")) + event(wrong('" 05"')) + event(answer(right)));
    }
  });
  const mcpServers = { u: { url: upstream.url, touchstone: more } };
  const gateway = await startTestGateway({ mcpServers });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  return gateway;
}

const OFF = {
  input_validation: { mode: "off" },
  output_validation: { mode: "off" },
  protocol_validation: { mode: "off" },
};

describe("responses without a request over HTTP", () => {
  const perTool = { ...OFF, tools: { add: { output_validation: { mode: "strict" } } } };

  it.each([
    ["in strict", { output_validation: { mode: "strict" } }],
    ["where one tool is strict", perTool],
  ])("are blocked %s, but checked if a client would take them for its own", async (_, more) => {
    const gateway = await serving(more);
    const url = gateway.url("u");
    const headers = await initialize(url);
    const legacy = await post(
      url,
      request(5, "tools/call", { name: "add", arguments: {} }),
      headers,
    );
    const { body, headers: own } = modern("tools/call", { name: "add", arguments: {} }, { id: 5 });
    for (const { messages } of [legacy, await post(url, body, own)]) {
      expect(messages.map((message) => JSON.parse(message))).toMatchObject([
        { id: 5, result: { isError: true } },
      ]);
    }
    const decisions = await gateway.records({ type: "policy_decision", decision: "blocked" });
    const reasons = decisions.map(({ reason }) => reason);
    expect(reasons.filter((reason) => /no request with the id 77/.test(reason ?? ""))).toHaveLength(
      2,
    );
    const calls = await gateway.records({ type: "tool_call" });
    expect(calls.map(({ status }) => status)).toEqual(["blocked", "blocked"]);
  });

  it("are forwarded if nothing is strict", async () => {
    const gateway = await serving({});
    const headers = await initialize(gateway.url("u"));
    const { messages } = await post(
      gateway.url("u"),
      request(5, "tools/call", { name: "add", arguments: {} }),
      headers,
    );
    expect(messages.map((message) => JSON.parse(message).id)).toEqual([77, " 05", 5]);
  });

  it("are blocked on the server's stream, and become an error on a resumed one", async () => {
    const gateway = await serving({ output_validation: { mode: "strict" } });
    const headers = await initialize(gateway.url("u"));
    const get = async (more: object): Promise<string> => {
      const accept = "text/event-stream";
      const response = await fetch(gateway.url("u"), { headers: { ...headers, ...more, accept } });
      return response.text();
    };
    expect(await get({})).toBe("");
    // Its client may wait for what this gateway was asked before it was started again.
    const resumed = await get({ "last-event-id": "e1" });
    expect(JSON.parse(resumed.replace(/^data: /, ""))).toMatchObject({
      id: 77,
      error: { code: -32603, message: expect.stringContaining("send the request again") },
    });
    const decisions = await gateway.records({ type: "policy_decision", decision: "blocked" });
    expect(decisions).toHaveLength(2);
  });

  it("are forwarded on a resumed stream with a warning if nothing is strict", async () => {
    const gateway = await serving({});
    const headers = await initialize(gateway.url("u"));
    const own = { ...headers, accept: "text/event-stream", "last-event-id": "e1" };
    const response = await fetch(gateway.url("u"), { headers: own });
    expect(await response.text()).toBe(event(wrong("77")));
    expect(await gateway.records({ type: "policy_decision" })).toMatchObject([
      { decision: "warning", direction: "protocol" },
    ]);
  });
});
