import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../program.ts";
import { recordsIn, tempDir } from "../testing/touchstone.ts";

/** Runs the command line in this process, with a client that sends the given messages and disconnects. */
async function runHere(args: readonly string[], messages: readonly object[] = []) {
  const stdin = new PassThrough();
  const stdoutStream = new PassThrough();
  const said = text(stdoutStream);
  const dataDir = tempDir();
  let stderr = "";
  let code: number | undefined;
  for (const message of messages) stdin.write(`${JSON.stringify(message)}\n`);
  stdin.end();
  await run(args, {
    stdin,
    stdout: { write: () => {} },
    stdoutStream,
    stderr: {
      write(piece: string) {
        stderr += piece;
      },
    },
    env: { TOUCHSTONE_DATA_DIR: dataDir },
    now: () => new Date(),
    signals: new EventEmitter(),
    exit: (status) => {
      code = status;
    },
  });
  stdoutStream.end();
  const answers = (await said).split("\n").slice(0, -1);
  return { answers: answers.map((line) => JSON.parse(line)), stderr, code, dataDir };
}

describe("usage", () => {
  const url = "http://127.0.0.1:9/mcp";
  it.each([
    ["neither command nor URL", [], /needs a command or --url URL/],
    ["both", ["--url", url, "--", "node"], /a command or --url, not both/],
    ["a header of a command", ["--header", "A=b", "--", "node"], /--header goes with --url/],
    ["no URL", ["--url", "example"], /--url must be an absolute http/],
  ])("is reported: %s", async (_name, args, message) => {
    const { code, stderr } = await runHere(["wrap", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe("a server by URL", () => {
  const tools = [
    { name: "add", inputSchema: { type: "object", properties: { n: { type: "integer" } } } },
  ];
  async function startServer() {
    const seen: { readonly tenant: unknown; readonly method: string | undefined }[] = [];
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const { id, method } =
        body === "" ? { id: undefined, method: request.method } : JSON.parse(body);
      seen.push({ tenant: request.headers["x-tenant"], method });
      if (id === undefined) {
        response.writeHead(request.method === "GET" ? 405 : 202).end();
        return;
      }
      const protocolVersion = "2025-11-25";
      const result =
        method === "initialize"
          ? { protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" } }
          : method === "tools/list"
            ? { tools }
            : { content: [] };
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, seen };
  }
  const call = (id: number, n: unknown) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "add", arguments: { n } },
  });

  it.each(["off", "warn", "strict"])("is checked and recorded like a command: %s", async (mode) => {
    const { url, seen } = await startServer();
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    const { answers, code, dataDir } = await runHere(
      ["wrap", "--mode", mode, "--url", url, "--header", "X-Tenant=t"],
      [
        { jsonrpc: "2.0", id: 0, method: "initialize", params },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        call(1, 1),
        call(2, "two"),
      ],
    );
    expect(code).toBe(0);
    const byId = new Map(answers.map(({ id, result }) => [id, result]));
    expect([...byId.keys()].sort()).toEqual([0, 1, 2]);
    expect(byId.get(1)).toEqual({ content: [] });
    expect(byId.get(2)?.isError).toBe(mode === "strict" ? true : undefined);
    const calls = seen.filter(({ method }) => method === "tools/call");
    expect(calls).toHaveLength(mode === "strict" ? 1 : 2);
    expect(new Set(seen.map(({ tenant }) => tenant))).toEqual(new Set(["t"]));
    expect(seen.at(-1)?.method).toBe("DELETE");
    const records = await recordsIn(dataDir);
    const statuses = records.flatMap(({ type, status }) => (type === "tool_call" ? [status] : []));
    const second = { off: "success", warn: "warning", strict: "blocked" }[mode];
    expect(statuses.sort()).toEqual(["success", second].sort());
    expect(records.every(({ server }) => server === "127.0.0.1")).toBe(true);
  });
});
