import { expect, it } from "vitest";
import { connect } from "./connect.ts";

/** A server that answers `method` with what no parser takes, as `json.dumps` of Python writes a number that is none. */
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

const connectTo = (code: string) =>
  connect(
    {
      name: "s",
      upstream: { type: "stdio", command: process.execPath, args: ["-e", code], env: {} },
    },
    {
      timeout: 60_000,
      stderr: () => {},
      env: process.env,
      version: "1",
      stop: new AbortController().signal,
    },
  );

const UNREADABLE = /^its answer cannot be read: Invalid JSON: .*'N' \(0x4e\), at byte \d+$/;

it("tells that a tool's result is no JSON, and waits for no other", async () => {
  const connection = await connectTo(breaksAt("tools/call"));
  await expect(connection.listTools()).resolves.toEqual([]);
  await expect(connection.callTool({ name: "t" }, "{}")).rejects.toThrow(UNREADABLE);
  await connection.close();
}, 60_000);

it.each(["initialize", "tools/list"])(
  "tells it of %s",
  async (method) => {
    const asked = connectTo(breaksAt(method)).then(async (connection) => {
      await connection.listTools().finally(() => connection.close());
    });
    await expect(asked).rejects.toThrow(UNREADABLE);
  },
  60_000,
);
