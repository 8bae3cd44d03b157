import { describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../../testing/http.ts";

const TOOL = {
  name: "add",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { sum: { type: "number" } } },
};
const json = { "content-type": "application/json" };

/** A gateway in front of a server whose streams can be resumed, and give their answers again then. */
async function serving(answerOf: (id: unknown) => string) {
  let last = "";
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const events = { "content-type": "text/event-stream" };
    if (method === "GET") {
      response.writeHead(200, events).end(last);
      return;
    }
    const { id, method: asked, params } = JSON.parse(body);
    const answer = (result: object): string => JSON.stringify({ jsonrpc: "2.0", id, result });
    if (asked === "initialize") {
      const serverInfo = { name: "u", version: "1" };
      response.writeHead(200, { ...json, "mcp-session-id": "s" });
      const { protocolVersion } = params;
      response.end(answer({ protocolVersion, capabilities: { tools: {} }, serverInfo }));
    } else if (asked === "tools/list") response.writeHead(200, json).end(answer({ tools: [TOOL] }));
    else if (id === undefined) response.writeHead(202).end();
    else {
      last = `id: e2\ndata: ${answerOf(id)}\n\n`;
      response.writeHead(200, events).end(`id: e1\ndata:\n\n${last}`);
    }
  });
  const touchstone = { output_validation: { mode: "strict" } };
  const gateway = await startTestGateway({ mcpServers: { u: { url: upstream.url, touchstone } } });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const headers = await initialize(gateway.url("u"));
  const call = request(5, "tools/call", { name: "add", arguments: {} });
  const { messages } = await post(gateway.url("u"), call, headers);
  const again = await fetch(gateway.url("u"), {
    headers: { ...headers, accept: "text/event-stream", "last-event-id": "e1" },
  });
  return { gateway, last, first: messages.at(-1) ?? "", again: await again.text() };
}

describe("a response that is repeated on a resumed stream", () => {
  it("is forwarded again unchanged", async () => {
    const { gateway, last, first, again } = await serving(
      (id) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"sum":1.0}}}`,
    );
    expect(first).toContain('"sum":1.0');
    expect(again).toBe(last);
    expect(await gateway.records({ type: "policy_decision" })).toEqual([]);
    expect(await gateway.records({ type: "tool_call" })).toMatchObject([{ status: "success" }]);
  });

  it("is checked by the call's contract again", async () => {
    const { gateway, first, again } = await serving(
      (id) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"sum":"x"}}}`,
    );
    expect(JSON.parse(first)).toMatchObject({ id: 5, result: { isError: true } });
    expect(again).toContain(first);
    expect(await gateway.records({ type: "tool_call" })).toMatchObject([{ status: "blocked" }]);
  });
});
