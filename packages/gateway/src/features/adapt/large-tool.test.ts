import { expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../../testing/http.ts";

const LARGE = `{"name":"large","description":"${"d\u200b".repeat(300_000)}","inputSchema":{"type":"object"}}`;
const SMALL = '{"name":"small","description":"d\u200bd","inputSchema":{"type":"object"}}';
const HUGE = `{"name":"huge","inputSchema":{"type":"object","description":"${"d".repeat(1_100_000)}"}}`;

it("passes a tool of over 1 MiB unchanged, with a record, and blocks calls by such a schema if asked to", async () => {
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method, params = {} } = JSON.parse(body);
    const headers = { "content-type": "application/json", "mcp-session-id": "s" };
    response.writeHead(id === undefined ? 202 : 200, headers);
    const { protocolVersion } = params;
    const info = { protocolVersion, capabilities: {}, serverInfo: { name: "u", version: "1" } };
    const results: Record<string, string> = {
      initialize: JSON.stringify(info),
      "tools/list": `{"tools":[${LARGE},${SMALL},${HUGE}]}`,
    };
    const result = results[method] ?? '{"content":[]}';
    response.end(id === undefined ? "" : `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  });
  const touchstone = {
    adapt: { descriptions: { strip_hidden: true } },
    input_validation: { mode: "strict", on_invalid_schema: "block" },
  };
  const gateway = await startTestGateway({ mcpServers: { u: { url: upstream.url, touchstone } } });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const url = gateway.url("u");
  const headers = await initialize(url);
  const { text } = await post(url, request(2, "tools/list"), headers);
  expect(text.includes(LARGE)).toBe(true);
  expect(text.includes(HUGE)).toBe(true);
  expect(text.includes('{"name":"small","description":"dd","inputSchema"')).toBe(true);
  const blocked = await post(url, request(3, "tools/call", { name: "huge" }), headers);
  expect(JSON.parse(blocked.text).result).toMatchObject({ isError: true });
  const allowed = await post(url, request(4, "tools/call", { name: "large" }), headers);
  expect(JSON.parse(allowed.text).result).toEqual({ content: [] });
  const records = JSON.stringify(await gateway.records());
  const bytes = Buffer.byteLength(LARGE);
  expect(records).toContain(`the tool stays as it is: it has ${bytes} bytes, more than 1048576`);
});
