import { expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../../testing/http.ts";

const TOOL = {
  name: "slow",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { n: { type: "number" } } },
};
const STRICT = { mode: "strict" };

/** A gateway in front of a server that answers the call of `slow` when it is told to. */
async function serving() {
  let finish: (result: object) => void = () => {};
  let called: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    called = resolve;
  });
  const upstream = await startHttpUpstream(({ method: verb, body }, response) => {
    if (verb === "DELETE") {
      response.writeHead(200).end();
      return;
    }
    const { id, method, params } = JSON.parse(body);
    const json = (result: object): void => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      const { protocolVersion } = params;
      json({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "u", version: "1" },
      });
    } else if (method === "tools/list") json({ tools: [TOOL] });
    else if (id === undefined) response.writeHead(202).end();
    else if (method === "ping") response.writeHead(404).end();
    else {
      finish = json;
      called();
    }
  });
  const settings = {
    input_validation: STRICT,
    output_validation: STRICT,
    protocol_validation: STRICT,
  };
  const gateway = await startTestGateway({ mcpServers: { u: { url: upstream.url } }, ...settings });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const url = gateway.url("u");
  const session = await initialize(url);
  const call = post(url, request(5, "tools/call", { name: "slow", arguments: {} }), session);
  await begun;
  return { url, session, call, gateway, finish: (result: object) => finish(result) };
}

type Served = Awaited<ReturnType<typeof serving>>;

const ways = {
  "the server that does not find it anymore": ({ url, session }: Served) =>
    post(url, request(6, "ping"), session),
  "its client": ({ url, session }: Served) => fetch(url, { method: "DELETE", headers: session }),
};

it.each(Object.entries(ways))(
  "checks, answers and records a pending call once if %s ends its session",
  async (_, end) => {
    const served = await serving();
    await end(served);
    served.finish({ content: [], structuredContent: { n: 1 } });
    const { status, messages } = await served.call;
    expect([status, messages.map((text) => JSON.parse(text))]).toMatchObject([
      200,
      [{ id: 5, result: { structuredContent: { n: 1 } } }],
    ]);
    const calls = await served.gateway.records({ type: "tool_call" });
    expect(calls.map(({ status, outcome }) => [status, outcome])).toEqual([["success", "pass"]]);
  },
);
