import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { outcomeOf } from "../testing/touchstone.ts";

/**
 * Returns the text of the response to a message; for `tools/call`, with the text of the arguments and a number that
 * is not an integer, or an error for one of the tools.
 */
function answer(message: string): string | undefined {
  const { id, method, params } = JSON.parse(message);
  if (id === undefined) return undefined;
  const given = /"arguments":(\{[^}]*\})/.exec(message)?.[1];
  const outputSchema = { properties: { n: { type: "integer" } } };
  const results: Readonly<Record<string, string>> = {
    initialize: JSON.stringify({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
    }),
    "tools/list": JSON.stringify({
      tools: [
        { name: "t", inputSchema: {}, outputSchema },
        { name: "fails", inputSchema: {} },
      ],
    }),
    "tools/call": `{"content":[],"structuredContent":{"n":9007199254740992.5,"given":${given}}}`,
  };
  const result = params?.name === "fails" ? undefined : results[method];
  const error =
    params?.name === "fails"
      ? '{"code":-32000,"message":"the disk is full","data":{"free":9007199254740993}}'
      : '{"code":-32601,"message":"Method not found"}';
  const member = result === undefined ? `"error":${error}` : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`;
}

const STDIO = [
  "--",
  process.execPath,
  "-e",
  `${answer}
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const text = answer(line);
    if (text) console.log(text);
  });`,
];

async function behindUrl(events: boolean, errorStatus = 200): Promise<string> {
  const server = createServer(async (request, response) => {
    const message = await text(request);
    const body = request.method === "POST" ? answer(message) : undefined;
    if (body === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
      return;
    }
    const status = body.includes("-32000") ? errorStatus : 200;
    const type = events ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": type });
    response.end(events ? `data: ${body}\n\n` : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

it.each([
  ["stdio", "pretty", async () => ({ words: ["t"], server: STDIO })],
  ["stdio", "json", async () => ({ words: ["t"], server: STDIO })],
  ["HTTP", "pretty", async () => ({ words: [await behindUrl(false), "t"], server: [] })],
  ["HTTP, as events", "json", async () => ({ words: [await behindUrl(true), "t"], server: [] })],
])(
  "call over %s sends, checks and prints (%s) numbers digit for digit",
  async (_over, format, target) => {
    const { words, server } = await target();
    const args = '{ "n": 9007199254740993,\n "f": 1.0 }';
    const { code, out, err } = await outcomeOf(["call", "-f", format, ...words, args, ...server]);
    expect([code, err]).toEqual([1, expect.stringContaining("/n must be an integer")]);
    expect(out).toContain('"n": 9007199254740992.5');
    expect(out).toMatch(/"given": \{\s+"n": 9007199254740993,\s+"f": 1\.0\s+\}/);
  },
);

it.each([
  ["stdio", async () => ({ words: [], server: STDIO })],
  ["HTTP", async () => ({ words: [await behindUrl(false)], server: [] })],
  ["HTTP, as events", async () => ({ words: [await behindUrl(true)], server: [] })],
  ["HTTP, with a status", async () => ({ words: [await behindUrl(false, 400)], server: [] })],
])(
  "call over %s prints the server's error exactly as the server wrote it",
  async (_over, target) => {
    const { words, server } = await target();
    const call = (format: string) =>
      outcomeOf(["call", "-f", format, ...words, "fails", "{}", ...server]);
    const json = await call("json");
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      tool: "fails",
      input: { valid: true },
      error: { code: -32000, message: "the disk is full" },
    });
    expect(json.out).toMatch(/"data": \{\s+"free": 9007199254740993\s+\}/);
    const pretty = await call("pretty");
    expect([pretty.code, pretty.out]).toEqual([1, ""]);
    expect(pretty.err).toContain("answered with the error -32000: the disk is full\n");
    expect(pretty.err).toContain('data: {"free":9007199254740993}');
  },
);

it("call sends the headers that a 2026-07-28 tool declares for its arguments", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    seen.push(request.headers["mcp-param-region"]?.toString());
    const region = { type: "string", "x-mcp-header": "Region" };
    const inputSchema = { type: "object", properties: { region } };
    const lasting = { ttlMs: 0, cacheScope: "private" };
    const results: Readonly<Record<string, object>> = {
      "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ...lasting,
      },
      "tools/list": { tools: [{ name: "t", inputSchema }], ...lasting },
      "tools/call": { content: [] },
    };
    const _meta = { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } };
    const result = { resultType: "complete", _meta, ...results[method] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { code, err } = await outcomeOf(["call", url, "t", '{"region":"eu"}']);
  expect([code, err]).toEqual([0, ""]);
  expect(seen.at(-1)).toBe("eu");
});
