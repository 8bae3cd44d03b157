import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { HttpUpstream, StdioUpstream } from "@touchstone/gateway/config";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "./connect.ts";

/**
 * Returns the source of a server that responds to `method` with invalid JSON: a number that is NaN, as Python's
 * `json.dumps` writes it.
 */
const breaksAt = (method: string): string => `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = (text, member = "result") =>
      console.log('{"jsonrpc":"2.0","id":' + id + ',"' + member + '":' + text + "}");
    if (method === "server/discover") return answer('{"code":-32601,"message":"no such method"}', "error");
    if (method === ${JSON.stringify(method)}) return answer('{"content":[],"mean":NaN}');
    console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":NaN}}');
    if (method === "tools/list") return answer('{"tools":[]}');
    const serverInfo = { name: "broken", version: "1" };
    answer(JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }));
  });`;

/** The same server behind a URL, with streams that stay open. */
async function streamsTo(method: string): Promise<HttpUpstream> {
  const server = createServer(async (request, response) => {
    const { id, method: asked, params } = JSON.parse(`${await buffer(request)}` || "{}");
    if (id === undefined)
      return void response.writeHead(request.method === "POST" ? 202 : 405).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (text: string): boolean => response.write(`data: {"jsonrpc":"2.0",${text}}\n\n`);
    if (asked === "server/discover") {
      return void event(
        `"id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no such method"}`,
      );
    }
    event('"method":"notifications/message","params":{"data":NaN}');
    if (asked === method)
      return void event(`"id":${JSON.stringify(id)},"result":{"content":[],"mean":NaN}`);
    const serverInfo = { name: "broken", version: "1" };
    const { protocolVersion } = params ?? {};
    const introduction = { protocolVersion, capabilities: { tools: {} }, serverInfo };
    const result = asked === "tools/list" ? { tools: [] } : introduction;
    event(`"id":${JSON.stringify(id)},"result":${JSON.stringify(result)}`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { type: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} };
}

const UPSTREAMS = {
  stdio: (method: string): StdioUpstream => ({
    type: "stdio",
    command: process.execPath,
    args: ["-e", breaksAt(method)],
    env: {},
  }),
  http: streamsTo,
} as const;
type Way = keyof typeof UPSTREAMS;
const WAYS = Object.keys(UPSTREAMS) as Way[];

const connectTo = async (way: Way, method: string) =>
  connect(
    { name: "s", upstream: await UPSTREAMS[way](method) },
    {
      timeout: 60_000,
      stderr: () => {},
      env: process.env,
      version: "1",
      stop: new AbortController().signal,
    },
  );

const UNREADABLE = /^its response cannot be read: Invalid JSON: .*'N' \(0x4e\), at byte \d+$/;

it.each(WAYS)(
  "reports over %s that a tool's result is not JSON, without waiting for another",
  async (way) => {
    const connection = await connectTo(way, "tools/call");
    await expect(connection.listTools()).resolves.toEqual([]);
    await expect(connection.callTool({ name: "t" }, "{}")).rejects.toThrow(UNREADABLE);
    await connection.close();
  },
  60_000,
);

it.each(WAYS.flatMap((way) => [[way, "initialize"] as const, [way, "tools/list"] as const]))(
  "reports over %s that the response to %s is not JSON",
  async (way, method) => {
    const asked = connectTo(way, method).then(async (connection) => {
      await connection.listTools().finally(() => connection.close());
    });
    await expect(asked).rejects.toThrow(UNREADABLE);
  },
  60_000,
);
