import { describe, expect, it, vi } from "vitest";
import {
  type CheckedOptions,
  checked,
  InvalidSchemaError,
  ToolInputError,
  ToolOutputError,
  toolSchema,
} from "./index.ts";

const input = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

function thrown(task: () => unknown): unknown {
  try {
    return task();
  } catch (error) {
    return error;
  }
}

describe("checked", () => {
  it("runs the function only on valid arguments, and passes on everything else", () => {
    const seen: unknown[] = [];
    function add(this: unknown, args: { a: number }, b: number): number {
      seen.push(this);
      return args.a + b;
    }
    const safe = checked(add, { input });
    const self = {};
    expect(safe.call(self, { a: 1 }, 2)).toBe(3);
    expect(seen).toEqual([self]);
    expect(safe.name).toBe("add");
    const error = thrown(() => safe({ a: "1" } as never, 2));
    expect(error).toBeInstanceOf(ToolInputError);
    expect(error).toMatchObject({ code: "invalid_arguments", tool: "add" });
    expect((error as ToolInputError).check.errors).toMatchObject([{ path: "/a", rule: "type" }]);
    expect(seen).toHaveLength(1);
  });

  it("checks the result, returned directly or by a promise", async () => {
    const output = { type: "string" };
    expect(checked(() => "x", { output })({})).toBe("x");
    for (const other of [1, null, undefined]) {
      expect(() => checked(() => other, { output })({})).toThrow(ToolOutputError);
    }
    await expect(checked(async () => "x", { output })({})).resolves.toBe("x");
    await expect(checked(async () => 1, { output })({})).rejects.toThrow(ToolOutputError);
    const failure = new Error("own");
    await expect(checked(() => Promise.reject(failure), { output })({})).rejects.toBe(failure);
    // The awaited value is a function with a `then` method, as in some query builders.
    const callable = (): number => 1;
    Reflect.set(callable, "then", (done: (value: unknown) => void) => done(1));
    await expect(checked(() => callable, { output })({})).rejects.toThrow(ToolOutputError);
  });

  it.each([
    ["inputSchema", { inputSchema: input }],
    ["schema", { name: "add", schema: input }],
    ["type", input],
  ])("checks every argument with a schema given as %s", (name, options) => {
    const message = `"${name}" is not an option of checked; pass the schema of the first argument as "input"`;
    expect(() => checked(() => 1, options as CheckedOptions)).toThrow(new TypeError(message));
    for (const more of [{ input }, { input: undefined }, { raw: true }]) {
      expect(() => checked(() => 1, { ...options, ...more } as CheckedOptions)).not.toThrow();
    }
  });

  it("keeps the function's other members", () => {
    const mark = Symbol("mark");
    const echo = (args: unknown): unknown => args;
    const fn = Object.assign(echo, { description: "d", [mark]: 1 });
    const frozen = Object.freeze(checked(Object.freeze(fn), { input, name: "first" }));
    const safe = checked(frozen, { name: "second" });
    expect({ ...safe }).toMatchObject({
      description: "d",
      [mark]: 1,
      contract: { tool: "second" },
    });
    expect(safe.name).toBe("echo");
  });

  it('names an anonymous function "tool"', () => {
    const [anonymous] = [() => 1];
    expect(checked(anonymous as () => number, { input }).contract.tool).toBe("tool");
  });

  it("says what is checked", () => {
    const fn = vi.fn();
    expect(checked(fn, { input, name: "t" }).contract).toEqual({
      tool: "t",
      input: { checked: true, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), faults: [] },
      output: { checked: false, reason: "no_schema", faults: [] },
    });
    const raw = checked(fn, { input, raw: true });
    expect(raw.contract.input).toEqual({ checked: false, reason: "raw", faults: [] });
    raw(5);
    expect(fn).toHaveBeenCalledExactlyOnceWith(5);
  });

  it("lists errors in the same order, whatever the order of the keys", () => {
    const schema = { properties: { a: { type: "integer" }, b: { type: "integer" }, c: false } };
    const fn = checked(() => 1, { input: schema });
    const messages = [
      { a: "", b: "", c: 1 },
      { c: 1, b: "", a: "" },
    ].map((value) => thrown(() => fn(value)));
    expect((messages[0] as Error).message).toBe((messages[1] as Error).message);
  });

  // Every keyword, including those that other validators lack: [schema, good, bad].
  it.each([
    ["required", { required: ["a"] }, { a: 1 }, {}],
    ["own properties only", { required: ["constructor"] }, { constructor: 1 }, {}],
    ["enum, by type", { enum: [1] }, 1, "1"],
    ["const", { const: [1] }, [1], [2]],
    ["type union", { type: ["string", "null"] }, null, 1],
    ["integer", { type: "integer" }, 5.0, 5.5],
    ["additionalProperties without properties", { additionalProperties: false }, {}, { a: 1 }],
    [
      "additionalProperties as schema",
      { additionalProperties: { type: "string" } },
      { a: "" },
      { a: 1 },
    ],
    ["pattern", { pattern: "^a(?=b)" }, "ab", "ac"],
    ["code points", { maxLength: 1 }, "😀", "ab"],
    ["minLength", { minLength: 2 }, "ab", "a"],
    ["minimum", { minimum: 1 }, 1, 0],
    ["exclusiveMaximum", { exclusiveMaximum: 1 }, 0, 1],
    ["multipleOf", { multipleOf: 0.1 }, 0.3, 0.35],
    ["minItems", { minItems: 1 }, [1], []],
    ["items", { items: { type: "string" } }, ["a"], [1]],
    ["prefixItems", { prefixItems: [{ type: "string" }] }, ["a"], [1]],
    ["uniqueItems", { uniqueItems: true }, [1, 2], [1, 1]],
    ["contains", { contains: { const: 1 } }, [1], [2]],
    ["anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, null, 1],
    ["oneOf, none", { oneOf: [{ minimum: 5 }, { maximum: 1 }] }, 6, 3],
    ["oneOf, two", { oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 6, 3],
    ["allOf", { allOf: [{ minimum: 1 }, { maximum: 5 }] }, 3, 6],
    ["not", { not: { type: "string" } }, 1, "a"],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ["if", { if: { minimum: 5 }, then: { multipleOf: 5 } }, 10, 6],
    ["$ref", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "a", 1],
    ["patternProperties", { patternProperties: { "^x": false } }, { y: 1 }, { x: 1 }],
    ["propertyNames", { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    ["minProperties", { minProperties: 1 }, { a: 1 }, {}],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
    ["dependentSchemas", { dependentSchemas: { a: false } }, { b: 1 }, { a: 1 }],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1 },
      { b: 1 },
    ],
    ["format", { format: "email" }, "a@b.co", "a"],
    ["boolean schema", false, undefined, {}],
  ] as const)("%s", (_name, schema, good, bad) => {
    const fn = vi.fn();
    const safe = checked(fn, { input: schema });
    expect(() => safe(bad)).toThrow(ToolInputError);
    expect(fn).not.toHaveBeenCalled();
    if (good === undefined) return;
    safe(good);
    expect(fn).toHaveBeenCalledExactlyOnceWith(good);
  });
});

describe("construction", () => {
  const broken = {
    type: "object",
    properties: {
      a: { type: "strin" },
      b: { type: "string", pattern: "(" },
      c: { $ref: "#/$defs/none" },
      d: { anyOf: [{ type: "nul" }, 5] },
      e: { $ref: "https://example.com/remote" },
    },
    required: "a",
  };

  it("fails with every fault of the schema and its place", () => {
    const before = JSON.stringify(broken);
    const error = thrown(() => checked(() => 1, { input: broken, name: "t" }));
    expect(error).toBeInstanceOf(InvalidSchemaError);
    const { faults, message, side, tool } = error as InvalidSchemaError;
    expect([side, tool]).toEqual(["input", "t"]);
    const found = faults.map(({ path }) => path);
    for (const path of [
      "/properties/a/type",
      "/properties/b/pattern",
      "/properties/c/$ref",
      "/properties/d/anyOf/0/type",
      "/properties/d/anyOf/1",
      "/properties/e/$ref",
      "/required",
    ]) {
      expect(found).toContain(path);
      expect(message).toContain(path);
    }
    expect(message).toContain("lenient: true");
    expect(JSON.stringify(broken)).toBe(before);
  });

  it("says whether the input or the output schema is broken", () => {
    const error = thrown(() => checked(() => 1, { output: broken }));
    expect((error as InvalidSchemaError).message).toMatch(/^The output schema of the tool/);
  });

  it.each([[[1]], ["{"], [5], [{ $schema: "urn:none" }]])("fails on %j", (schema) => {
    const error = thrown(() => checked(() => 1, { input: schema }));
    expect((error as InvalidSchemaError).faults.length).toBeGreaterThan(0);
  });

  it("accepts a broken schema if it is lenient, and says that nothing is checked", () => {
    const fn = vi.fn();
    const safe = checked(fn, { input: broken, lenient: true });
    expect(safe.contract.input).toMatchObject({ checked: false, reason: "unusable_schema" });
    expect(safe.contract.input.faults.length).toBeGreaterThanOrEqual(7);
    safe(5);
    expect(fn).toHaveBeenCalledTimes(1);
  });
});

describe("toolSchema", () => {
  it("accepts an object schema without a type, and adds it", () => {
    for (const schema of [
      { properties: { a: { type: "string" } } },
      { type: ["object", "null"] },
      true,
    ]) {
      const { "~standard": standard } = toolSchema(schema);
      expect(standard.jsonSchema.input({ target: "draft-2020-12" })).toMatchObject({
        type: "object",
      });
      expect(standard.validate([])).toHaveProperty("issues");
      expect(standard.validate({})).toEqual({ value: {} });
    }
  });

  it("converts a 2020-12 schema to draft-07, which the AI SDK requires", () => {
    const schema = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } };
    expect(toolSchema(schema)["~standard"].jsonSchema.input({ target: "draft-07" })).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { $ref: "#/definitions/a" } },
      definitions: { a: { type: "string" } },
    });
  });

  it("returns issues with a text for a model", () => {
    expect(toolSchema(input)["~standard"].validate({ a: "5" })).toEqual({
      issues: [{ message: expect.stringMatching(/^Change \/a: .*integer/) }],
    });
  });

  it("accepts everything if it is lenient about a broken schema", () => {
    const { "~standard": standard, contract } = toolSchema({ type: "strin" }, { lenient: true });
    expect(contract.input.checked).toBe(false);
    expect(standard.validate(5)).toEqual({ value: 5 });
    expect(standard.jsonSchema.input({ target: "draft-2020-12" })).toEqual({ type: "object" });
  });
});
