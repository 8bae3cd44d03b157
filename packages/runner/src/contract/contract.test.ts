import { describe, expect, it } from "vitest";
import { asObjectSchema, requireObjectSchema } from "./arguments.ts";
import { Contract } from "./contract.ts";
import { ToolInputError, ToolOutputError } from "./errors.ts";
import type { ContractOptions } from "./options.ts";

describe("a contract", () => {
  const input = { type: "object", properties: { id: {}, n: { type: "integer" } } };
  const contract = new Contract({ tool: "t", input }, { repair: ["coerce-scalars"] });

  it("repairs arguments in a text, unless a number does not fit into a double", () => {
    expect(contract.acceptText('{"id":1,"n":"2"}')).toEqual({
      value: { id: 1, n: 2 },
      repaired: true,
    });
    expect(() => contract.acceptText('{"id":9007199254740993,"n":"2"}')).toThrow(ToolInputError);
  });

  it("writes large numbers as strings if their digits are known from a text", () => {
    const texts = new Contract(
      { tool: "t", input: { properties: { id: { type: "string" } } } },
      { repair: ["coerce-scalars"] },
    );
    const mended = { value: { id: "725653563933458400" }, repaired: true };
    expect(texts.acceptText('{"id":725653563933458400}')).toEqual(mended);
    expect(() => texts.acceptText('{"id":725653563933458432}')).toThrow(ToolInputError);
    expect(() => texts.accept({ id: 725653563933458400 })).toThrow(ToolInputError);
  });

  it.each([
    ["coerce-scalars", 'it is "coerce-scalars"'],
    [null, "it is a value of type object"],
    [["drop-nulls", "coerce"], 'it holds "coerce"'],
    [["toString"], 'it holds "toString"'],
    [[undefined], "it holds a value of type undefined"],
  ])("is not created with the repair %j, which would fix nothing", (repair, what) => {
    const options = { repair: repair as ContractOptions["repair"] } as ContractOptions;
    expect(() => new Contract({ tool: "t", input }, options)).toThrow(
      new TypeError(
        `the option "repair" is a list of what may be repaired, of "parse-json-strings", "coerce-scalars", "drop-nulls", "fill-defaults", "rename-properties", "match-enum-case"; ${what}`,
      ),
    );
  });

  describe("a result that is sent as JSON text", () => {
    const properties = { degrees: { type: "number" }, at: { type: "string", format: "date-time" } };
    const output = { type: "object", properties, required: ["degrees"] };
    const sent = new Contract({ tool: "t", output });

    it.each([
      [{ degrees: Number.NaN }, "/degrees: must be a number; it is null"],
      [{ degrees: Number.NEGATIVE_INFINITY }, "/degrees: must be a number; it is null"],
      [{ degrees: 1, at: new Date(Number.NaN) }, "/at: must be a string; it is null"],
      [{ degrees: (): number => 1 }, "Add /degrees, which is required: a number."],
      [undefined, "must be an object"],
    ])("is checked in that form: %j", (value, told) => {
      expect(() => sent.acceptSent(value)).toThrow(told);
    });

    it("can contain values that JSON.stringify converts", () => {
      expect(() => sent.acceptSent({ degrees: 1, at: new Date(0), more: undefined })).not.toThrow();
      expect(() => sent.acceptSent({ toJSON: () => ({ degrees: 1 }) })).not.toThrow();
    });

    it("is checked in memory if it has no JSON text", () => {
      expect(() => sent.acceptSent({ degrees: 1n })).toThrow(ToolOutputError);
    });
  });

  it("checks the digits in arguments", () => {
    const whole = new Contract({ tool: "t", input: { properties: { n: { type: "integer" } } } });
    for (const good of ['{"n":1}', '{"n":9007199254740993}']) {
      expect(() => whole.confirmNumbers(good)).not.toThrow();
      expect(() => whole.confirmText(good)).not.toThrow();
    }
    const lossy = '{"n":9007199254740993.5}';
    expect(() => whole.confirmNumbers(lossy)).toThrow(ToolInputError);
    expect(() => whole.confirmText(lossy)).toThrow(ToolInputError);
    expect(() => whole.confirmNumbers('{"n":1')).not.toThrow();
    expect(() => whole.confirmText('{"n":1')).toThrow(ToolInputError);
  });

  it("returns results unchanged, or as a promise", async () => {
    const some = new Contract({ tool: "t", output: { type: "object" } });
    const result = { a: 1 };
    expect(some.acceptResultOf(result)).toBe(result);
    await expect(some.acceptResultOf(Promise.resolve(result))).resolves.toBe(result);
    expect(() => some.acceptResultOf(1)).toThrow(ToolOutputError);
    await expect(some.acceptResultOf(Promise.resolve(1))).rejects.toThrow(ToolOutputError);
    expect(() => some.acceptResultText("{}")).not.toThrow();
    expect(() => some.acceptResultText("{")).toThrow(ToolOutputError);
  });

  it("applies its limits to values in memory too", () => {
    const bounded = new Contract({ tool: "t", input }, { limits: { maxDepth: 2 } });
    expect(bounded.accept({ id: 1 })).toEqual({ id: 1 });
    expect(() => bounded.accept({ id: [[1]] })).toThrow(ToolInputError);
  });
});

describe("the schema for arguments", () => {
  it.each([
    [true, { type: "object" }],
    [false, { type: "object", not: {} }],
    [{ minProperties: 1 }, { minProperties: 1, type: "object" }],
    [{ type: ["object", "null"] }, { type: "object" }],
    [{ type: ["string", "null"] }, { type: ["string", "null"] }],
    [{ type: "string" }, { type: "string" }],
    ["no schema", "no schema"],
  ])("for %j is %j", (schema, whole) => {
    expect(asObjectSchema(schema)).toEqual(whole);
  });

  it.each<[string, unknown, string]>([
    ["a promise", Promise.resolve({ type: "object" }), "a promise is not a schema; await it"],
    ["a map", new Map(), 'an object of class "Map" is not a JSON Schema'],
  ])("is never %s, which would accept every object", (_, schema, message) => {
    const input = asObjectSchema(schema);
    expect(input).toBe(schema);
    expect(() => new Contract({ tool: "t", input })).toThrow(message);
    expect(() => requireObjectSchema("t", schema)).toThrow(message);
  });
});
