import { compileDeclared } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { withToolValidation } from "../server/with-tool-validation.ts";
import { closing } from "../testing/closing.ts";
import { connect, SERVERS, WRITE_FILE } from "../testing/sdk.ts";
import { ANNOUNCED, GOOD, validating } from "../testing/validated.ts";
import { ToolValidator } from "./tool-validator.ts";

const open = closing();
const start = validating(open);

describe("ToolValidator with servers of both eras", () => {
  const pairs = Object.keys(SERVERS).flatMap((kind) =>
    (["v1", "v2"] as const).map((generation) => [kind, generation] as const),
  );
  it.each(pairs)("%s, called by a %s client", async (kind, generation) => {
    const made = SERVERS[kind]?.();
    if (made === undefined) throw new Error(kind);
    withToolValidation(made.server, {
      checks: { write_file: { security: ({ path }) => ({ errors: [`no ${String(path)}`] }) } },
    });
    const client = await connect(generation, made.server);
    open.push(client, made.server);
    const validator = new ToolValidator({ files: client });
    expect(validator.hasCapability("files", "experimental.toolValidation")).toBe(true);
    const results = await validator.validateTools([
      { tool: "files:write_file", arguments: GOOD },
      { tool: "files:write_file", arguments: { size: "1" } },
      { tool: "files:nothing", arguments: {} },
    ]);
    expect(results).toMatchObject([
      { valid: false, errors: ["no /tmp/a"], method: "native", native: { status: "ok" } },
      { valid: false, method: "native", issues: [{ level: "syntax" }, { level: "syntax" }] },
      { valid: false, errors: ["Tool not found: files:nothing"], method: "none" },
    ]);
    expect(results[1]?.errors).toHaveLength(2);
    expect(made.ran).toEqual([]);
  });
});

describe("ToolValidator", () => {
  it.each([
    ["timeoutMs", 1, 2_147_000_000],
    ["maxCached", 0, 2_147_000_000],
  ])("accepts integers for %s, from %i to %i", (option, least, most) => {
    const make = (value: unknown) => () => new ToolValidator({}, { [option]: value });
    for (const value of [least, most]) expect(make(value)).not.toThrow();
    for (const value of [least - 1, most + 1, 1.5, Number.NaN, "5"]) {
      expect(make(value)).toThrow(`${option} must be an integer from ${least} to ${most}`);
    }
  });

  it("limits arguments in schema checks", async () => {
    expect(() => new ToolValidator({}, { limits: { maxBytes: 1.5 } })).toThrow("limits must be");
    const made = SERVERS["v2 Server"]?.();
    if (made === undefined) throw new Error("no server");
    const client = await connect("v2", made.server);
    open.push(client, made.server);
    for (const [limits, valid] of [
      [undefined, true],
      [{ maxBytes: 10 }, false],
      [{ maxDepth: 1 }, false],
    ] as const) {
      const validator = new ToolValidator({ files: client }, { limits });
      expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({ valid });
    }
  });

  it.each([
    ["write_file", "Expected format"],
    [":write_file", "Expected format"],
    ["files:", "Expected format"],
    ["other:write_file", "Server not found: other"],
    ["files:a:b", "Tool not found: files:a:b"],
    [undefined, "Expected format"],
  ])("refuses the address %s", async (address, message) => {
    const { validator, seen } = await start({ announced: ANNOUNCED });
    const result = await validator.validateTool(address as string, {});
    expect(result).toMatchObject({ valid: false, method: "none" });
    expect(result.errors[0]).toContain(message);
    expect(seen).toEqual([]);
  });

  it("splits an address at the first colon", async () => {
    const tools = [{ ...WRITE_FILE, name: "a:b" }];
    const { validator, seen } = await start({ announced: ANNOUNCED, tools });
    expect(await validator.validateTool("files:a:b", GOOD)).toMatchObject({ valid: true });
    expect(seen[0]?.arguments).toMatchObject({ tool: "a:b" });
  });

  it("says that nothing could be checked if so", async () => {
    const client = { callTool: () => Promise.reject(new Error("gone")) };
    const validator = new ToolValidator({ files: client });
    expect(await validator.validateTool("files:x", {})).toMatchObject({
      valid: false,
      method: "none",
      errors: [expect.stringContaining("could not be checked")],
    });
  });

  it("works with a client that is not from an SDK and returns a string", async () => {
    const client = {
      getServerCapabilities: () => ({ experimental: { toolValidation: { supported: true } } }),
      listTools: async () => ({ tools: [WRITE_FILE] }),
      callTool: async () => ({
        success: true,
        content: '{"valid":true,"errors":[],"warnings":[]}',
      }),
    };
    const validator = new ToolValidator({ files: client });
    expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({
      valid: true,
      method: "native",
    });
  });

  it("returns every suggestion of the schema", async () => {
    const properties = { a: { type: "string" }, b: { type: "integer" }, c: { enum: ["x", "y"] } };
    const tool = { name: "w", inputSchema: { type: "object", properties } };
    const { validator } = await start({ tools: [tool] });
    const args = { a: 1, b: "5", c: "z" };
    const { suggestions } = await validator.validateTool("files:w", args);
    const told = compileDeclared({ value: tool.inputSchema }).validate(args).suggestions;
    expect(suggestions).toHaveLength(3);
    expect(suggestions).toEqual(told.map(({ path, message }) => `${path}: ${message}`));
  });

  it("never rejects, for any arguments", async () => {
    const { validator } = await start({ announced: ANNOUNCED });
    const cycle: Record<string, unknown> = {};
    cycle["path"] = cycle;
    for (const args of [cycle, { path: 1n }, null, [], () => {}, undefined]) {
      expect(await validator.validateTool("files:write_file", args)).toMatchObject({
        valid: false,
        method: "schema",
      });
    }
  });

  it("can be canceled", async () => {
    const controller = new AbortController();
    const answer = () => {
      controller.abort();
      return new Promise<Record<string, unknown>>(() => {});
    };
    const { validator } = await start({ announced: ANNOUNCED, answer });
    const { signal } = controller;
    expect(await validator.validateTool("files:write_file", GOOD, { signal })).toMatchObject({
      method: "schema",
      native: { status: "failed", detail: "canceled by the caller" },
    });
  });

  it.each(["2.0", 2, "", null])("does not support the version %j", async (version) => {
    const { validator, seen } = await start({ announced: { supported: true, version } });
    expect(await validator.validateTool("files:write_file", GOOD)).toMatchObject({
      method: "schema",
      native: { status: "not_supported", detail: expect.stringContaining(`version ${version}`) },
    });
    expect(seen).toEqual([]);
  });

  it("validates the other calls if one is malformed", async () => {
    const { validator } = await start({ announced: ANNOUNCED });
    const call = { tool: "files:write_file", arguments: GOOD };
    const hostile = {
      get tool(): string {
        throw new Error("no tool");
      },
      arguments: {},
    };
    const results = await validator.validateTools([call, null as never, hostile, call]);
    expect(results.map(({ valid, method }) => [valid, method])).toEqual([
      [true, "native"],
      [false, "none"],
      [false, "none"],
      [true, "native"],
    ]);
  });

  it("returns nothing for a value that is not a list of calls", async () => {
    const { validator } = await start({ announced: ANNOUNCED });
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const calls of [proxy, null, 5]) {
      expect(await validator.validateTools(calls as never)).toEqual([]);
    }
  });

  it("accepts servers in a Map too", async () => {
    const { client } = await start({ announced: ANNOUNCED });
    const validator = new ToolValidator(new Map([["other", client]]));
    expect(validator.hasCapability("other", "experimental.toolValidation")).toBe(true);
  });

  it("refuses invalid options and clients", () => {
    expect(() => new ToolValidator({ a: {} as never })).toThrow(/has no callTool/);
    expect(() => new ToolValidator({}, { timeoutMs: 0 })).toThrow(/timeoutMs must be/);
    const client = { callTool: async () => ({}) };
    expect(() => new ToolValidator({ "a:b": client })).toThrow(/colon/);
    expect(() => new ToolValidator(client as never)).toThrow(/by the names of their servers/);
  });
});
