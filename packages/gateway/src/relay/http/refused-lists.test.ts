import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  initialize,
  modern,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

const WORK = { name: "work", arguments: {} };
const TOOLS = [{ name: "work", inputSchema: { type: "object" } }];
const NOT_FOUND =
  '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}';
const NO_METHOD = (id: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });

/** How the server refuses everything but `initialize`. */
interface Refused {
  readonly status: number;
  readonly head?: Readonly<Record<string, string>>;
  readonly body?: string | ((id: unknown) => string);
}

let upstream: HttpUpstreamServer;
/** Its sessions; undefined if it has none. */
let sessions: Set<string> | undefined;
let refused: Refused | undefined;

beforeAll(async () => {
  let count = 0;
  upstream = await startHttpUpstream(({ method, body, headers }, response) => {
    const message = body === "" ? {} : JSON.parse(body);
    const json = { "content-type": "application/json" };
    const lost = sessions !== undefined && !sessions.has(String(headers["mcp-session-id"]));
    if (method === "GET") response.writeHead(405).end();
    else if (message.method === "initialize") {
      count += 1;
      sessions?.add(`s${count}`);
      const serverInfo = { name: "u", version: "1" };
      const result = {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo,
      };
      response.writeHead(200, { ...json, "mcp-session-id": `s${count}` });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else if (refused !== undefined) {
      const { status, head = {}, body: text = "" } = refused;
      response.writeHead(status, { ...json, ...head });
      response.end(typeof text === "string" ? text : text(message.id));
    } else if (lost) response.writeHead(404, json).end(NOT_FOUND);
    else if (message.id === undefined) response.writeHead(202).end();
    else {
      const result =
        message.method === "tools/list"
          ? { tools: TOOLS, resultType: "complete", ttlMs: 0, cacheScope: "private" }
          : { content: [{ type: "text", text: "done" }], resultType: "complete" };
      response.writeHead(200, json);
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    }
  });
});
afterAll(() => upstream.close());

/** A strict gateway that has seen no list of the server. */
async function strictGateway(more: object = {}): Promise<TestGateway> {
  refused = undefined;
  sessions = undefined;
  const gateway = await startTestGateway({
    mcpServers: { s: { url: upstream.url, touchstone: more } },
    input_validation: { mode: "strict" },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

const IN_SESSION: readonly (readonly [string, Refused])[] = [
  ["404 with MCP's error", { status: 404, body: NOT_FOUND }],
  ["404 with a text", { status: 404, head: { "content-type": "text/plain" }, body: "gone" }],
  ["404 without a body", { status: 404 }],
  ["410", { status: 410 }],
  ["400 without the request's id", { status: 400, body: NOT_FOUND }],
];
const ANYWHERE: readonly (readonly [string, Refused])[] = [
  ["429", { status: 429, head: { "retry-after": "7" }, body: '{"error":"slow down"}' }],
  ["502 with a page", { status: 502, head: { "content-type": "text/html" }, body: "<h1>no</h1>" }],
  ["503", { status: 503, head: { "retry-after": "Wed, 21 Oct 2099 07:28:00 GMT" } }],
  ["504", { status: 504 }],
  [
    "503 with a body that cannot be read",
    { status: 503, head: { "content-encoding": "gzip" }, body: "no" },
  ],
];
const NOWHERE: readonly (readonly [string, Refused])[] = [
  ["500", { status: 500 }],
  ["403 without a challenge", { status: 403 }],
  ["404 of an unknown method", { status: 404, body: NO_METHOD }],
  ["400 about the request", { status: 400, body: NO_METHOD }],
];

describe("strict, if the server refuses the gateway's request for its list", () => {
  it.each([...IN_SESSION, ...ANYWHERE])("in a session, passes %s on", async (_, how) => {
    const gateway = await strictGateway();
    const headers = await initialize(gateway.url("s"));
    refused = how;
    for (let i = 1; i <= 2; i += 1) {
      const answer = await post(gateway.url("s"), request(i, "tools/call", WORK), headers);
      expect(answer.status).toBe(how.status);
      expect(answer.headers.get("retry-after")).toBe(how.head?.["retry-after"] ?? null);
      expect(JSON.parse(answer.text)).toMatchObject({ id: i, result: { isError: true } });
    }
  });

  it.each(ANYWHERE)("without a session, passes %s on", async (_, how) => {
    const gateway = await strictGateway();
    refused = how;
    const { body, headers } = modern("tools/call", WORK);
    const answer = await post(gateway.url("s"), body, headers);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([
      how.status,
      how.head?.["retry-after"] ?? null,
    ]);
    expect(answer.text).toContain(`HTTP status ${how.status}`);
  });

  it.each([...NOWHERE, ...IN_SESSION])("without a session, keeps %s in a text", async (_, how) => {
    const gateway = await strictGateway();
    refused = how;
    const { body, headers } = modern("tools/call", WORK);
    const answer = await post(gateway.url("s"), body, headers);
    // 400 is also the status of an unknown tool in this era.
    expect([200, 400]).toContain(answer.status);
    expect(JSON.parse(answer.text)).toMatchObject({ id: 1 });
  });

  it.each(NOWHERE)("in a session, keeps %s in a text", async (_, how) => {
    const gateway = await strictGateway();
    const headers = await initialize(gateway.url("s"));
    refused = how;
    const answer = await post(gateway.url("s"), request(1, "tools/call", WORK), headers);
    expect(answer.status).toBe(200);
  });

  it("passes a status on for a batch of which nothing is sent", async () => {
    const gateway = await strictGateway();
    const headers = await initialize(gateway.url("s"), "2025-03-26");
    refused = { status: 404, body: NOT_FOUND };
    const batch = [request(1, "tools/call", WORK), request(2, "tools/call", WORK)];
    const answer = await post(gateway.url("s"), batch, headers);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it("passes a status on if tools are pinned, too", async () => {
    const gateway = await strictGateway({
      ...{ pin: "strict", lock: "first_use", input_validation: { mode: "warn" } },
    });
    const headers = await initialize(gateway.url("s"));
    refused = { status: 404, body: NOT_FOUND };
    const answer = await post(gateway.url("s"), request(1, "tools/call", WORK), headers);
    expect(answer.status).toBe(404);
  });

  it("asks again as soon as the server wants to be asked", async () => {
    const gateway = await strictGateway();
    refused = { status: 429, head: { "retry-after": "0" } };
    const { body, headers } = modern("tools/call", WORK);
    expect((await post(gateway.url("s"), body, headers)).status).toBe(429);
    refused = undefined;
    expect((await post(gateway.url("s"), body, headers)).status).toBe(200);
  });
});

describe("a client of an SDK whose session is gone", () => {
  const CLIENTS = {
    1: () => ({
      client: new ClientV1({ name: "t", version: "1" }),
      transport: (url: string) => new TransportV1(new URL(url)),
    }),
    2: () => ({
      client: new ClientV2({ name: "t", version: "1" }),
      transport: (url: string) => new TransportV2(new URL(url)),
    }),
  } as const;

  it.each([1, 2] as const)("learns it from version %s, and begins another", async (version) => {
    const gateway = await strictGateway();
    sessions = new Set();
    const connect = async () => {
      const { client, transport } = CLIENTS[version]();
      const over = transport(gateway.url("s"));
      await client.connect(over as never);
      onTestFinished(() => client.close());
      return client;
    };
    const first = await connect();
    // The server starts again, and the client's first message after that is a call.
    sessions.clear();
    await expect(first.callTool(WORK)).rejects.toMatchObject({
      message: expect.stringContaining("begin a new one with initialize"),
      ...(version === 1 ? { code: 404 } : { status: 404 }),
    });
    const second = await connect();
    expect(await second.callTool(WORK)).toMatchObject({ content: [{ text: "done" }] });
  });
});
