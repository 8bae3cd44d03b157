import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INFO = { name: "claude-code", version: "1" };
const LONG = `files/${"read_".repeat(14)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-adapt-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The source of a server whose list has two pages that SDK clients refuse. */
const SERVER = `
import { createInterface } from "node:readline";
const first = [
  { name: "broken", inputSchema: { type: "array" } },
  { name: ${JSON.stringify(LONG)}, inputSchema: { type: "object", properties: { q: { type: "integer" } }, required: ["q"] } },
  { name: "old", inputSchema: { type: "object" }, outputSchema: { $schema: "http://json-schema.org/draft-04/schema#", type: "object" } },
];
const second = [{ name: "untyped", inputSchema: { properties: { m: { const: "x" } } } }];
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } });
  } else if (method === "tools/list") {
    send(id, params?.cursor === "2" ? { tools: second } : { tools: first, nextCursor: "2" });
  } else if (method === "tools/call") {
    send(id, { content: [{ type: "text", text: params.name }], structuredContent: {} });
  } else if (id !== undefined) {
    const error = { code: -32601, message: "no such method" };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error }) + "\\n");
  }
});
`;

function commands(): { readonly direct: string[]; readonly wrapped: string[] } {
  const server = join(folder, "server.mjs");
  const config = join(folder, "touchstone.json");
  writeFileSync(server, SERVER);
  const adapt = {
    unusable_tools: "leave_out",
    output_schema: "drop_unusable",
    pages: "merge",
    for: "auto",
    names: { max: 64, prefix_length: 10 },
  };
  writeFileSync(config, JSON.stringify({ adapt, input_validation: { mode: "strict" } }));
  const own = [at("../../bin/touchstone.js"), "wrap", "--config", config, "--name", "odd"];
  return { direct: [server], wrapped: [...own, "--", process.execPath, server] };
}

async function connect(version: "v1" | "v2", args: string[]) {
  const env = { TOUCHSTONE_DATA_DIR: join(folder, "data") };
  const started = { command: process.execPath, args, env, stderr: "ignore" } as const;
  if (version === "v1") {
    const client = new ClientV1(INFO);
    await client.connect(new StdioV1(started));
    return client;
  }
  const client = new Client(INFO, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StdioClientTransport(started));
  return client;
}

eachOf(["v1", "v2"] as const, 1)(
  "lets a %s client use a server whose tool list it would otherwise refuse",
  async (version) => {
    const { direct, wrapped } = commands();
    const refusing = await connect(version, direct);
    await expect(refusing.listTools()).rejects.toThrow(/inputSchema/);
    await refusing.close();
    const client = await connect(version, wrapped);
    const { tools, nextCursor } = await client.listTools();
    const [long = { name: "" }, ...others] = tools;
    expect([others.map(({ name }) => name), nextCursor]).toEqual([["old", "untyped"], undefined]);
    expect(long.name).toMatch(/^files_read_[a-z_]+_[a-z2-7]{10}$/);
    for (const { name } of tools) {
      const { content } = await client.callTool({ name, arguments: { q: 1, m: "x" } });
      expect(content).toEqual([{ type: "text", text: name === long.name ? LONG : name }]);
    }
    const refused = await client.callTool({ name: long.name, arguments: { q: "x" } });
    expect(refused.isError).toBe(true);
    await client.close();
  },
  60_000,
);
