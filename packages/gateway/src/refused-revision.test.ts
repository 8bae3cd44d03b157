import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "./testing/gateway.ts";
import { post, request, startHttpUpstream } from "./testing/http.ts";
import { recordsIn, wrapped } from "./testing/wrapped.ts";

const SAYS = "this server speaks only 2026-07-28, and this client asked for 2025-11-25";
const params = {
  ...{ protocolVersion: "2025-11-25", capabilities: {} },
  clientInfo: { name: "t", version: "1" },
};
const refusal = (id: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`;
const MODES = ["warn", "strict"] as const;

/** Starts a gateway in front of a server over HTTP that only supports 2026-07-28. */
async function serving(mode: string) {
  const upstream = await startHttpUpstream(({ body }, response) => {
    const { id } = body === "" ? { id: null } : JSON.parse(body);
    response.writeHead(400, { "content-type": "application/json" }).end(refusal(id));
  });
  onTestFinished(() => upstream.close());
  const gateway = await startTestGateway({
    mcpServers: { s: { url: upstream.url } },
    protocol_validation: { mode },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

describe("a server without the client's revision", () => {
  it.each(MODES)("over HTTP is named in the log and a record, in %s", async (mode) => {
    const gateway = await serving(mode);
    const answer = await post(gateway.url("s"), request(0, "initialize", params));
    expect([answer.status, answer.text]).toEqual([400, refusal(0)]);
    expect(gateway.lines.filter((line) => line.includes(SAYS))).toHaveLength(1);
    const [record, ...others] = await gateway.records({ type: "policy_decision" });
    expect(others).toEqual([]);
    expect(record).toMatchObject({ decision: "warning", direction: "protocol" });
    expect(record?.reason).toContain(`${SAYS}; use a client that speaks 2026-07-28`);
  });

  it.each(MODES)("over stdio is named in the log and a record, in %s", async (mode) => {
    const script = `require("node:readline").createInterface({ input: process.stdin })
      .on("line", (line) => console.log(${JSON.stringify(refusal("ID"))}.replace('"ID"', JSON.stringify(JSON.parse(line).id))));`;
    const { send, line, log, dataDir } = wrapped(["-e", script], { protocolMode: mode });
    send(request(0, "initialize", params));
    expect(await line(0)).toBe(refusal(0));
    expect(await log.find(SAYS)).toContain("use a client that speaks 2026-07-28");
    const records = await recordsIn(dataDir);
    expect(
      records.flatMap(({ type, reason }) => (type === "policy_decision" ? [reason] : [])),
    ).toEqual([expect.stringContaining(SAYS)]);
  });

  it("is named in the error of a call that goes on without a session", async () => {
    const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const other = { code: -32602, message: "missing _meta" };
      if (method === "initialize") console.log(${JSON.stringify(refusal("ID"))}.replace('"ID"', id));
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: other }));
    });`;
    const { send, line } = wrapped(["-e", script], { protocolMode: "strict", inputMode: "strict" });
    send(request(0, "initialize", params));
    await line(0);
    send(request(1, "tools/call", { name: "t", arguments: {} }));
    expect(await line(1)).toContain(`missing _meta; ${SAYS}; use a client that speaks 2026-07-28`);
  });

  it.each([
    ["1", () => new ClientV1({ name: "t", version: "1" }), TransportV1],
    ["2", () => new ClientV2({ name: "t", version: "1" }), TransportV2],
  ] as const)("is named for a client of SDK %s", async (_, client, Transport) => {
    const gateway = await serving("strict");
    const transport = new Transport(new URL(gateway.url("s")));
    await expect(client().connect(transport as never)).rejects.toThrow("Unsupported protocol");
    expect(await gateway.line(/this server speaks only/)).toContain("speaks only 2026-07-28");
  });
});
