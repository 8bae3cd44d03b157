import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { type Connection, connect } from "./connect.ts";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};
const TOOLS = [{ name: "t", inputSchema: { type: "object" } }];
const LIST = { tools: TOOLS };
const LEGACY: Answers = { initialize: INITIALIZE, "tools/list": LIST };
const CACHED = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const MODERN: Answers = {
  "server/discover": {
    ...CACHED,
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } },
  },
  "tools/list": { ...CACHED, ...LIST },
};

/** Results by method; all other methods return an error. */
type Answers = Readonly<Record<string, unknown>>;

/**
 * Returns a stdio server with these results. @param write the body of a function that returns the text to write for a
 * response and its request
 */
function stdio(answers: Answers, write = "(response) => JSON.stringify(response)") {
  const code = `
    const answers = ${JSON.stringify(answers)};
    const write = ${write};
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const given = answers[method];
      const error = { code: -32601, message: "no such method" };
      const outcome = method in answers ? { result: Array.isArray(given) && method === "tools/list" ? given[params.cursor ?? 0] : given } : { error };
      const text = write({ jsonrpc: "2.0", id, ...outcome }, method);
      if (text !== undefined) process.stdout.write(text + "\\n");
    });`;
  return { type: "stdio", command: process.execPath, args: ["-e", code], env: {} } as const;
}

/** Starts the same server behind a URL that requires a header. */
async function http(answers: Answers) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers["x-key"] !== "k") return void response.writeHead(401).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const error = { code: -32601, message: "no such method" };
    const outcome = method in answers ? { result: answers[method] } : { error };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { type: "http", url, headers: { "x-key": "k" } } as const;
}

type Upstream = ReturnType<typeof stdio> | Awaited<ReturnType<typeof http>>;

async function connecting(upstream: Upstream): Promise<Connection> {
  const stop = new AbortController().signal;
  const options = { timeout: 60_000, stderr: () => {}, env: process.env, version: "1", stop };
  const connection = await connect({ name: "s", upstream }, options);
  onTestFinished(() => connection.close());
  return connection;
}

const found = ({ findings }: Connection) =>
  findings.map(({ subject, path, level, rule }) => [level, rule, subject, path]);

const OF_INITIALIZE: readonly (readonly [string, unknown, ...string[]])[] = [
  ["instructions: null", { ...INITIALIZE, instructions: null }, "/result/instructions"],
  [
    "null for capabilities",
    { ...INITIALIZE, capabilities: { tools: {}, prompts: null, logging: null } },
    "/result/capabilities/logging",
    "/result/capabilities/prompts",
  ],
  ["tools: []", { ...INITIALIZE, capabilities: { tools: [] } }, "/result/capabilities/tools"],
  [
    "listChanged: null",
    { ...INITIALIZE, capabilities: { tools: { listChanged: null } } },
    "/result/capabilities/tools/listChanged",
  ],
  [
    "title: null",
    { ...INITIALIZE, serverInfo: { name: "s", version: "1", title: null } },
    "/result/serverInfo/title",
  ],
  [
    "a member of a later revision",
    { ...INITIALIZE, serverInfo: { name: "s", version: "1", websiteUrl: null } },
    "/result/serverInfo/websiteUrl",
  ],
  ["no version", { ...INITIALIZE, serverInfo: { name: "s" } }, "/result/serverInfo/version"],
  ["_meta: null", { ...INITIALIZE, _meta: null }, "/result/_meta"],
  ["a number for the revision", { ...INITIALIZE, protocolVersion: 1 }, "/result/protocolVersion"],
  ["an unknown revision", { ...INITIALIZE, protocolVersion: "1.0" }, "/result/protocolVersion"],
  ["no tools capability", { ...INITIALIZE, capabilities: {} }, "/result/capabilities/tools"],
  ["a result that is a list", [], "/result", "/result/capabilities/tools"],
];

it.each(OF_INITIALIZE)(
  "continues after initialize with %s",
  async (_, result, ...paths) => {
    const connection = await connecting(stdio({ ...LEGACY, initialize: result }));
    expect(await connection.listTools()).toEqual(TOOLS);
    const wanted = paths.map((path) => ["error", "initialize-result", "initialize", path]);
    expect(found(connection).sort()).toEqual(wanted.sort());
  },
  60_000,
);

const OF_LIST: readonly (readonly [string, unknown, readonly unknown[], ...string[]])[] = [
  ["nextCursor: null", { ...LIST, nextCursor: null }, TOOLS, "/result/nextCursor"],
  ["_meta: null", { ...LIST, _meta: null }, TOOLS, "/result/_meta"],
  ["no tools", {}, [], "/result/tools"],
  ["an object for the tools", { tools: { t: TOOLS[0] } }, [], "/result/tools"],
  ["null for the result", null, [], "/result"],
];

it.each(OF_LIST)(
  "continues after a list with %s, in both eras and over both transports",
  async (_, list, tools, ...paths) => {
    const wanted = paths.map((path) => ["error", "list-result", "tools/list", path]);
    for (const answers of [LEGACY, MODERN]) {
      const given = typeof list === "object" && list !== null && answers === MODERN;
      const result = given ? { ...CACHED, ...list } : list;
      const bad = { ...answers, "tools/list": result };
      for (const upstream of [stdio(bad), await http(bad)]) {
        const connection = await connecting(upstream);
        expect(await connection.listTools()).toEqual(tools);
        expect(found(connection)).toEqual(wanted);
      }
    }
  },
  60_000,
);

it.each([
  ["ttlMs", "warning", "/result/ttlMs"],
  ["resultType", "warning", "/result/resultType"],
  ["capabilities", "error", "/result/capabilities"],
])(
  "reports that server/discover lacks %s, and continues",
  async (member, level, path) => {
    const { [member]: _, ...rest } = MODERN["server/discover"] as Record<string, unknown>;
    const answers = { ...MODERN, "server/discover": rest };
    const connection = await connecting(await http(answers));
    expect(connection.revision).toBe("2026-07-28");
    expect(found(connection)).toEqual([[level, "discover-result", "server/discover", path]]);
  },
  60_000,
);

it("finds nothing wrong with sound servers of both eras", async () => {
  for (const upstream of [stdio(LEGACY), stdio(MODERN), await http(LEGACY), await http(MODERN)]) {
    const connection = await connecting(upstream);
    expect(await connection.listTools()).toEqual(TOOLS);
    expect(connection).toMatchObject({ server: "s/1", findings: [] });
  }
}, 60_000);

it("follows numeric cursors, and keeps the pages before an error", async () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const page = (name: string, nextCursor?: unknown) => ({ tools: [tool(name)], nextCursor });
  const numbers = await connecting(stdio({ ...LEGACY, "tools/list": [page("a", 1), page("b")] }));
  expect(await numbers.listTools()).toEqual([tool("a"), tool("b")]);
  expect(found(numbers)).toEqual([["error", "list-result", "tools/list", "/result/nextCursor"]]);
  const fails = `(response, method) => JSON.stringify(
    method === "tools/list" && (globalThis.asked = (globalThis.asked ?? 0) + 1) > 1
      ? { jsonrpc: "2.0", id: response.id, error: { code: -32000, message: "bad cursor" } }
      : response)`;
  const broken = await connecting(stdio({ ...LEGACY, "tools/list": page("a", "x") }, fails));
  expect(await broken.listTools()).toEqual([tool("a")]);
  expect(broken.findings).toMatchObject([{ message: expect.stringContaining("bad cursor") }]);
}, 60_000);

it("accepts a server without tools", async () => {
  const connection = await connecting(stdio({ initialize: { ...INITIALIZE, capabilities: {} } }));
  expect([await connection.listTools(), connection.findings]).toEqual([[], []]);
}, 60_000);

const IDS = [
  ["0", "() => 0"],
  ['"2"', "String"],
  ["null", "() => null"],
  ["none", "() => undefined"],
  ["another", "(id) => id + 100"],
  ["always the same", "() => 1"],
] as const;

it.each(IDS)(
  "accepts a response with the id %s at once, and reports it",
  async (_, made) => {
    const write = `(response) => JSON.stringify({ ...response, id: (${made})(response.id) })`;
    const connection = await connecting(stdio(LEGACY, write));
    expect(await connection.listTools()).toEqual(TOOLS);
    expect(found(connection)).toEqual(
      ["initialize", "tools/list"].map((method) => ["error", "response-id", method, "/id"]),
    );
  },
  60_000,
);

const LINES = [
  [
    "a message on several lines",
    "(response) => JSON.stringify(response, null, 2)",
    /several lines/,
  ],
  [
    "other text before a message",
    `(response) => "DEBUG " + JSON.stringify(response)`,
    /other text on the line/,
  ],
  [
    "two messages on a line",
    `(response) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" }) + JSON.stringify(response)`,
    /several messages on one line/,
  ],
  [
    "a log on stdout",
    `(response) => "Server started\\n" + JSON.stringify(response)`,
    /"Server started", which is not a JSON-RPC message/,
  ],
] as const;

it.each(LINES)(
  "reads %s, with a warning",
  async (_, write, message) => {
    const connection = await connecting(stdio(LEGACY, write));
    expect(await connection.listTools()).toEqual(TOOLS);
    expect(connection.findings).toMatchObject([
      { rule: "stdout", level: "warning", message: expect.stringMatching(message) },
    ]);
  },
  60_000,
);

it.each([
  [
    "an error whose id is null",
    `(response, method) => method === "tools/list"
      ? '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"it exploded"}}'
      : JSON.stringify(response)`,
    /it responded with the error -32000: it exploded/,
  ],
  [
    "neither a result nor an error",
    `({ id }) => JSON.stringify({ jsonrpc: "2.0", id })`,
    /its response has neither a result nor an error/,
  ],
  [
    "half a message",
    `(response) => JSON.stringify(response).slice(0, -10)`,
    /its response cannot be read: Invalid JSON/,
  ],
  [
    "headers before messages",
    `(response) => "Content-Length: 99\\r\\n\\r\\n" + JSON.stringify(response)`,
    /over stdio MCP has one message a line/,
  ],
])(
  "reports %s at once",
  async (_, write, message) => {
    const asked = connecting(stdio(LEGACY, write)).then((connection) => connection.listTools());
    await expect(asked).rejects.toThrow(message);
  },
  60_000,
);

it("reports what a server wrote to stdout if it never responds", long, async () => {
  const upstream = stdio({}, '() => "Listening on 8080"');
  const stop = new AbortController().signal;
  const options = { timeout: 1_000, stderr: () => {}, env: process.env, version: "1", stop };
  const connection = connect({ name: "s", upstream }, options);
  await expect(connection).rejects.toThrow(/did not respond in time.*"Listening on 8080"/);
});
