import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connectSdk, describeSdks, type Sdk, type SdkClient } from "../testing/sdk-clients.ts";
import {
  EVERYTHING_SERVER,
  FAULTY_SERVER,
  outcomeOf,
  TOUCHSTONE,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const TOOLS = ["check_server", "lint_tools", "compare_lock", "explain_call", "validate_value"];
const SERVED = ["--", process.execPath, TOUCHSTONE, "mcp"];
const PROVIDERS = "openai,anthropic,bedrock,nova,gemini,gemini-openapi,moonshot,llama-cpp,vscode";

interface Served {
  readonly client: SdkClient;
  readonly folder: string;
}

/** Starts the server in a separate folder, and connects to it. */
async function served(sdk: Sdk, ...options: readonly string[]): Promise<Served> {
  const folder = tempDir();
  const client = await connectSdk(sdk, {
    command: process.execPath,
    args: [TOUCHSTONE, "mcp", ...options],
    env: { PATH: process.env["PATH"] ?? "", TOUCHSTONE_DATA_DIR: join(folder, "data") },
    cwd: folder,
  });
  return { client, folder };
}

/** Calls a tool, and returns its structured content, or the text of its error. */
async function called(client: SdkClient, name: string, args: Record<string, unknown>) {
  const { result, refused } = await client.call(name, args);
  if (refused !== undefined) return refused;
  const { structuredContent, content, isError } = result as {
    structuredContent?: object;
    content: readonly { text: string }[];
    isError?: boolean;
  };
  const text = content[0]?.text ?? "";
  if (isError === true) return text;
  expect(JSON.parse(text)).toEqual(structuredContent);
  return structuredContent;
}

const listOf = (...tools: readonly object[]): string => JSON.stringify({ tools });
const tool = (name: string, more: object = {}): object => ({
  name,
  description: "Does it.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "string", description: "A." } },
    ...more,
  },
});

describe("touchstone mcp", () => {
  it.each([[[]], [["--allow-commands"]]])(
    "declares tools that clients accept: %j",
    async (flags) => {
      const lint = await outcomeOf([
        "lint",
        "--for",
        PROVIDERS,
        "--fail-on",
        "note",
        ...SERVED,
        ...flags,
      ]);
      expect([lint.code, lint.out]).toEqual([0, expect.stringContaining("5 checked, 0 errors")]);
      const check = await outcomeOf(["check", "--fail-on", "note", ...SERVED, ...flags]);
      expect([check.code, check.out]).toEqual([0, expect.stringContaining("5 checked, 0 errors")]);
    },
  );

  describeSdks("v2 auto", (sdk) => {
    it("examines lists of tools, and compares them with a lock", async () => {
      const { client, folder } = await served(sdk);
      expect(await client.tools()).toEqual(TOOLS);
      const tools = listOf(tool("add"), { name: "bad", inputSchema: { type: "array" } });
      writeFileSync(join(folder, "tools.json"), tools);
      for (const given of [
        { kind: "tools", target: tools },
        { kind: "file", target: "tools.json" },
      ]) {
        expect(await called(client, "check_server", given)).toMatchObject({
          examined: 2,
          findings: expect.arrayContaining([
            expect.objectContaining({ subject: "bad", level: "error" }),
          ]),
        });
      }
      const clients = ["gemini-openapi"];
      const odd = listOf(tool("odd", { additionalProperties: false }));
      const lint = { kind: "tools", target: odd, clients };
      expect(await called(client, "lint_tools", lint)).toMatchObject({
        findings: [{ rule: "gemini-openapi/keyword", subject: "odd" }],
      });
      await outcomeOf([
        "lock",
        "--lock",
        join(folder, "touchstone.lock"),
        join(folder, "tools.json"),
      ]);
      const changed = { kind: "tools", target: listOf(tool("add")), lock: "touchstone.lock" };
      expect(await called(client, "compare_lock", changed)).toMatchObject({
        errors: 1,
        findings: [{ rule: "breaking/gone", subject: "bad" }],
      });
    });

    it("validates values, and explains a recorded call", async () => {
      const { client, folder } = await served(sdk);
      const schema =
        '{"type":"object","properties":{"n":{"maximum":9007199254740993}},"required":["a"]}';
      const value = '{"n":9007199254740994}';
      expect(await called(client, "validate_value", { schema, value })).toMatchObject({
        valid: false,
        issues: [{ path: "/a" }, { path: "/n" }],
        omitted: 0,
      });
      expect(await called(client, "validate_value", { schema, value: '{"a":1}' })).toEqual({
        ...{ valid: true, outcome: expect.any(String), issues: [], omitted: 0 },
      });
      expect(await called(client, "validate_value", { schema: '{"type":5}', value })).toMatchObject(
        {
          valid: false,
          outcome: "uncompilable",
        },
      );
      expect(await called(client, "explain_call", { call: "blocked" })).toMatch(
        /There is no such blocked call/,
      );
      const wrapped = ["wrap", "--mode", "strict", "--data-dir", join(folder, "data")];
      const call = ["call", "--unchecked", "get_weather", '{"city":5}', "--"];
      await outcomeOf([
        ...call,
        process.execPath,
        TOUCHSTONE,
        ...wrapped,
        "--",
        process.execPath,
        FAULTY_SERVER,
      ]);
      expect(await called(client, "explain_call", { call: "blocked" })).toEqual({
        explanation: expect.stringMatching(/get_weather[\s\S]*city/),
      });
    });

    it("starts commands only if it may", async () => {
      const target = `"${process.execPath}" '${EVERYTHING_SERVER}'`;
      const { client } = await served(sdk);
      for (const kind of ["command", "server"]) {
        expect(await called(client, "check_server", { kind, target })).toMatch(/kind/);
      }
      const { client: other } = await served(sdk, "--allow-commands");
      expect(await called(other, "check_server", { kind: "command", target })).toMatchObject({
        name: "server-everything",
        examined: 13,
      });
      const none = { kind: "command", target: `"${process.execPath}" -e 0` };
      expect(await called(other, "check_server", none)).toMatch(/cannot be reached/);
    });
  });

  it("reads no file outside of its folder, and returns a bounded result", async () => {
    const { client, folder } = await served("v2 auto");
    const outside = join(tempDir(), "tools.json");
    writeFileSync(outside, listOf(tool("add")));
    symlinkSync(outside, join(folder, "link.json"));
    for (const target of [outside, "../tools.json", "link.json", ".", "/etc/passwd", "-"]) {
      expect(await called(client, "check_server", { kind: "file", target })).toMatch(
        /is outside of|there is no file|is not a file/,
      );
    }
    for (const [kind, target] of [
      ["url", outside],
      ["url", "file:///etc/passwd"],
      ["tools", outside],
    ]) {
      expect(typeof (await called(client, "check_server", { kind, target }))).toBe("string");
    }
    const lock = { kind: "tools", target: listOf(tool("a")), lock: outside };
    expect(await called(client, "compare_lock", lock)).toMatch(/is outside of/);
    const bad = Array.from({ length: 2_000 }, (_, at) => ({
      name: `t ${at}`.repeat(200),
      inputSchema: 5,
    }));
    const report = await called(client, "check_server", { kind: "tools", target: listOf(...bad) });
    expect(report).toMatchObject({ findings: { length: 50 }, omitted: expect.any(Number) });
    expect(JSON.stringify(report).length).toBeLessThan(200_000);
  });

  it.each([
    ["2025-11-25", {}],
    ["2026-07-28", { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }],
  ])(
    "returns prompts, and errors for what it does not have, in %s",
    async (protocolVersion, meta) => {
      const run = touchstone(["mcp"]);
      const clientInfo = { name: "t", version: "1" };
      const initialize = { protocolVersion, capabilities: {}, clientInfo };
      const asked: readonly (readonly [string, object])[] = [
        ["initialize", initialize],
        ["prompts/list", {}],
        ["prompts/get", { name: "explain_blocked_call" }],
        ["prompts/get", { name: "fix_server_schemas" }],
        ["prompts/get", { name: "fix_server_schemas", arguments: { target: "x" } }],
        ["tools/list", { cursor: "2" }],
        ["tools/call", { name: "none" }],
        ["resources/list", {}],
        ["ping", {}],
      ];
      const answers: { result?: object; error?: object }[] = [];
      for (const [id, [method, params]] of asked.entries()) {
        const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } };
        run.child.stdin.write(`${JSON.stringify(message)}\n`);
        const [line] = await run.seen("stdout", new RegExp(`^.*"id":${id},.*$`, "m"));
        answers.push(JSON.parse(line));
      }
      run.child.stdin.end();
      expect(await run.ended).toBe(0);
      expect(answers).toMatchObject([
        { result: { serverInfo: { name: "touchstone" } } },
        { result: { prompts: [{ name: "explain_blocked_call" }, { name: "fix_server_schemas" }] } },
        {
          result: {
            messages: [{ role: "user", content: { text: expect.stringContaining('"blocked"') } }],
          },
        },
        { error: { code: -32602, message: expect.stringContaining("target") } },
        { result: { messages: [{ content: { text: expect.stringContaining('"x"') } }] } },
        { error: { code: -32602 } },
        { error: { code: -32602, message: "Unknown tool: none" } },
        { error: { code: -32601 } },
        { result: {} },
      ]);
    },
  );
});
