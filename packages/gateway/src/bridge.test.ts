import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../util/src/log.ts";
import { startTestGateway, type TestGateway } from "./testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "./testing/http.ts";
import { LineLog } from "./testing/line-log.ts";
import { call, INITIALIZE, INITIALIZED } from "./testing/messages.ts";
import { createModernServer } from "./testing/modern-tools.mjs";
import { type SdkServer, serveSdk } from "./testing/sdk-server.ts";
import { tempDir, wrapped } from "./testing/wrapped.ts";
import { settingsFromOverrides, wrapUrl } from "./wrap.ts";

const SERVER = fileURLToPath(new URL("testing/modern-server.mjs", import.meta.url));
const INFO = { name: "old", version: "3" };
const PAIR = "2025-11-25>2026-07-28";
const strict = { mode: "strict" };

let upstream: SdkServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await serveSdk(createMcpHandler(createModernServer, { legacy: "reject" }));
  touchstone = await startTestGateway({
    input_validation: strict,
    output_validation: strict,
    protocol_validation: strict,
    mcpServers: {
      http: { url: upstream.url },
      stdio: { command: process.execPath, args: [SERVER] },
      off: { url: upstream.url, touchstone: { bridge: "off" } },
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

type Client = Pick<
  ClientV1,
  | "getServerVersion"
  | "getServerCapabilities"
  | "getInstructions"
  | "listTools"
  | "callTool"
  | "ping"
  | "listPrompts"
  | "getPrompt"
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "complete"
  | "subscribeResource"
  | "setLoggingLevel"
  | "close"
>;

async function connectV1(url: string): Promise<Client> {
  const client = new ClientV1(INFO);
  await client.connect(new HttpV1(new URL(url)) as never);
  return client;
}
async function connectV2(url: string): Promise<Client> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new HttpV2(new URL(url)));
  return client as unknown as Client;
}

const CHANGES = { listChanged: true };
const SERVERS = ["http", "stdio"] as const;
const CLIENTS = [
  ["v1", connectV1],
  ["v2", connectV2],
] as const;
const BOTH = SERVERS.flatMap((server) =>
  CLIENTS.map(([sdk, connect]) => [sdk, server, connect] as const),
);

describe.each(BOTH)(
  "an old client of SDK %s, in front of a server over %s",
  (_, server, connect) => {
    let client: Client;
    beforeAll(async () => {
      client = await connect(touchstone.url(server));
    });
    afterAll(() => client.close());

    it("learns what the server is and offers, as far as it crosses", () => {
      expect(client.getServerVersion()).toMatchObject({ name: "modern", version: "7.1.0" });
      expect(client.getServerCapabilities()).toEqual({
        ...{ logging: {}, completions: {}, prompts: CHANGES, resources: CHANGES, tools: CHANGES },
      });
      expect(client.getInstructions()).toBe("Ask for é.");
    });

    it("calls tools, whose results have the shape that the client's revision allows", async () => {
      const { tools } = await client.listTools();
      const outputs = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema]));
      expect(outputs.get("weather")).toMatchObject({ properties: { degrees: {} } });
      expect(outputs.get("cities")).toEqual({
        type: "object",
        properties: {
          result: {
            type: "array",
            items: { $ref: "#/properties/result/$defs/city" },
            $defs: { city: { type: "string" } },
          },
        },
        required: ["result"],
      });
      const called = async (name: string, args: Record<string, unknown> = {}) => {
        const result = await client.callTool({ name, arguments: args });
        expect(result).not.toHaveProperty("resultType");
        return result["structuredContent"] ?? result["content"];
      };
      expect(await called("weather", { city: "Rome" })).toEqual({ degrees: 4 });
      expect(await called("cities")).toEqual({ result: ["Rome", "Oslo"] });
      expect(await called("either")).toEqual({ result: { found: true } });
      // The bridge adds the header that repeats this argument.
      expect(await called("regional", { region: "é" })).toEqual([{ type: "text", text: "é" }]);
      const refused = await client.callTool({ name: "weather", arguments: { city: 5 } });
      expect(refused).toMatchObject({ isError: true });
    });

    it("gets progress", async () => {
      const seen: number[] = [];
      const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress);
      const params = { name: "steps", arguments: {} };
      const result = await (client instanceof ClientV2
        ? client.callTool(params, { onprogress })
        : client.callTool(params, undefined, { onprogress }));
      expect([result.content, seen]).toEqual([[{ type: "text", text: "done" }], [1, 2, 3]]);
    });

    it("uses prompts, resources, completion and ping", async () => {
      expect(await client.ping()).toEqual({});
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"]);
      expect(
        (await client.getPrompt({ name: "greet", arguments: { name: "B" } })).messages,
      ).toEqual([{ role: "user", content: { type: "text", text: "Hi B" } }]);
      expect((await client.listResources()).resources).toHaveLength(1);
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
      expect((await client.readResource({ uri: "note://1" })).contents).toEqual([
        { uri: "note://1", text: "note" },
      ]);
      const ref = { type: "ref/resource", uri: "note://{id}/text" } as const;
      const { completion } = await client.complete({ ref, argument: { name: "id", value: "5" } });
      expect(completion.values).toEqual(["51", "52"]);
    });

    it("gets an error at once for what does not cross", async () => {
      await expect(client.callTool({ name: "asks", arguments: {} })).rejects.toThrow(
        /"input_required" does not cross the bridge from 2025-11-25 to 2026-07-28: .* has asked for input 10 times/,
      );
      await expect(
        post(touchstone.url(server), request(9, "resources/subscribe", { uri: "note://1" }), {
          ...(await initialize(touchstone.url(server))),
        }).then(({ text }) => Promise.reject(new Error(text))),
      ).rejects.toThrow(/-32601.*resources\/subscribe.*does not cross the bridge/);
    });
  },
);

/** A client that responds to requests for input. @param name that its user writes */
async function answering(sdk: "v1" | "v2", url: string, name: unknown) {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const elicited = { action: "accept", content: { name } } as never;
  const sampled = {
    ...{ role: "assistant", model: "m", content: { type: "text", text: "Hi!" } },
  } as never;
  const roots = { roots: [{ uri: "file:///a" }] };
  const asked: unknown[] = [];
  const say = <T>(params: unknown, result: T): T => {
    asked.push(params);
    return result;
  };
  if (sdk === "v1") {
    const client = new ClientV1(INFO, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => say(params, elicited));
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => say(params, sampled));
    client.setRequestHandler(ListRootsRequestSchema, () => say("roots", roots));
    await client.connect(new HttpV1(new URL(url)) as never);
    return { client: client as unknown as Client, asked };
  }
  const client = new ClientV2(INFO, { capabilities, versionNegotiation: { mode: "legacy" } });
  client.setRequestHandler("elicitation/create", ({ params }) => say(params, elicited));
  client.setRequestHandler("sampling/createMessage", ({ params }) => say(params, sampled));
  client.setRequestHandler("roots/list", () => say("roots", roots));
  await client.connect(new HttpV2(new URL(url)));
  return { client: client as unknown as Client, asked };
}

describe.each(BOTH)("input for a server over HTTP or stdio: SDK %s, %s", (sdk, server) => {
  it("is asked of the client in rounds, and comes with the call", async () => {
    const { client, asked } = await answering(sdk, touchstone.url(server), "Bö");
    const result = await client.callTool({ name: "confirm", arguments: {} });
    const [{ text }] = result.content as [{ text: string }];
    expect(JSON.parse(text)).toEqual([
      { action: "accept", content: { name: "Bö" } },
      { type: "text", text: "Hi!" },
      [{ uri: "file:///a" }],
    ]);
    expect(asked).toMatchObject([{ message: "Who?" }, { maxTokens: 5 }, "roots"]);
    await client.close();
  });

  it("is checked against the form", async () => {
    const { client } = await answering(sdk, touchstone.url(server), 5);
    await expect(client.callTool({ name: "confirm", arguments: {} })).resolves.toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("/content/name") }],
    });
    await client.close();
  });

  it("is an error if the client cannot give it", async () => {
    const client = await connectV1(touchstone.url(server));
    await expect(client.callTool({ name: "confirm", arguments: {} })).rejects.toThrow(
      /elicitation/,
    );
    await client.close();
  });

  it("is withdrawn if the call is canceled", async () => {
    const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
    let began = (): void => {};
    const asked = new Promise<void>((resolve) => {
      began = resolve;
    });
    const withdrawn = new Promise<void>((resolve) => {
      client.setRequestHandler(ElicitRequestSchema, (_request, { signal }) => {
        signal.addEventListener("abort", () => resolve());
        began();
        return new Promise(() => {});
      });
    });
    await client.connect(new HttpV1(new URL(touchstone.url(server))) as never);
    const leaving = new AbortController();
    const called = client.callTool({ name: "confirm", arguments: {} }, undefined, {
      signal: leaving.signal,
    });
    await asked;
    leaving.abort("enough");
    await expect(called).rejects.toThrow(/enough/);
    await withdrawn;
    expect(await client.ping()).toEqual({});
    await client.close();
  });
});

describe("a bridged session", () => {
  it("is named in the records of its calls, and once in the log", async () => {
    const url = touchstone.url("http");
    const session = await initialize(url);
    await post(url, call("r", "regional", { region: "x" }), session);
    const calls = await touchstone.records({ server: "http", type: "tool_call" });
    expect(calls.at(-1)).toMatchObject({ tool: "regional", status: "success", bridged: PAIR });
    expect(touchstone.lines.filter((line) => line.includes("are bridged"))).toEqual([
      expect.stringContaining(
        "http: clients of 2025-11-25 are bridged: the server refuses initialize and speaks 2026-07-28 (bridge)",
      ),
      expect.stringContaining("stdio: clients of 2025-11-25 are bridged"),
    ]);
    // Neither the log nor the records warn of a problem that the bridge solves.
    expect(touchstone.lines.join("\n")).not.toContain("this server speaks only");
    expect(await touchstone.records({ type: "policy_decision", decision: "warning" })).toEqual([]);
  });

  it("gets the log messages of the level that it sets", async () => {
    const client = new ClientV1(INFO);
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      logged.push(params.data);
    });
    await client.connect(new HttpV1(new URL(touchstone.url("http"))) as never);
    await client.callTool({ name: "logs", arguments: {} });
    await client.setLoggingLevel("error");
    await client.callTool({ name: "logs", arguments: {} });
    expect(logged).toEqual(["a lot"]);
    await client.close();
  });

  it("ends with DELETE, and is its own caller's", async () => {
    const url = touchstone.url("http");
    const session = await initialize(url, "2025-06-18");
    const odd = { ...session, "mcp-protocol-version": "1999-01-01" };
    expect((await post(url, request(1, "ping"), odd)).status).toBe(400);
    expect((await post(url, INITIALIZED, session)).status).toBe(202);
    expect((await fetch(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await post(url, request(1, "ping"), session)).status).toBe(404);
  });

  it("takes the messages of a batch one by one", async () => {
    const url = touchstone.url("http");
    const session = await initialize(url, "2025-03-26");
    const batch = [
      request(1, "ping"),
      INITIALIZED,
      call(2, "weather", { city: "Oslo" }),
      request(3, "resources/subscribe", { uri: "a" }),
    ];
    const { messages } = await post(url, batch, session);
    const answers = messages.map((text) => JSON.parse(text)).sort((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { structuredContent: { degrees: 4 } } },
      { id: 3, error: { code: -32601 } },
    ]);
  });

  it.each(["not JSON", "[]", '{"jsonrpc":"2.0","id":1}'])("refuses %s", async (body) => {
    const url = touchstone.url("http");
    const { status, text } = await post(url, body, await initialize(url));
    expect(status).toBeGreaterThanOrEqual(200);
    expect(text).toContain('"error":');
  });

  it("does not begin if the bridge is off", async () => {
    const { status, text } = await post(touchstone.url("off"), INITIALIZE);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.code).toBe(-32022);
    await touchstone.line(/this server speaks only 2026-07-28/);
  });

  it("is canceled by the client's notification, and by its leaving", async () => {
    const open = new Map<string, Promise<void>>();
    const server = await startHttpUpstream(({ body }, response) => {
      const { id, method } = body === "" ? { id: null, method: "" } : JSON.parse(body);
      const send = (status: number, members: object): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...members }));
      };
      const about = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
      if (method === "server/discover") {
        send(200, {
          result: { ...about, resultType: "complete", ttlMs: 0, cacheScope: "private" },
        });
      } else if (method === "tools/call") {
        open.set(id, new Promise((resolve) => response.on("close", resolve)));
        wake(id);
      } else send(404, { error: { code: -32601, message: "no" } });
    });
    let wake: (id: string) => void = () => {};
    const came = (id: string) =>
      new Promise<void>((resolve) => {
        wake = (other) => other === id && resolve();
      });
    const gateway = await startTestGateway({ mcpServers: { s: { url: server.url } } });
    onTestFinished(async () => {
      await gateway.close();
      await server.close();
    });
    const url = gateway.url("s");
    const session = await initialize(url);
    const first = came("a");
    const canceled = post(url, call("a", "t", {}), session);
    await first;
    const params = { requestId: "a" };
    await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params }, session);
    expect((await canceled).text).toBe("");
    await open.get("a");
    const second = came("b");
    const leaving = new AbortController();
    const left = post(url, call("b", "t", {}), session, leaving.signal).catch(() => "left");
    await second;
    leaving.abort();
    expect(await left).toBe("left");
    await open.get("b");
  });
});

/** Starts a server of 2026-07-28 over HTTP that returns these members as the results of each method. */
async function serving(results: Record<string, string>) {
  const server = await startHttpUpstream(({ body }, response) => {
    const { id, method } = body === "" ? { id: null, method: "" } : JSON.parse(body);
    const members = results[method];
    const text =
      members === undefined
        ? `"error":{"code":-32601,"message":"no such method"}`
        : `"result":{${members}}`;
    response.writeHead(members === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${text}}`);
  });
  onTestFinished(() => server.close());
  return server;
}
const DISCOVERED =
  '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"';
const LISTED =
  '"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"x"},"r":{"type":"string","x-mcp-header":"R"}}}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"';
const CALLED = '"content" : [ ],"structuredContent":{"n":1.0,"b":12345678901234567890}';

/** Returns the line that answers a request with the id 7 through `wrap --url`. */
async function throughWrap(url: string, sent: string): Promise<string> {
  const [input, output, received] = [new PassThrough(), new PassThrough(), new LineLog()];
  output.on("data", (chunk: Buffer) => received.push(chunk));
  const ended = wrapUrl({
    ...{ name: "s", url, headers: {}, dataDir: tempDir(), input, output },
    settings: settingsFromOverrides({}),
    log: createLogger(() => {}, "info"),
    signal: new AbortController().signal,
  });
  input.write(`${JSON.stringify(INITIALIZE)}\n`);
  await received.find('"id":"init"');
  input.write(`${sent}\n`);
  const line = await received.find('"id":7');
  input.end();
  await ended;
  return line;
}

describe("the bytes", () => {
  const sent =
    '{"jsonrpc":"2.0","id":7, "method":"tools/call","params":{"name":"t","arguments":{"n":1.00,"r":"\\u0061","big":12345678901234567890} }}';

  it.each(["serve", "wrap"])(
    "of arguments and results are those that came, in %s",
    async (command) => {
      const server = await serving({
        "server/discover": DISCOVERED,
        "tools/list": LISTED.replace(',"x-mcp-header":"x"', ""),
        "tools/call": `"resultType":"complete",${CALLED}`,
      });
      let received: string;
      if (command === "serve") {
        const gateway = await startTestGateway({ mcpServers: { s: { url: server.url } } });
        onTestFinished(() => gateway.close());
        const session = await initialize(gateway.url("s"));
        // Headers of the client that belong to another message must not contradict this message.
        const stray = {
          "mcp-method": "ping",
          "mcp-name": "x",
          "mcp-param-r": "b",
          "mcp-param-z": "z",
        };
        received = (await post(gateway.url("s"), sent, { ...session, ...stray })).text;
      } else {
        received = await throughWrap(server.url, sent);
      }
      expect(received).toBe(`{"jsonrpc":"2.0","id":7,"result":{${CALLED}}}`);
      const got = server.seen.find(({ body }) => body.includes('"tools/call"'));
      const context =
        '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}},';
      expect(got?.body.replace('"name":"test"', '"name":"raw"')).toBe(
        sent.replace('"params":{', `"params":{${context}`),
      );
      expect(got?.headers).toMatchObject({
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "t",
        "mcp-param-r": "a",
      });
      for (const header of ["mcp-session-id", "mcp-param-z"]) {
        expect(got?.headers).not.toHaveProperty(header);
      }
    },
  );

  it("between a client of both revisions and an old server are those without a bridge", async () => {
    const run = async (bridge: string) => {
      const server = await startHttpUpstream(({ body, method: verb }, response) => {
        const { id, method, params } = body === "" ? { id: null, method: verb } : JSON.parse(body);
        response.setHeader("content-type", "application/json");
        if (id === undefined || verb !== "POST") response.writeHead(id === null ? 405 : 202).end();
        else if (method === "initialize") {
          const { protocolVersion } = params;
          const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: INFO };
          response.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
        } else if (method === "tools/list") {
          response
            .writeHead(200)
            .end(JSON.stringify({ jsonrpc: "2.0", id, result: { tools: [] } }));
        } else {
          const error = { code: -32601, message: "Method not found" };
          response.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id, error }));
        }
      });
      const gateway = await startTestGateway({ bridge, mcpServers: { s: { url: server.url } } });
      onTestFinished(async () => {
        await gateway.close();
        await server.close();
      });
      const client = new ClientV2(INFO, { versionNegotiation: { mode: "auto" } });
      await client.connect(new HttpV2(new URL(gateway.url("s"))));
      expect((await client.listTools()).tools).toEqual([]);
      const version = client.getNegotiatedProtocolVersion();
      await client.close();
      return { version, seen: server.seen.map(({ method, body }) => `${method} ${body}`) };
    };
    const bridged = await run("auto");
    expect(bridged.version).toBe("2025-11-25");
    expect(bridged).toEqual(await run("off"));
  });
});

describe("an old client on stdio", () => {
  const LINES = [INITIALIZE, INITIALIZED];

  it("is bridged to a server that speaks 2026-07-28", async () => {
    const { send, answer, records, close, log } = wrapped([SERVER], {
      mode: "strict",
    });
    send(...LINES.slice(0, 1));
    expect(await answer("init")).toMatchObject({
      result: { protocolVersion: "2025-11-25", serverInfo: { name: "modern" } },
    });
    send(INITIALIZED, call(1, "cities", {}), request(2, "ping"), call(3, "asks", {}));
    expect((await answer(1)).result).toMatchObject({
      structuredContent: { result: ["Rome", "Oslo"] },
    });
    expect((await answer(2)).result).toEqual({});
    expect(await answer(3)).toMatchObject({ error: { code: -32603 } });
    send([request(4, "ping"), call(5, "weather", { city: 1 })]);
    expect(await answer(4)).toMatchObject({ result: {} });
    expect(await answer(5)).toMatchObject({ result: { isError: true } });
    expect(await close()).toBe(0);
    expect(log.text).toContain("server: clients of 2025-11-25 are bridged");
    expect(log.text).not.toContain("this server speaks only");
    const calls = (await records()).filter(({ type }) => type === "tool_call");
    const last = calls.filter(({ tool }) => tool === "asks").at(-1);
    expect(last).toMatchObject({
      status: "error",
      reason: expect.stringMatching(
        /^a result of the type "input_required" does not cross the bridge: the server has asked/,
      ),
    });
    // A call and the ten with which it is sent again.
    const asks = Array.from({ length: 11 }, () => ["asks", PAIR]);
    expect(calls.map(({ tool, bridged }) => [tool, bridged])).toEqual([
      ["cities", PAIR],
      ...asks,
      ["weather", PAIR],
    ]);
  });

  it("is asked for the input that its call needs", async () => {
    const { send, answer, received } = wrapped([SERVER], { mode: "strict" });
    const capabilities = { elicitation: {}, sampling: {}, roots: {} };
    send({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
    await answer("init");
    send(INITIALIZED, call(1, "confirm", {}));
    const idOf = async (method: string) => JSON.parse(await received.find(`"${method}"`)).id;
    const respond = (id: unknown, result: object) => send({ jsonrpc: "2.0", id, result });
    respond(await idOf("elicitation/create"), { action: "accept", content: { name: "é" } });
    const content = { type: "text", text: "Hi!" };
    respond(await idOf("sampling/createMessage"), { role: "assistant", model: "m", content });
    respond(await idOf("roots/list"), { roots: [] });
    const { result } = await answer(1);
    expect(result).toMatchObject({
      content: [
        {
          type: "text",
          text: JSON.stringify([{ action: "accept", content: { name: "é" } }, content, []]),
        },
      ],
    });
  });

  it("whose messages do not wait for the response to initialize gets a response to each", async () => {
    const { send, answer } = wrapped([SERVER]);
    send(INITIALIZE, INITIALIZED, request(1, "tools/list"));
    expect(await answer("init")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(await answer(1)).toHaveProperty("id", 1);
  });

  it("is not bridged if the bridge is off, or if the server responds to initialize", async () => {
    const off = wrapped([SERVER], { bridge: "off" });
    off.send(INITIALIZE);
    expect(await off.answer("init")).toMatchObject({ error: { code: -32022 } });
    const dual = fileURLToPath(
      new URL("../../cli/src/testing/dual-era-server.mjs", import.meta.url),
    );
    const plain = wrapped([dual]);
    plain.send(INITIALIZE, INITIALIZED, call(1, "next", {}));
    expect(await plain.answer("init")).toMatchObject({
      result: { serverInfo: { name: "dual-era" } },
    });
    await plain.answer(1);
    await plain.close();
    expect((await plain.records()).find(({ type }) => type === "tool_call")).not.toHaveProperty(
      "bridged",
    );
  });
});

describe("a server that leaves initialize without a response", () => {
  const SCRIPTED = fileURLToPath(new URL("testing/scripted-server.mjs", import.meta.url));
  const UNANSWERED =
    /has not responded to initialize within 30 s, nor to server\/discover within 25 s .*; see the server's log/;
  const timeout = 20_000;

  function stopClock(): void {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
  }
  /** A scripted server in wrap, and what waits until it has read a text. */
  function silent(...more: readonly string[]) {
    const file = join(tempDir(), "in");
    writeFileSync(file, "");
    const args = [SCRIPTED, "--on", "initialize=silent", ...more];
    const run = wrapped(args, { env: { RECORD_IN: file } });
    const reads = (text: string) =>
      vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain(text), { timeout });
    return { ...run, reads };
  }

  it("is bridged on stdio if it responds to server/discover", async () => {
    stopClock();
    const { send, answer, reads } = silent();
    send(INITIALIZE, INITIALIZED, call(1, "work", { n: 1 }));
    await reads('"initialize"');
    vi.advanceTimersByTime(30_000);
    expect(await answer("init")).toMatchObject({
      result: { protocolVersion: "2025-11-25", serverInfo: { name: "scripted-server" } },
    });
    expect(await answer(1)).toMatchObject({ result: { structuredContent: { n: 1 } } });
  });

  it("is an error on stdio if it does not, and its late response is dropped", async () => {
    stopClock();
    const late = '{"jsonrpc":"2.0","id":"init","result":{}}';
    const { send, answer, reads, received } = silent(
      ...["--on", "server/discover=silent", "--on", `tools/list=raw:${late}`],
    );
    send(INITIALIZE);
    await reads('"initialize"');
    vi.advanceTimersByTime(30_000);
    await reads('"server/discover"');
    vi.advanceTimersByTime(25_000);
    expect((await answer("init")).error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(UNANSWERED),
    });
    send(request(1, "tools/list"), request(2, "ping"));
    expect(await answer(2)).toMatchObject({ result: {} });
    expect(received.text.match(/"id":"init"/g)).toHaveLength(1);
  });

  it.each([
    ["is bridged over HTTP if it responds to server/discover", true],
    ["is an error over HTTP if it does not", false],
  ])("%s", async (_, responds) => {
    const server = await startHttpUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body);
      if (method !== "server/discover" || !responds) return;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${DISCOVERED}}}`);
    });
    const gateway = await startTestGateway({ mcpServers: { s: { url: server.url } } });
    onTestFinished(async () => {
      await gateway.close();
      await server.close();
    });
    const sees = (method: string) =>
      vi.waitFor(
        () => expect(server.seen.map(({ body }) => body).join()).toContain(`"${method}"`),
        { timeout },
      );
    stopClock();
    const begun = post(gateway.url("s"), INITIALIZE);
    await sees("initialize");
    vi.advanceTimersByTime(30_000);
    await sees("server/discover");
    if (!responds) vi.advanceTimersByTime(25_000);
    const { text, headers, status } = await begun;
    expect(status).toBe(200);
    if (responds) {
      expect(JSON.parse(text)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
      expect(headers.get("mcp-session-id")).toMatch(/^touchstone-bridge-/);
    } else expect(JSON.parse(text).error.message).toMatch(UNANSWERED);
  });
});

it("records a call whose result does not cross with the reason", async () => {
  const server = await serving({
    "server/discover": DISCOVERED,
    "tools/list": LISTED.replace(',"x-mcp-header":"x"', ""),
    "tools/call": '"resultType":"task","taskId":"a"',
  });
  const gateway = await startTestGateway({ mcpServers: { s: { url: server.url } } });
  onTestFinished(() => gateway.close());
  const session = await initialize(gateway.url("s"));
  const { text } = await post(gateway.url("s"), call(1, "t", {}), session);
  expect(JSON.parse(text).error.message).toMatch(/type "task" does not cross the bridge/);
  expect(await gateway.records({ type: "tool_call" })).toMatchObject([
    {
      status: "error",
      bridged: PAIR,
      reason: expect.stringMatching(/^a result of the type "task" does not cross the bridge: /),
    },
  ]);
});

describe("a server that announces changes", () => {
  /** A stdio server that writes what a call has in its argument `say`, with the id of the subscription in it. */
  const ANNOUNCING = `
    const out = (m) => console.log(JSON.stringify({ jsonrpc: "2.0", ...m }));
    const key = "io.modelcontextprotocol/subscriptionId";
    const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    let open;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const result = (members) => out({ id, result: { ...complete, ...members } });
      if (method === "server/discover") {
        const changes = { listChanged: true, subscribe: true };
        const capabilities = { tools: { listChanged: true }, resources: changes };
        result({ supportedVersions: ["2026-07-28"], capabilities });
      } else if (method === "tools/list") {
        result({ tools: [{ name: "say", inputSchema: { type: "object" } }] });
      } else if (method === "subscriptions/listen") {
        open = id;
        const { notifications } = params;
        const acknowledged = { notifications, _meta: { [key]: id } };
        out({ method: "notifications/subscriptions/acknowledged", params: acknowledged });
      } else if (method === "tools/call") {
        const { method, params: said } = params.arguments;
        out({ method, params: { ...said, _meta: { [key]: open } } });
        result({ content: [] });
      } else if (id !== undefined) out({ id, error: { code: -32601, message: "no" } });
    });`;
  const TOOLS = { method: "notifications/tools/list_changed", params: {} };
  const UPDATED = { method: "notifications/resources/updated", params: { uri: "a://b" } };

  it("is heard in wrap", async () => {
    const { send, answer, received, close } = wrapped(["-e", ANNOUNCING], { mode: "strict" });
    send(INITIALIZE, INITIALIZED);
    expect(await answer("init")).toMatchObject({
      result: { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
    });
    send(call(1, "say", TOOLS));
    expect(JSON.parse(await received.find("tools/list_changed"))).toEqual({
      ...{ jsonrpc: "2.0", method: TOOLS.method, params: { _meta: {} } },
    });
    send(request(2, "resources/subscribe", { uri: "a://b" }), call(3, "say", UPDATED));
    expect(await answer(2)).toMatchObject({ result: {} });
    expect(JSON.parse(await received.find("resources/updated"))).toMatchObject({
      params: { uri: "a://b" },
    });
    await answer(3);
    expect(received.text).not.toContain("acknowledged");
    expect(await close()).toBe(0);
    expect(received.text).not.toContain("touchstone-bridge-");
  });

  it("is heard over HTTP, on the client's stream", async () => {
    const gateway = await startTestGateway({
      ...{ input_validation: strict, output_validation: strict, protocol_validation: strict },
      mcpServers: { s: { command: process.execPath, args: ["-e", ANNOUNCING] } },
    });
    onTestFinished(() => gateway.close());
    const client = new ClientV1(INFO);
    const heard = new LineLog();
    client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => {
      heard.add(method);
    });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method, params }) => {
      heard.add(`${method} ${params.uri}`);
    });
    await client.connect(new HttpV1(new URL(gateway.url("s"))) as never);
    const say = (args: object) => client.callTool({ name: "say", arguments: { ...args } });
    const until = async (args: object, text: string): Promise<void> => {
      // The client's stream may open later than its first call.
      const found = heard.find(text);
      let isFound = false;
      void found.then(() => {
        isFound = true;
      });
      while (!isFound) await say(args);
    };
    await until(TOOLS, "tools/list_changed");
    await client.subscribeResource({ uri: "a://b" });
    await until(UPDATED, "resources/updated a://b");
    await client.close();
  });

  it("has no stream for clients if it announces none", async () => {
    const server = await serving({ "server/discover": DISCOVERED });
    const gateway = await startTestGateway({ mcpServers: { s: { url: server.url } } });
    onTestFinished(() => gateway.close());
    const url = gateway.url("s");
    const session = await initialize(url);
    const get = await fetch(url, { headers: { ...session, accept: "text/event-stream" } });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, DELETE"]);
  });
});
