import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { type HttpUpstreamServer, startHttpUpstream } from "./testing/http.ts";

const OPEN = { type: "object" };
/** Optional members of a tool definition, with the values that some servers send instead of omitting them. */
const BROKEN: Readonly<Record<string, unknown>> = {
  title: null,
  description: null,
  annotations: null,
  icons: null,
  execution: null,
  outputSchema: null,
  _meta: null,
};
const WRONG: readonly object[] = [
  ...Object.entries(BROKEN).map(([name, value]) => ({ [name]: value })),
  { title: 5 },
  { description: ["a"] },
  { annotations: [] },
  { annotations: { readOnlyHint: null } },
  { annotations: { readOnlyHint: "true", title: "kept" } },
  { annotations: { title: 1 } },
  { icons: {} },
  { icons: [{ src: 5 }] },
  { execution: { taskSupport: "maybe" } },
  { _meta: "text" },
  { outputSchema: [] },
];
const ODD = [
  ...WRONG.map((more, at) => ({ name: `odd-${at}`, inputSchema: OPEN, ...more })),
  { name: "good", title: "Good", inputSchema: OPEN, annotations: { readOnlyHint: true } },
];
/** `openai-strict` wants closed objects, and refuses `minLength`. */
const SEARCH = {
  name: "search",
  description: "Searches.",
  inputSchema: {
    type: "object",
    properties: { q: { type: "string", minLength: 1 } },
    required: ["q"],
  },
};

let upstreams: readonly HttpUpstreamServer[];
let touchstone: TestGateway;

function listing(tools: readonly object[]): Promise<HttpUpstreamServer> {
  return startHttpUpstream(({ body }, response) => {
    const { id, method, params } = JSON.parse(body || "{}");
    if (id === undefined) return void response.writeHead(202).end();
    const isModern = body.includes("io.modelcontextprotocol/protocolVersion");
    const type = isModern ? { resultType: "complete", ttlMs: 0, cacheScope: "public" } : {};
    const about = { capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
    const results: Readonly<Record<string, object>> = {
      initialize: { protocolVersion: params?.protocolVersion, ...about },
      "server/discover": { ...type, supportedVersions: ["2026-07-28"], ...about },
      "tools/list": { ...type, tools },
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  });
}

beforeAll(async () => {
  upstreams = [await listing(ODD), await listing([SEARCH])];
  const [odd, search] = upstreams.map(({ url }) => url);
  const strict = { input_validation: { mode: "strict" } };
  const steps = (...kinds: readonly string[]) => ({ for: ["openai-strict"], steps: kinds });
  touchstone = await startTestGateway({
    protocol_validation: { mode: "off" },
    mcpServers: {
      plain: { url: odd },
      odd: { url: odd, touchstone: { adapt: { unusable_tools: "leave_out" } } },
      known: { url: odd, touchstone: { adapt: { for: ["claude-code"] } } },
      same: { url: search, touchstone: { ...strict, adapt: steps("same") } },
      narrower: { url: search, touchstone: { ...strict, adapt: steps("same", "narrower") } },
      wider: { url: search, touchstone: { ...strict, adapt: { for: ["openai-strict"] } } },
      warned: { url: search, touchstone: { adapt: { for: ["openai-strict"] } } },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await Promise.all(upstreams.map((one) => one.close()));
});

const INFO = { name: "test", version: "1" };
type Listed = readonly { readonly name: string; readonly inputSchema: object }[];
const CLIENTS: readonly (readonly [string, (server: string) => Promise<Listed>])[] = [
  [
    "the SDK of the first generation",
    async (server) => {
      const client = new ClientV1(INFO);
      await client.connect(new TransportV1(new URL(touchstone.url(server))) as never);
      try {
        return (await client.listTools()).tools;
      } finally {
        await client.close();
      }
    },
  ],
  [
    "the SDK of the second generation",
    async (server) => {
      const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await client.connect(new StreamableHTTPClientTransport(new URL(touchstone.url(server))));
      try {
        return (await client.listTools()).tools;
      } finally {
        await client.close();
      }
    },
  ],
];

describe.each(CLIENTS)("a client with %s", (_, list) => {
  it("refuses a whole list for one optional member that MCP does not allow", async () => {
    await expect(list("plain")).rejects.toThrow();
  });

  it.each(["odd", "known"])("accepts the list of %s, with all of its tools", async (server) => {
    const tools = await list(server);
    expect(tools.map(({ name }) => name)).toEqual(ODD.map(({ name }) => name));
    expect(tools.at(-1)).toMatchObject(ODD.at(-1) as object);
    // The valid parts of these tools are kept although the invalid ones are removed.
    expect(tools.filter((tool) => JSON.stringify(tool).includes('"kept"'))).toHaveLength(1);
  });

  it.each([
    ["same", {}, { minLength: 1 }],
    ["narrower", { additionalProperties: false }, { minLength: 1 }],
    ["wider", { additionalProperties: false }, {}],
    // If the schema accepts more than the original, the input is checked in strict mode only.
    ["warned", { additionalProperties: false }, { minLength: 1 }],
  ])("gets schemas as far as adapt.steps of %s allows", async (server, more, ofQ) => {
    const [tool] = await list(server);
    const { type, required } = SEARCH.inputSchema;
    const properties = { q: { type: "string", ...ofQ } };
    expect(tool?.inputSchema).toEqual({ type, properties, required, ...more });
  });
});

describe("the record of a changed list", () => {
  const issuesOf = async (server: string) => {
    const [record] = await touchstone.records({ server, type: "list_change" });
    return record?.issues ?? [];
  };

  it("names each member that was removed", async () => {
    await CLIENTS[0]?.[1]("odd");
    const messages = (await issuesOf("odd")).map(({ message }) => message);
    for (const { name } of ODD.slice(0, -1)) {
      expect(messages.some((message) => message.startsWith(`"${name}" is changed`))).toBe(true);
    }
    expect(messages.some((message) => message.startsWith('"good"'))).toBe(false);
  });

  it.each([
    ["same", /an object is open/],
    ["narrower", /minLength/],
    ["warned", /minLength/],
    ["wider", undefined],
  ])("says what the client may still refuse: adapt.steps of %s", async (server, left) => {
    await CLIENTS[0]?.[1](server);
    const said = (await issuesOf(server)).map(({ message }) => message);
    const refused = said.filter((message) => message.includes("still refused"));
    if (left === undefined) expect(refused).toEqual([]);
    else expect(refused.join("\n")).toMatch(left);
  });
});
