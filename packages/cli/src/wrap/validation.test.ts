import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolValidator, type ValidationClient } from "@touchstone/capability";
import { openActivityReader } from "@touchstone/gateway/activity";
import { afterEach, beforeEach, expect } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INFO = { name: "test", version: "1" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-validation-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command line with `wrap` that adds validation, as a client starts it. */
function wrapping(): { command: string; args: string[]; env: Record<string, string> } {
  const config = join(folder, "touchstone.json");
  writeFileSync(config, '{ "capability": "add" } // for every server');
  const server = at("../../../../examples/faulty-server/server.mjs");
  const own = [at("../../bin/touchstone.js"), "wrap", "--config", config, "--name", "faulty"];
  return {
    command: process.execPath,
    args: [...own, "--", process.execPath, server],
    env: { TOUCHSTONE_DATA_DIR: join(folder, "data") },
  };
}

interface Connected extends ValidationClient {
  close(): Promise<void>;
}

async function connectV2(mode: "legacy" | "auto"): Promise<Connected> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ ...wrapping(), stderr: "ignore" }));
  return client;
}

async function connectV1(): Promise<Connected> {
  const client = new ClientV1(INFO);
  await client.connect(new StdioV1({ ...wrapping(), stderr: "ignore" }));
  return client;
}

eachOf(
  [
    // Up to 2025-11-25, the gateway announces its tool before it may ask whether the server has a tool with that
    // name.
    ["v1", connectV1, "touchstone_validate_tool_call"],
    ["v2, 2025-11-25", () => connectV2("legacy"), "touchstone_validate_tool_call"],
    ["v2, 2026-07-28", () => connectV2("auto"), "validate"],
  ],
  1,
)("adds validation that a %s client finds and uses", async (_, connect, name) => {
  const client = await connect();
  const validator = new ToolValidator({ faulty: client });
  const calls = [{ city: "Rome" }, { city: 1 }].map((args) => ({
    tool: "faulty:get_weather",
    arguments: args,
  }));
  const results = await validator.validateTools(calls);
  await client.close();
  expect(results.map(({ valid, method }) => [valid, method])).toEqual([
    [true, "native"],
    [false, "native"],
  ]);
  const reader = await openActivityReader({ dataDir: join(folder, "data") });
  const page = await reader?.list({ types: ["tool_call"], limit: 100, offset: 0 });
  await reader?.close();
  expect(page?.activities.map(({ tool, status }) => [tool, status])).toEqual([[name, "success"]]);
});
