import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared, renderForModel } from "./advanced.ts";

/** Checks a value several times and in several ways. Returns the distinct verdicts: one if all agree. */
function verdicts(schema: unknown, value: unknown): readonly boolean[] {
  const compiled = compileDeclared({ value: schema });
  expect(compiled.error).toBeUndefined();
  const found = Array.from({ length: 6 }, () => compiled.validate(value).valid);
  const standard = compiled["~standard"].validate(value);
  const { issues } = standard as { readonly issues?: readonly unknown[] };
  return [...new Set([...found, compiled.isValid(value), issues === undefined])];
}

const NOT_NUMBERS = [Number.NaN, Infinity, -Infinity] as const;
const NOTHING = [undefined, () => 1, Symbol("s"), 5n] as const;

it.each([Symbol("no text"), { toString: null }, Object.create(null) as object, 5, undefined])(
  "a check survives a getter that throws an error whose message is not text",
  (message) => {
    const value = {
      get a(): never {
        throw Object.assign(new Error(), { message });
      },
    };
    const compiled = compileDeclared({ value: { additionalProperties: { type: "null" } } });
    expect(compiled.validate(value).outcome).toBe("budget");
    expect(compiled.isValid(value)).toBe(false);
    expect(compileDeclared({ value }).error?.code).toBe("invalid_json");
  },
);

describe("a value that JSON cannot hold has no type", () => {
  it.each([...NOT_NUMBERS, ...NOTHING])("%s", (value) => {
    for (const type of ["number", "integer", "string", "object", "array", "boolean", "null"]) {
      expect([type, verdicts({ type }, value)]).toEqual([type, [false]]);
      expect(verdicts({ items: { type } }, [value])).toEqual([false]);
    }
    for (const schema of [{ const: 1 }, { enum: [null, "x"] }, false]) {
      expect(verdicts(schema, value)).toEqual([false]);
    }
    // Keywords for one type accept a value that has no JSON type.
    for (const schema of [{ minimum: 0, maximum: 1, multipleOf: 2 }, { minLength: 3 }, {}, true]) {
      expect(verdicts(schema, value)).toEqual([true]);
    }
  });

  it.each(NOT_NUMBERS)("is reported by its name: %s", (value) => {
    const compiled = compileDeclared({ value: { properties: { a: { type: "number" } } } });
    expect(compiled.validate({ a: value }).errors).toMatchObject([
      { path: "/a", message: "must be number", params: { received: String(value) } },
    ]);
  });
});

it("names NaN in the text for a model", () => {
  const schema = compileDeclared({ value: { properties: { a: { type: "number" } } } });
  const text = renderForModel(schema.validate({ a: Number.NaN }), { tool: "t" });
  expect(text).toContain("/a: must be a number; it is NaN");
});

it.each([
  ["1e400", { type: "integer", minimum: 1 }, true],
  ["-1e400", { type: "integer", maximum: 1 }, true],
  [`1${"0".repeat(400)}.5`, { type: "number", exclusiveMinimum: 1 }, true],
  [`1${"0".repeat(400)}.5`, { type: "integer" }, false],
] as const)(
  "treats text %# as a number although no double can hold it: %j",
  (text, schema, valid) => {
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < 6; i += 1) expect(compiled.validateText(text).valid).toBe(valid);
  },
);

it("checks only an object's own enumerable members", () => {
  const date = new Date(0);
  expect(verdicts({ type: "string" }, date)).toEqual([false]);
  expect(verdicts({ type: "object", maxProperties: 0 }, date)).toEqual([true]);
  expect(verdicts({ type: "object", required: ["toJSON"] }, { toJSON: () => 1 })).toEqual([true]);
  expect(verdicts({ maxProperties: 0 }, new Map([["a", 1]]))).toEqual([true]);
});

it("treats an undefined member as absent, as JSON does", () => {
  const value = { a: undefined };
  expect(verdicts({ required: ["a"] }, value)).toEqual([false]);
  expect(verdicts({ properties: { a: { type: "number" } } }, value)).toEqual([true]);
});

it("gives the same result whichever engine checks", () => {
  const scalar = fc.constantFrom<unknown>(...NOT_NUMBERS, ...NOTHING, 1, 0.5, "x", null, true);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("value")),
    ),
  }));
  const leaf = fc.constantFrom<object>(
    ...["number", "integer", "string", "object", "array"].map((type) => ({ type })),
    ...[{ minimum: 0 }, { multipleOf: 1 }, { const: 1 }, { enum: [1, null] }, { const: { a: 1 } }],
    ...[{ type: ["number", "null"] }, { not: { type: "number" } }, { uniqueItems: true }],
    ...[
      { required: ["a"] },
      { minProperties: 1 },
      { minItems: 1 },
      { contains: { type: "integer" } },
    ],
    ...[
      { additionalProperties: false },
      { propertyNames: { const: "a" } },
      { unevaluatedItems: false },
    ],
    ...[{ dependentRequired: { a: ["b"] } }, { patternProperties: { a: { type: "number" } } }],
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2 },
      leaf,
      tie("schema").map((items) => ({ items })),
      tie("schema").map((a) => ({ properties: { a } })),
      fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
    ),
  }));
  fc.assert(
    fc.property(schema, value, (given, judged) => {
      expect(verdicts(given, judged)).toHaveLength(1);
    }),
  );
});
