import { describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { modern, post, startHttpUpstream } from "../../testing/http.ts";

const TOOLS = [{ name: "work", inputSchema: { type: "object" } }];
const WORK = { name: "work", arguments: {} };
const CLIENT = { authorization: "Bearer client" };

/** Gateways to one upstream that says who asked; only `Bearer client` may list its tools. */
async function serving(config: object, entry: object = {}) {
  const upstream = await startHttpUpstream(({ method, body, headers }, response) => {
    const message = body === "" ? {} : JSON.parse(body);
    if (method !== "POST" || message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (headers.authorization === undefined) {
      response.writeHead(401, { "www-authenticate": 'Bearer realm="x"' }).end();
      return;
    }
    const result =
      message.method === "initialize"
        ? {
            protocolVersion: "2025-11-25",
            capabilities: {},
            serverInfo: { name: "u", version: "1" },
          }
        : message.method === "tools/list"
          ? { tools: TOOLS, resultType: "complete", ttlMs: 0, cacheScope: "private" }
          : { content: [], resultType: "complete" };
    const head = { "content-type": "application/json", "mcp-session-id": "s" };
    response.writeHead(200, head).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  onTestFinished(() => upstream.close());
  const touchstone = await startTestGateway({
    ...config,
    mcpServers: { s: { url: upstream.url, ...entry } },
  });
  onTestFinished(() => touchstone.close());
  /** `METHOD AUTHORIZATION` of each message at the server. */
  const seen = () =>
    upstream.seen.map(({ body, headers }) => [JSON.parse(body).method, headers.authorization]);
  return { url: touchstone.url("s"), seen };
}

const call = modern("tools/call", WORK);

describe("forward_authorization", () => {
  it.each([
    ["at the top", { forward_authorization: true }, {}],
    ["in the entry", {}, { touchstone: { forward_authorization: true } }],
  ])(
    "%s: a client's Authorization goes with its call and with what is asked in its name",
    async (_, config, entry) => {
      const { url, seen } = await serving(config, entry);
      const answer = await post(url, call.body, { ...call.headers, ...CLIENT });
      expect(answer.status).toBe(200);
      expect(seen()).toEqual([
        ["tools/list", "Bearer client"],
        ["tools/call", "Bearer client"],
      ]);
    },
  );

  it.each([
    ["by default", {}, {}],
    [
      "where the entry says no",
      { forward_authorization: true },
      { touchstone: { forward_authorization: false } },
    ],
  ])("%s no Authorization goes on, and the server's 401 comes back", async (_, config, entry) => {
    const { url, seen } = await serving(config, entry);
    const answer = await post(url, call.body, { ...call.headers, ...CLIENT });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="x"',
    ]);
    expect(seen().map(([, authorization]) => authorization)).toEqual([undefined, undefined]);
  });

  it("never gives the gateway's own key to a server", async () => {
    const config = { forward_authorization: true, auth: { api_key: "s3cret" } };
    const { url, seen } = await serving(config);
    const own = { ...call.headers, authorization: "bearer s3cret" };
    expect((await post(url, call.body, own)).status).toBe(401);
    const both = { ...call.headers, ...CLIENT, "x-api-key": "s3cret" };
    expect((await post(url, call.body, both)).status).toBe(200);
    const given = seen().map(([, authorization]) => authorization);
    expect(new Set(given)).toEqual(new Set([undefined, "Bearer client"]));
  });

  it("leaves configured credentials in their place", async () => {
    const headers = { Authorization: "Bearer configured" };
    const { url, seen } = await serving({ forward_authorization: true }, { headers });
    await post(url, call.body, { ...call.headers, ...CLIENT });
    expect(seen().at(-1)).toEqual(["tools/call", "Bearer configured"]);
  });
});
