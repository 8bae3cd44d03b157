import { afterEach, describe, expect, it } from "vitest";
import { call, connect, SERVERS, type TestTool, WRITE_FILE } from "../testing/sdk.ts";
import type { ToolValidationOptions } from "./options.ts";
import { withToolValidation } from "./with-tool-validation.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function start(
  kind: string,
  generation: "v1" | "v2",
  options: ToolValidationOptions = {},
  tools?: readonly TestTool[],
) {
  const make = SERVERS[kind];
  if (make === undefined) throw new Error(kind);
  const { server, ran } = make(tools);
  const client = await connect(generation, withToolValidation(server, options));
  open.push(client, server);
  return { client, ran, server };
}

const PAIRS = Object.keys(SERVERS).flatMap((kind) =>
  (["v1", "v2"] as const).map((generation) => [kind, generation] as const),
);

describe.each(PAIRS)("withToolValidation on %s, called by a %s client", (kind, generation) => {
  it("announces, lists and responds", async () => {
    const { client, ran } = await start(kind, generation, {
      checks: {
        write_file: {
          semantic: ({ path }) =>
            path === "/etc"
              ? { errors: [{ path: "/path", message: "is a directory" }] }
              : undefined,
          runtime: async () => ({
            warnings: ["the disk is nearly full"],
            suggestions: ["tidy up"],
          }),
        },
      },
    });
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      experimental: {
        toolValidation: {
          supported: true,
          version: "1.0",
          method: "validate",
          async: true,
          streaming: false,
          contextAware: false,
          cacheable: false,
          levels: { syntax: true, semantic: true, runtime: true, security: false },
          batchValidation: true,
          maxBatchSize: 10,
          caching: { enabled: false },
        },
      },
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["write_file", "validate"]);
    expect(tools[1]).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false },
      outputSchema: { type: "object" },
    });

    const good = await call(client, "validate", {
      tool: "write_file",
      arguments: { path: "/tmp/a" },
    });
    expect(good).toMatchObject({
      structuredContent: {
        valid: true,
        errors: [],
        warnings: ["the disk is nearly full"],
        suggestions: ["tidy up"],
        issues: [{ level: "runtime", severity: "warning" }],
        levelsNotRun: [{ level: "security", reason: "not_served" }],
      },
    });
    const [block] = good["content"] as { text: string }[];
    expect(JSON.parse(block?.text ?? "")).toEqual(good["structuredContent"]);

    const bad = await call(client, "validate", { tool: "write_file", arguments: { path: "/etc" } });
    expect(bad["structuredContent"]).toMatchObject({
      valid: false,
      errors: ["/path is a directory"],
      issues: [{ level: "semantic", severity: "error", path: "/path" }, { level: "runtime" }],
    });
    const wrong = await call(client, "validate", { tool: "write_file", arguments: { size: "1" } });
    expect(wrong["structuredContent"]).toMatchObject({
      valid: false,
      errors: ["/path is required", "/size must be a number (got a string of 1 character)"],
      issues: [{ level: "syntax" }, { level: "syntax" }],
      levelsNotRun: [
        { level: "semantic", reason: "syntax_failed" },
        { level: "runtime", reason: "syntax_failed" },
        { level: "security", reason: "not_served" },
      ],
    });
    expect(ran).toEqual([]);
    await call(client, "write_file", { path: "/tmp/a" });
    expect(ran).toEqual(["write_file"]);
  });

  it("leaves the name validate to a tool of the server", async () => {
    const tools = [WRITE_FILE, { ...WRITE_FILE, name: "x" }, { ...WRITE_FILE, name: "validate" }];
    const { client, ran } = await start(kind, generation, {}, tools);
    expect(client.getServerCapabilities()).toMatchObject({
      experimental: { toolValidation: { method: "validate_tool_call", async: false } },
    });
    await call(client, "validate", { path: "" });
    expect(ran).toEqual(["validate"]);
    const answer = await call(client, "validate_tool_call", {
      calls: [
        { tool: "validate", arguments: { path: "" } },
        { tool: "x", arguments: {} },
        { tool: "validate_tool_call", arguments: {} },
        { tool: "y", arguments: {} },
        { tool: "x" },
      ],
    });
    expect(answer["structuredContent"]).toMatchObject({
      results: [
        { valid: true },
        { valid: false },
        { errors: [expect.stringContaining("cannot validate itself")] },
        { errors: ["Tool not found: y"] },
        { errors: [expect.stringContaining('"arguments" is missing')] },
      ],
    });
    expect(ran).toEqual(["validate"]);
  });

  it.each([
    [{}, '"tool" must be a string'],
    [{ tool: 1, arguments: {} }, '"tool" must be a string'],
    [{ tool: "write_file" }, '"arguments" is missing'],
    [{ calls: 1 }, '"calls" must be an array'],
    [{ tool: "write_file", arguments: {}, calls: [] }, "not both"],
    [{ calls: new Array(11).fill({ tool: "write_file", arguments: {} }) }, "maxBatchSize (10)"],
    [{ tool: "write_file", arguments: {}, levels: "all" }, '"levels" must be an array'],
    [
      { tool: "write_file", arguments: {}, levels: Array(11).fill("syntax") },
      '"levels" must be an array of at most 10',
    ],
  ])("reports what is wrong with %j", async (args, expected) => {
    const { client } = await start(kind, generation);
    const answer = await call(client, "validate", args);
    expect(answer["isError"]).toBe(true);
    expect(JSON.stringify(answer["content"])).toContain(expected.replaceAll('"', '\\"'));
  });
});
