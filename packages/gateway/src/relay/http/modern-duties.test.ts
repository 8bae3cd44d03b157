import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { modern, post } from "../../testing/http.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const TOOLS = JSON.stringify([
  {
    name: "work",
    inputSchema: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    },
  },
  { name: "bad", inputSchema: { type: "object", "x-mcp-header": "Root" } },
]);
let touchstone: TestGateway;

beforeAll(async () => {
  const list = `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":${TOOLS}}}`;
  const versions = `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2031-01-01"]}}`;
  const scripted = (...on: string[]) => ({
    command: process.execPath,
    args: [SCRIPTED_SERVER, ...on.flatMap((action) => ["--on", action])],
  });
  const off = { mode: "off" };
  touchstone = await startTestGateway({
    mcpServers: {
      listing: scripted(`tools/list=raw:${list}`, `server/discover=raw:${versions}`),
      off: {
        ...scripted(`tools/list=raw:${list}`),
        touchstone: { input_validation: off, output_validation: off, protocol_validation: off },
      },
      unlisted: scripted("tools/list=error:-32603", "server/discover=error:-32603"),
    },
  });
});
afterAll(() => touchstone.close());

/** A call of `work`, or of another tool, with one more header. */
function call(server: string, region: unknown, header?: string, tool = "work") {
  const { body, headers } = modern("tools/call", { name: tool, arguments: { region } });
  const more = header === undefined ? {} : { "mcp-param-region": header };
  return post(touchstone.url(server), body, { ...headers, ...more });
}

describe("headers that mirror arguments", () => {
  it.each(["listing", "off"])("are checked for a stdio server (%s)", async (server) => {
    for (const header of [undefined, "eu", "=?base64?dXM?="]) {
      const { status, text } = await call(server, "us", header);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32020 } });
      expect(text).toContain("Mcp-Param-Region");
    }
    for (const header of ["us", "=?base64?dXM=?="]) {
      expect((await call(server, "us", header)).status).toBe(200);
    }
    expect((await call(server, null)).status).toBe(200);
  });

  it("are not required if the schema is invalid or unknown", async () => {
    expect((await call("listing", "us", undefined, "bad")).status).toBe(200);
    expect((await call("unlisted", "us")).status).toBe(200);
  });
});

describe("the revision of a request", () => {
  const discover = (server: string, version: string) => {
    const { body, headers } = modern("server/discover", {}, { meta: { [VERSION]: version } });
    return post(touchstone.url(server), body, { ...headers, "mcp-protocol-version": version });
  };

  it("is refused with the server's supported revisions", async () => {
    const { status, text } = await discover("listing", "v999.0.0");
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        data: { supported: ["2026-07-28", "2031-01-01"], requested: "v999.0.0" },
      },
    });
  });

  it("is accepted if only the server knows it", async () => {
    expect((await discover("listing", "2031-01-01")).status).toBe(200);
  });

  it("is refused with the latest one if the server does not list its own", async () => {
    const { text } = await discover("unlisted", "2031-01-01");
    expect(JSON.parse(text)).toMatchObject({ error: { data: { supported: ["2026-07-28"] } } });
  });
});
