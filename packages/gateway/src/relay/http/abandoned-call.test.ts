import { expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, request, startHttpUpstream } from "../../testing/http.ts";

it("records a call on shutdown if its stream was never resumed", async () => {
  const upstream = await startHttpUpstream(({ method: verb, body }, response) => {
    const { id, method, params } = verb === "POST" ? JSON.parse(body) : {};
    const json = (result: object): void => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      const { protocolVersion } = params;
      const serverInfo = { name: "u", version: "1" };
      json({ protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === "tools/list") json({ tools: [] });
    else if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("id: 1\ndata:\n\n");
    } else response.writeHead(202).end();
  });
  onTestFinished(() => upstream.close());
  const touchstone = await startTestGateway({ mcpServers: { u: { url: upstream.url } } });
  onTestFinished(() => touchstone.close());
  const url = touchstone.url("u");
  const session = await initialize(url);
  const leaving = new AbortController();
  const answered = await fetch(url, {
    method: "POST",
    headers: { ...session, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(request(5, "tools/call", { name: "slow", arguments: {} })),
    signal: leaving.signal,
  });
  const reader = answered.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain("id: 1");
  leaving.abort();
  await expect.poll(() => touchstone.gateway.underWay, { interval: 5 }).toBe(0);
  expect(await touchstone.records({ type: "tool_call" })).toEqual([]);
  await touchstone.gateway.close();
  expect(await touchstone.records({ type: "tool_call" })).toMatchObject([
    { tool: "slow", status: "error", reason: expect.stringContaining("gateway") },
  ]);
});
