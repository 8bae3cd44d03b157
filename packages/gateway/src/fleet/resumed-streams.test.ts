import { describe, expect, it, onTestFinished } from "vitest";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { initialize, post, request, startHttpUpstream } from "../testing/http.ts";
import { connectOver, OBJECT, startResumable, TOOL } from "../testing/resumable.ts";
import { query, records, startGateway } from "./testing/gateways.ts";

const database = useDatabases();

async function calling(store: string, structured: object, mode: "strict" | "warn" = "strict") {
  const config = {
    activity: { store },
    output_validation: { mode },
    mcpServers: { web: { url: await startResumable(structured) } },
  };
  const [one, other] = await Promise.all([startGateway(config), startGateway(config)]);
  const { client, transport, resumed } = await connectOver(one.url("web"), other.url("web"));
  const result = await client.callTool({ name: "count", arguments: {} });
  expect(resumed.length).toBeGreaterThan(0);
  return { one, other, transport, result };
}

describe("a stream resumed at another gateway with the same store", () => {
  it("checks the response by the call's contract and records it once", async ({ skip }) => {
    const store = await database(skip);
    const { transport, result } = await calling(store, { n: "no integer" });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain("no integer");
    // The gateway that received the call is told that the session is over.
    await transport.terminateSession();
    const [decision, ...decisions] = await records(store, "policy_decision");
    const [called, ...calls] = await records(store, "tool_call");
    expect(decision).toMatchObject({ tool: "count", direction: "output", decision: "blocked" });
    expect(called).toMatchObject({ tool: "count", status: "blocked", session: decision?.session });
    expect(called?.request_id).toBe(decision?.request_id);
    expect([decisions, calls]).toEqual([[], []]);
  }, 60_000);

  it("delivers a valid response unchanged", async ({ skip }) => {
    const store = await database(skip);
    const { one, other, result } = await calling(store, { n: 1 });
    expect(result).toEqual({ content: [], structuredContent: { n: 1 } });
    await one.gateway.close();
    await other.gateway.close();
    expect(await records(store, "policy_decision")).toEqual([]);
    expect(await records(store, "tool_call")).toMatchObject([
      { tool: "count", status: "success", outcome: "pass" },
    ]);
  }, 60_000);

  it("delivers an invalid response with a warning in warn mode", async ({ skip }) => {
    const store = await database(skip);
    const { result } = await calling(store, { n: "no integer" }, "warn");
    expect(result).toMatchObject({ structuredContent: { n: "no integer" } });
    expect(await records(store, "policy_decision")).toMatchObject([
      { tool: "count", direction: "output", decision: "warning" },
    ]);
    expect(await records(store, "tool_call")).toMatchObject([{ status: "warning" }]);
  }, 60_000);

  it("delivers the response of an unlisted tool unchecked", async ({ skip }) => {
    const store = await database(skip);
    const config = {
      activity: { store },
      mcpServers: { web: { url: await startResumable({ n: "no integer" }, true, []) } },
    };
    const [one, other] = await Promise.all([startGateway(config), startGateway(config)]);
    const { client, resumed } = await connectOver(one.url("web"), other.url("web"));
    const result = await client.callTool({ name: "count", arguments: {} });
    expect([result, resumed.length > 0]).toMatchObject([
      { structuredContent: { n: "no integer" } },
      true,
    ]);
    await one.gateway.close();
    await other.gateway.close();
    expect(await records(store, "tool_call")).toMatchObject([
      { status: "warning", outcome: "unknown" },
    ]);
  }, 60_000);
});

const json = { "content-type": "application/json" };
const sse = { "content-type": "text/event-stream" };
const answer = (id: unknown, result: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result });

/** A server that answers calls in one of three ways, and on resumed streams with a response to call 9. */
async function startScripted(): Promise<string> {
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const event = (id: unknown) =>
      `data: ${answer(id, { content: [], structuredContent: {} })}\n\n`;
    if (method !== "POST") {
      response.writeHead(200, sse).end(`id: e9\n${event(9)}`);
      return;
    }
    const { id, method: asked, params } = JSON.parse(body);
    if (id === undefined) response.writeHead(202).end();
    else if (asked === "tools/call") {
      if (params.arguments.as === "body") response.writeHead(200, json).end(answer(id, {}));
      else if (params.arguments.as === "events") response.writeHead(200, sse).end(event(id));
      else response.writeHead(200, sse).end(`id: e1\n${event(id)}`);
    } else {
      const { protocolVersion } = params;
      const serverInfo = { name: "u", version: "1" };
      const own = asked === "initialize" ? { "mcp-session-id": "s" } : {};
      const capabilities = { tools: {} };
      const tools = [{ ...TOOL, outputSchema: OBJECT }];
      response.writeHead(200, { ...json, ...own });
      response.end(answer(id, { protocolVersion, capabilities, serverInfo, tools }));
    }
  });
  onTestFinished(() => upstream.close());
  return upstream.url;
}

it("skips the store for responses without a resumable event, and blocks unrequested ones", async ({
  skip,
}) => {
  const store = await database(skip);
  const config = {
    activity: { store },
    output_validation: { mode: "strict" },
    mcpServers: { web: { url: await startScripted() } },
  };
  const [one, other] = await Promise.all([startGateway(config), startGateway(config)]);
  const headers = await initialize(one.url("web"));
  for (const [id, as] of ["body", "events", "marked events"].entries()) {
    const call = request(id + 1, "tools/call", { name: "count", arguments: { as } });
    const { messages } = await post(one.url("web"), call, headers);
    expect(messages).toHaveLength(1);
  }
  // It is unknown which calls these responses answer.
  expect(await query(store, "SELECT * FROM requests")).toEqual([]);
  const resuming = { ...headers, accept: "text/event-stream", "last-event-id": "e1" };
  const resumed = await (await fetch(other.url("web"), { headers: resuming })).text();
  expect(JSON.parse(resumed.replace(/^(id: e9\n)?data: /, ""))).toMatchObject({
    id: 9,
    error: { code: -32603, message: expect.stringContaining("send the request again") },
  });
}, 60_000);
