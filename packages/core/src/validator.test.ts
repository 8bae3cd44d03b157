import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SchemaValidator, type ValidatorLogger } from "./validator.ts";

const OBJECT = { type: "object", required: ["a"], properties: { a: { type: "integer" } } };

/** A proxy whose every trap throws. */
function hostile(): unknown {
  const fail = (): never => {
    throw new Error("trap");
  };
  return new Proxy(
    {},
    { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail },
  );
}

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const HOSTILE: readonly [string, () => unknown][] = [
  ["a proxy that throws", hostile],
  [
    "a getter that throws",
    () => Object.defineProperty({}, "a", { enumerable: true, get: hostile }),
  ],
  ["a cycle", () => cycle],
  ["a bigint", () => 1n],
  ["a symbol", () => Symbol("x")],
  ["a function", () => () => 1],
  ["no prototype", () => Object.create(null)],
  ["a frozen object", () => Object.freeze({ a: 1 })],
  ["toJSON that throws", () => ({ toJSON: hostile })],
  ["undefined", () => undefined],
];

describe("SchemaValidator", () => {
  it("refuses a whole tool in place of its schema", () => {
    const validator = new SchemaValidator({ name: "add", inputSchema: OBJECT });
    expect(validator.validate({ a: 1 }).errorMessages).toEqual([
      "Invalid schema: it is a tool of tools/list; give its inputSchema",
    ]);
    expect(new SchemaValidator({ inputSchema: {} }).validate({}).valid).toBe(true);
  });

  it.each<[unknown, unknown, readonly string[]]>([
    [OBJECT, { a: 1 }, []],
    [OBJECT, { a: 5.0 }, []],
    [OBJECT, {}, ["/a is required"]],
    [OBJECT, { a: true }, ["/a must be an integer (got a boolean)"]],
    [OBJECT, [], ["the value must be an object (got an array of 0 items)"]],
    [{ type: "number" }, true, ["the value must be a number (got a boolean)"]],
    [
      { type: "array", items: { type: "string" } },
      ["x", 1],
      ["/1 must be a string (got an integer)"],
    ],
    [{ items: true, properties: { a: false } }, { a: 1 }, ["/a is not allowed"]],
    [undefined, 1, []],
    [null, 1, []],
    [false, 1, ["the value cannot be valid: the schema allows no value"]],
  ])("%j reports for %j: %j", (schema, data, expected) => {
    const result = new SchemaValidator(schema).validate(data);
    expect(result.errorMessages).toEqual(expected);
    expect(result.valid).toBe(expected.length === 0);
  });

  it("reports an unusable schema in every result", () => {
    const result = new SchemaValidator({ type: "strin" }).validate(1);
    expect(result).toMatchObject({ valid: false, errors: [{ rule: "schema" }] });
    expect(result.errorMessages[0]).toContain("Invalid schema");
  });

  it("warns about an unknown format, which accepts every text", () => {
    const schema = { properties: { a: { type: "string", format: "e-mail" } } };
    const warning = '/properties/a/format: the format "e-mail" is not known and is ignored';
    for (const value of [{ a: "x" }, { a: 1 }]) {
      const { warnings, warningMessages } = new SchemaValidator(schema).validate(value);
      expect(warningMessages).toEqual([warning]);
      expect(warnings).toMatchObject([{ rule: "format", keyword: "format" }]);
    }
    expect(new SchemaValidator(OBJECT).validate({ a: 1 }).warnings).toEqual([]);
  });

  it("accepts any value without a schema, however deep, and applies limits otherwise", () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
    for (const none of [undefined, null]) {
      expect(new SchemaValidator(none).validate(deep(2_000)).valid).toBe(true);
      expect(new SchemaValidator(none, { limits: { maxDepth: 1 } }).validate(deep(9)).valid).toBe(
        true,
      );
    }
    for (const all of [{}, true]) {
      const open = (limits?: object) =>
        new SchemaValidator(all, { limits }).validate(deep(64)).valid;
      const given = [undefined, {}, { maxDepth: 65 }, { maxDepth: 65, maxBytes: 9 }];
      expect(given.map(open)).toEqual([true, false, true, false]);
    }
    const some = (limits?: object) =>
      new SchemaValidator({ type: "object" }, { limits }).validate(deep(64)).valid;
    expect([some(), some({ maxDepth: 65 })]).toEqual([false, true]);
  });

  it("logs each error once, even if the logger throws", () => {
    const logged: string[] = [];
    const logger: ValidatorLogger = {
      error(message) {
        logged.push(message);
        throw new Error("full");
      },
    };
    const schema = { required: ["a", "b"] };
    const { errorMessages } = new SchemaValidator(schema, { logger }).validate({});
    expect(logged).toEqual(errorMessages);
    expect(logged).toHaveLength(2);
  });

  it("also logs why it could not be created", () => {
    const logged: string[] = [];
    const options = {
      logger: { error: (text: string) => void logged.push(text) },
      get dialect(): undefined {
        throw new Error("no dialect");
      },
    };
    const { valid, errorMessages } = new SchemaValidator(OBJECT, options).validate({});
    expect([valid, errorMessages]).toEqual([false, ["Invalid schema: no dialect"]]);
    expect(logged).toEqual(errorMessages);
  });

  it.each(HOSTILE)("does not throw on %s, as data or as a schema", (_, make) => {
    for (const schema of [OBJECT, true, make()]) {
      expect(new SchemaValidator(schema).validate(make()).valid).toBeTypeOf("boolean");
    }
    expect(new SchemaValidator(OBJECT, hostile() as never).validate({}).valid).toBe(false);
  });

  it("does not throw, whatever it is given", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, anything, (schema, data) => {
        const { valid, errors } = new SchemaValidator(schema).validate(data);
        expect(valid).toBe(errors.length === 0);
      }),
    );
  });
});
