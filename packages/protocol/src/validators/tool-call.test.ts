import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anything, HOSTILE } from "../testing/hostile.ts";
import { ToolCallValidator, type ToolSchemas, validateToolCall } from "./tool-call.ts";

const SCHEMAS: ToolSchemas = {
  add: { type: "object", required: ["a"], properties: { a: { type: "integer" } } },
  free: null,
  broken: { type: "strin" },
};

describe("ToolCallValidator", () => {
  it("accepts any object for a tool without a schema, and limits the depth for others", () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    const tools = { none: null, open: {}, some: { type: "object" } };
    const valid = (name: string, limits?: object) => {
      const { valid: found } = new ToolCallValidator(tools, { limits }).validateCall(
        name,
        deep(100),
      );
      expect(validateToolCall(name, deep(100), tools, { limits }).valid).toBe(found);
      return found;
    };
    expect([valid("none"), valid("open"), valid("some")]).toEqual([true, true, false]);
    expect([valid("open", { maxDepth: 64 }), valid("some", { maxDepth: 200 })]).toEqual([
      false,
      true,
    ]);
  });

  it.each<[string, unknown, readonly string[]]>([
    ["add", { a: 1 }, []],
    ["add", { a: 5.0 }, []],
    ["add", {}, ["/a is required"]],
    ["add", undefined, ["/a is required"]],
    ["add", null, ["the arguments must be an object (got null)"]],
    ["add", [], ["the arguments must be an object (got an array of 0 items)"]],
    ["free", { any: 1 }, []],
    ["free", "x", ["the arguments must be an object (got a string of 1 character)"]],
    ["nope", {}, ["Unknown tool: nope"]],
    ["toString", {}, ["Unknown tool: toString"]],
  ])("checks %s with %j: %j", (tool, args, expected) => {
    expect(validateToolCall(tool, args, SCHEMAS)).toMatchObject({
      valid: expected.length === 0,
      errorMessages: expected,
    });
    const map = new Map(Object.entries(SCHEMAS));
    expect(validateToolCall(tool, args, map).errorMessages).toEqual(expected);
  });

  it("warns about unknown formats, whatever the arguments are", () => {
    const properties = { zip: { type: "string", format: "zip" }, day: { format: "date" } };
    const validator = new ToolCallValidator({ find: { type: "object", properties } });
    const warning = '/properties/zip/format: the format "zip" is not known and is ignored';
    for (const [args, valid] of [
      [{ zip: "0150" }, true],
      [{}, true],
      [{ day: "today" }, false],
    ] as const) {
      const result = validator.validateCall("find", args);
      expect(result).toMatchObject({ valid, warningMessages: [warning] });
      expect(result.warnings).toMatchObject([{ rule: "format", keyword: "format" }]);
    }
  });

  it("refuses a tool definition as a schema, because it would accept every argument", () => {
    const add = { name: "add", inputSchema: { type: "object", required: ["a"] } };
    const validator = new ToolCallValidator({ add });
    for (let time = 0; time < 2; time++) {
      expect(validator.validateCall("add", { a: 1 })).toMatchObject({
        errors: [{ path: "", rule: "schema", keyword: "schema" }],
        errorMessages: ["Invalid schema: it is a tool of tools/list; give its inputSchema"],
      });
    }
    // A schema may describe values that look like a tool, or have an unknown keyword `inputSchema`.
    const properties = { name: { type: "string" }, inputSchema: { type: "object" } };
    for (const schema of [{ properties }, { inputSchema: {} }]) {
      expect(validateToolCall("add", {}, { add: schema }).valid).toBe(true);
    }
  });

  it("refuses an unknown revision for results", () => {
    const validator = new ToolCallValidator({}, { revision: "2027-01-01" });
    expect(validator.validateResult({ content: "x" }).errorMessages).toEqual([
      'MCP has no revision "2027-01-01"; it has 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28',
    ]);
  });

  it("explains how to pass schemas if it got a list of tools", () => {
    const tools = [{ name: "add", inputSchema: { type: "object" } }];
    for (const given of [tools, { tools }]) {
      const { errorMessages } = validateToolCall("add", {}, given as never);
      expect(errorMessages).toEqual([expect.stringContaining("give each by its tool's name")]);
    }
  });

  it("reports an unusable schema", () => {
    const { errors } = validateToolCall("broken", {}, SCHEMAS);
    expect(errors).toMatchObject([{ rule: "schema", path: "" }]);
  });

  it("warns about an unknown format in the schema", () => {
    const schemas = { t: { properties: { a: { format: "e-mail" } } } };
    expect(validateToolCall("t", { a: "x" }, schemas)).toMatchObject({
      valid: true,
      warningMessages: ['/properties/a/format: the format "e-mail" is not known and is ignored'],
    });
  });

  const TASK = { resultType: "task", task: { taskId: "t", status: "working" } };
  const OTHER =
    "/resultType: resultType must be complete or input_required, as no declared extension adds another one";
  it.each<[string | undefined, readonly string[] | undefined, object, boolean]>([
    [undefined, undefined, { resultType: "zzz" }, false],
    ["2026-07-28", undefined, { resultType: "zzz" }, false],
    ["2026-07-28", [], { resultType: "zzz" }, false],
    ["2026-07-28", ["com.example/other"], { resultType: "zzz" }, true],
    ["2026-07-28", undefined, TASK, false],
    ["2026-07-28", ["com.example/other"], TASK, false],
    ["2026-07-28", ["io.modelcontextprotocol/tasks"], TASK, true],
    ["2026-07-28", undefined, { resultType: "complete", content: [] }, true],
    // Earlier revisions have no `resultType`.
    ["2025-11-25", undefined, { content: [], resultType: "zzz" }, true],
  ])("MCP %s with the extensions %j: %j is valid: %s", (revision, extensions, result, valid) => {
    const validator = new ToolCallValidator({}, { revision, extensions });
    const { errorMessages } = validator.validateResult(result);
    expect(errorMessages).toEqual(valid ? [] : [expect.stringContaining(OTHER.slice(13))]);
  });

  it("has no limits for a tool whose schema accepts everything", () => {
    let args: object = {};
    for (let n = 0; n < 200; n++) args = { args };
    for (const schema of [{}, true, null, undefined]) {
      expect(validateToolCall("t", args, new Map([["t", schema]])).valid).toBe(true);
    }
    expect(validateToolCall("t", args, { t: { type: "object" } }).errors).toMatchObject([
      { rule: "guard", keyword: "maxDepth" },
    ]);
  });

  it("refuses a name that is not a string", () => {
    const { errorMessages } = new ToolCallValidator(SCHEMAS).validateCall(5 as never, {});
    expect(errorMessages).toEqual(["the name of a tool must be a string, found number"]);
  });

  it.each<[string | undefined, unknown, readonly string[]]>([
    [undefined, { content: [] }, []],
    [undefined, { content: [], resultType: "complete" }, []],
    ["2026-07-28", { content: [] }, []],
    [
      "2026-07-28",
      { content: [], resultType: 5 },
      ["/resultType must be a string (got an integer)"],
    ],
    [undefined, {}, ["/content is required"]],
    [
      undefined,
      { content: [{ type: "text", text: 5 }] },
      ["/content/0/text must be a string (got an integer)"],
    ],
    [undefined, null, ["the result must be an object (got null)"]],
    [
      "2024-11-05",
      { content: [{ type: "audio", data: "", mimeType: "" }] },
      ['/content/0/type must be one of "text", "image", "resource" (got a string of 5 characters)'],
    ],
  ])("checks a result by MCP %s: %j", (revision, result, expected) => {
    const { errorMessages } = new ToolCallValidator({}, { revision }).validateResult(result);
    expect(errorMessages).toEqual(expected.map((text) => text.replace(/^: /, "")));
  });

  it("warns of a result of 2026-07-28 without resultType", () => {
    const validator = new ToolCallValidator({}, { revision: "2026-07-28" });
    expect(validator.validateResult({ content: [] })).toMatchObject({
      valid: true,
      warningMessages: ["/resultType is required"],
    });
  });

  it.each<[unknown, readonly string[], readonly string[]]>([
    [{ status: "success", data: 1 }, [], []],
    [{}, ["/status: Missing required field: status"], []],
    [{ status: 5 }, ["/status: status must be a string"], []],
    [{ status: "failure", error: "e" }, [], []],
    [{ status: "failure", data: null }, ["/error: Error field required on failure"], []],
    [
      { status: "failure", error: null, data: 1 },
      ["/error: Error field required on failure"],
      ["/data: Data should be null on failure"],
    ],
    [
      { status: "no_failures", data: 1 },
      [],
      ["/status: Non-standard status: no_failures; success, failure and partial are known"],
    ],
    [
      { status: "s".repeat(81) },
      [],
      [`/status: Non-standard status: ${"s".repeat(80)}; success, failure and partial are known`],
    ],
    [[], ["a result must be an object"], []],
    [null, ["a result must be an object"], []],
    ["done", ["a result must be an object"], []],
  ])("checks the envelope %j", (result, errors, warnings) => {
    const found = new ToolCallValidator({}, { profile: "envelope" }).validateResult(result);
    expect(found.errorMessages).toEqual(errors);
    expect(found.warningMessages).toEqual(warnings);
    expect(found.valid).toBe(errors.length === 0);
  });

  it("refuses an unknown profile for results", () => {
    const validator = new ToolCallValidator({}, { profile: "Envelope" as never });
    expect(validator.validateResult({ content: [] }).errorMessages).toEqual([
      'the profile must be mcp or envelope, found "Envelope"',
    ]);
  });

  it("logs each error once", () => {
    const logged: string[] = [];
    const logger = { error: (message: string) => logged.push(message) };
    const validator = new ToolCallValidator(SCHEMAS, { logger });
    validator.validateCall("nope", {});
    validator.validateResult({});
    expect(logged).toEqual(["Unknown tool: nope", "/content is required"]);
  });

  it.each(HOSTILE)("does not throw on %s", (_, make) => {
    const validator = new ToolCallValidator(make() as never, make() as never);
    expect(validator.validateCall("a", make()).valid).toBeTypeOf("boolean");
    expect(new ToolCallValidator(SCHEMAS).validateCall("add", make()).valid).toBeTypeOf("boolean");
    expect(new ToolCallValidator({ add: make() }).validateCall("add", {}).valid).toBeTypeOf(
      "boolean",
    );
    expect(validator.validateResult(make()).valid).toBeTypeOf("boolean");
  });

  it("does not throw on any input", () => {
    fc.assert(
      fc.property(anything, anything, anything, (schemas, name, value) => {
        const validator = new ToolCallValidator(schemas() as never);
        const call = validator.validateCall(name() as never, value());
        expect(call.valid).toBe(call.errors.length === 0);
        const result = validator.validateResult(value());
        expect(result.valid).toBe(result.errorMessages.length === 0);
      }),
    );
  });
});
