import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

const SERVER = fileURLToPath(new URL("./server.mjs", import.meta.url));
const COMMAND = { command: process.execPath, args: [SERVER] };
const INFO = { name: "test", version: "1" };
const FIRST_PAGE = [
  "get_weather",
  "lookup_order",
  "list_contacts",
  "update_contact",
  "deep_report",
  "big_report",
  "fail",
  "echo",
];
const ORDER =
  '{"zeta":1.0,"id":7256535639334584321,"alpha":{"b":2,"a":1e2},"id":7256535639334584321}';
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sends raw lines and gives the raw lines that come back, in order. */
function raw(env: Record<string, string> = {}): (line: string) => Promise<string> {
  const child: ChildProcessWithoutNullStreams = spawn(COMMAND.command, COMMAND.args, {
    env: { ...process.env, ...env },
  });
  cleanups.push(() => child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async (line) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error("the server ended");
    return value;
  };
}

const request = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const call = (name: string, args: unknown) => request("tools/call", { name, arguments: args });

describe("with the v1 SDK client", () => {
  async function connect(): Promise<ClientV1> {
    const client = new ClientV1(INFO);
    cleanups.push(() => client.close());
    await client.connect(new StdioV1(COMMAND));
    return client;
  }

  it("connects, lists tools and calls one", async () => {
    const client = await connect();
    expect(client.getServerVersion()?.name).toBe("faulty-server");
    const page = await client.listTools();
    expect(page.tools.map((tool) => tool.name)).toEqual(FIRST_PAGE);
    const result = await client.callTool({ name: "get_weather", arguments: { city: "Paris" } });
    expect(result.structuredContent).toEqual({ city: "Paris", temperature: 18 });
    await client.ping();
  });

  it("makes the client refuse results that violate an output schema", async () => {
    const client = await connect();
    await client.listTools();
    const berlin = client.callTool({ name: "get_weather", arguments: { city: "Berlin" } });
    await expect(berlin).rejects.toThrow(/data\/temperature must be number/);
    const extra = client.callTool({ name: "update_contact", arguments: { id: "7", email: "x" } });
    await expect(extra).rejects.toThrow(/must NOT have additional properties/);
    const missing = client.callTool({ name: "list_contacts", arguments: {} });
    await expect(missing).rejects.toThrow(/did not return structured content/);
  });

  it("makes listTools throw on the second page, which is separate for that reason", async () => {
    const client = await connect();
    const { nextCursor } = await client.listTools();
    await expect(client.listTools({ cursor: nextCursor })).rejects.toThrow(/strin/);
  });
});

describe.each([
  ["legacy", "2025-11-25"],
  ["auto", "2026-07-28"],
] as const)("with the v2 SDK client, negotiation %s", (mode, revision) => {
  async function connect(): Promise<ClientV2> {
    const client = new ClientV2(INFO, { versionNegotiation: { mode } });
    cleanups.push(() => client.close());
    await client.connect(new StdioV2(COMMAND));
    return client;
  }

  it(`speaks ${revision}, lists all pages and calls a tool`, async () => {
    const client = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([...FIRST_PAGE, "broken_schema"]);
    expect(tools.every((tool) => tool.title && tool.description)).toBe(true);
    const good = await client.callTool({ name: "get_weather", arguments: { city: "Oslo" } });
    expect(good.structuredContent).toEqual({ city: "Oslo", temperature: 18 });
    const failed = await client.callTool({ name: "fail", arguments: {} });
    expect(failed).toMatchObject({ isError: true, structuredContent: { reason: "disk full" } });
    const berlin = client.callTool({ name: "get_weather", arguments: { city: "Berlin" } });
    await expect(berlin).rejects.toThrow(/temperature/);
  });
});

describe("on the wire", () => {
  it.each([
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
  ])("initialize with %s negotiates %s", async (asked, given) => {
    const answer = JSON.parse(await raw()(request("initialize", { protocolVersion: asked })));
    expect(answer.result.protocolVersion).toBe(given);
  });

  it("sends the order byte for byte, in both eras", async () => {
    const send = raw();
    expect(await send(call("lookup_order", { number: "1" }))).toContain(
      `"structuredContent":${ORDER}}}`,
    );
    const stateless = await send(request("tools/call", { name: "lookup_order", _meta: META }));
    expect(stateless).toContain(`"structuredContent":${ORDER},"_meta":`);
    expect(JSON.parse(stateless).result.resultType).toBe("complete");
  });

  it.each([2, 3, 64, 5000])("deep_report nests %d levels", async (depth) => {
    const { result } = JSON.parse(await raw()(call("deep_report", { depth })));
    let levels = 1;
    for (let at = result.structuredContent; at !== undefined; at = at.next) levels += 1;
    expect(levels).toBe(depth);
  });

  it.each([13, 1000, 3_000_000])("big_report has %d bytes", async (bytes) => {
    const answer = await raw()(call("big_report", { bytes }));
    const [, structured = ""] = /"structuredContent":(.*)\}\}$/.exec(answer) ?? [];
    expect(Buffer.byteLength(structured)).toBe(bytes);
  });

  it.each([
    ["deep_report", { depth: 1 }],
    ["deep_report", { depth: 1e9 }],
    ["big_report", { bytes: "13" }],
    ["big_report", {}],
  ])("%s refuses %j with an error result", async (name, args) => {
    const { result } = JSON.parse(await raw()(call(name, args)));
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty("structuredContent");
  });

  it.each([
    ["malformed JSON", "{nope", -32700, null],
    ["a batch where there are none", `[${request("ping")}]`, -32600, null],
    ["no jsonrpc", '{"id":1,"method":"ping"}', -32600, null],
    ["a null id", request("ping", undefined, null), -32600, null],
    ["an unknown method", request("tools/grow"), -32601, 1],
    ["an unknown tool", call("nope", {}), -32602, 1],
    ["array arguments", call("echo", []), -32602, 1],
    ["no params", request("tools/call"), -32602, 1],
    ["a bad cursor", request("tools/list", { cursor: "x" }), -32602, 1],
    ["discover without _meta", request("server/discover"), -32602, 1],
    ["ping in 2026-07-28", request("ping", { _meta: META }), -32601, 1],
    [
      "an unknown revision",
      request("tools/list", {
        _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" },
      }),
      -32022,
      1,
    ],
  ])("answers %s with the right code", async (_what, line, code, id) => {
    const send = raw();
    expect(JSON.parse(await send(line))).toMatchObject({ id, error: { code } });
    expect(JSON.parse(await send(request("ping")))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("answers a batch in 2025-03-26, but not its notifications", async () => {
    const send = raw();
    await send(request("initialize", { protocolVersion: "2025-03-26" }));
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const answer = await send(`[${note},${request("ping", undefined, 7)},${call("echo", {})}]`);
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: "2.0", id: 7, result: {} },
      { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "{}" }] } },
    ]);
  });

  it("echoes any arguments byte for byte", async () => {
    const send = raw();
    const property = fc.asyncProperty(fc.json(), fc.nat(3), async (json, spaces) => {
      const args = `{ "x" :${" ".repeat(spaces)}${json}, "__proto__":{} }`;
      const line = `{"params":{"arguments":${args},"name":"echo"},"method":"tools/call","jsonrpc":"2.0","id":0}`;
      expect(JSON.parse(await send(line)).result.content[0].text).toBe(args);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("logs received arguments and ids byte for byte", async () => {
    const folder = mkdtempSync(join(tmpdir(), "faulty-server-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const FAULTY_SERVER_LOG = join(folder, "calls.jsonl");
    const send = raw({ FAULTY_SERVER_LOG });
    const odd = '{ "a" : [1.0,1e400,"}\\"\\u0041"], "a":{"__proto__":72565356393345843210} }';
    const answer = await send(
      `{"jsonrpc":"2.0","id":72565356393345843210,"method":"tools/call","params":{"arguments":${odd},"name":"echo"}}`,
    );
    expect(answer).toContain('"id":72565356393345843210,');
    expect(JSON.parse(answer).result.content[0].text).toBe(odd);
    await send(request("tools/call", { name: "nope" }));
    expect(readFileSync(FAULTY_SERVER_LOG, "utf8")).toBe(
      `{"name":"echo","arguments":${odd}}\n{"name":"nope"}\n`,
    );
  });
});
