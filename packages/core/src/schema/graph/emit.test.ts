import { describe, expect, it } from "vitest";
import { graphOf } from "../../testing/judges.ts";
import { makeVerdict } from "../verdict.ts";
import { emitSchema } from "./emit.ts";
import { D2019 } from "./testing/graph.ts";

const emit = (schema: unknown) => {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  return emitSchema(graphOf(text, new Map(), "2020-12", true));
};

describe("emitSchema", () => {
  it("writes what is used once in place, and what is shared or recursive once", () => {
    const big = { properties: { a: { type: "string" } } };
    expect(
      emit({
        properties: {
          one: { $ref: "#/$defs/once" },
          b: { $ref: "#/$defs/x" },
          c: { $ref: "#/$defs/x" },
        },
        items: { $ref: "#" },
        $defs: { x: big, once: { minItems: 1 }, never: { type: "null" } },
      }).schema,
    ).toEqual({
      $ref: "#/$defs/d0",
      $defs: {
        d0: {
          properties: {
            one: { allOf: [{ minItems: 1 }] },
            b: { allOf: [{ $ref: "#/$defs/d6" }] },
            c: { allOf: [{ $ref: "#/$defs/d6" }] },
          },
          items: { allOf: [{ $ref: "#/$defs/d0" }] },
        },
        d6: { properties: { a: { type: "string" } } },
      },
    });
  });

  it("writes rules for a property __proto__ as patterns", () => {
    const { schema } = emit(
      '{"properties":{"__proto__":{"type":"null"}},"patternProperties":{"__proto__":{"minimum":1},"^__proto__$":true}}',
    );
    expect(schema).toEqual({
      patternProperties: {
        "(?:__proto__)": { minimum: 1 },
        "^__proto__$": true,
        "(?:^__proto__$)": { type: "null" },
      },
    });
  });

  it.each<[string, object, object]>([
    [
      "neighbours and what is always in place",
      {
        properties: { a: true },
        allOf: [
          { patternProperties: { "^b": true } },
          { anyOf: [{ required: ["a"] }, { minProperties: 2 }] },
        ],
        unevaluatedProperties: false,
      },
      { properties: { a: true }, patternProperties: { "^b": true }, additionalProperties: false },
    ],
    [
      "items by their place and by contains",
      { prefixItems: [true], contains: { type: "null" }, unevaluatedItems: { type: "string" } },
      { prefixItems: [true], items: { anyOf: [{ type: "null" }, { type: "string" }] } },
    ],
    [
      "contains in 2019-09, which evaluates nothing",
      { $schema: D2019, contains: { type: "null" }, unevaluatedItems: false },
      { items: false },
    ],
    [
      "a branch that evaluates no more items",
      { prefixItems: [true], anyOf: [{ prefixItems: [true] }, true], unevaluatedItems: false },
      { prefixItems: [true], items: false },
    ],
  ])("writes unevaluated keywords by %s", (_name, schema, rest) => {
    const emitted = emit(schema);
    expect(emitted.needsInterpreter).toBeUndefined();
    const { allOf } = emitted.schema as { allOf: object[] };
    expect(allOf.at(-1)).toEqual(rest);
    expect(JSON.stringify(emitted.schema)).not.toContain("unevaluated");
  });

  it.each<[string, unknown, string]>([
    [
      "properties of one branch",
      { anyOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      "unevaluated",
    ],
    [
      "items of one branch",
      { if: { prefixItems: [true] }, unevaluatedItems: false },
      "unevaluated",
    ],
    ...["additionalProperties", "unevaluatedProperties"].map(
      (keyword): [string, unknown, string] => [
        `${keyword} of one branch`,
        { anyOf: [{ [keyword]: true }], unevaluatedProperties: false },
        "unevaluated",
      ],
    ),
    ...["items", "unevaluatedItems", "contains"].map((keyword): [string, unknown, string] => [
      `${keyword} of one branch`,
      { anyOf: [{ [keyword]: true }], unevaluatedItems: false },
      "unevaluated",
    ]),
    [
      "more items of one branch",
      { prefixItems: [true], anyOf: [{ prefixItems: [true, true] }], unevaluatedItems: false },
      "unevaluated",
    ],
    [
      "properties that a branch always has in place",
      { anyOf: [{ allOf: [{ properties: { a: true } }] }], unevaluatedProperties: false },
      "unevaluated",
    ],
    [
      "properties of a branch of a branch",
      { anyOf: [{ oneOf: [{ properties: { a: true } }] }], unevaluatedProperties: false },
      "unevaluated",
    ],
    ["numbers that are no doubles", '{"maximum":9007199254740993}', "numbers"],
    [
      "very many properties",
      { properties: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`p${i}`, {}])) },
      "size",
    ],
    [
      "one property on which very many depend",
      { dependentRequired: { a: Array.from({ length: 1001 }, (_, i) => `p${i}`) } },
      "size",
    ],
  ])("leaves to the interpreter %s", (_name, schema, reason) => {
    expect(emit(schema)).toEqual({ schema: true, needsInterpreter: reason });
  });

  it("writes nothing deep, however deep the schema", () => {
    let schema: object = { type: "null" };
    for (let i = 0; i < 100; i++) schema = { items: schema };
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depth))
        : 0;
    expect(depth(emit(schema).schema)).toBeLessThan(60);
  });

  it.each([65, 300])("judges %i members and branches as one", (count) => {
    const names = Array.from({ length: count }, (_, i) => `p${i}`);
    const schema = {
      properties: Object.fromEntries(names.map((name, i) => [name, { const: i }])),
      additionalProperties: false,
      anyOf: names.map((name) => ({ required: [name] })),
      allOf: names.map((_, i) => ({ maxProperties: i + 3 })),
    };
    const emitted = emit(schema);
    expect(emitted.needsInterpreter).toBeUndefined();
    const verdict = makeVerdict(emitted);
    const validate = (value: unknown) => verdict(value, { steps: 0 });
    const last = `p${count - 1}`;
    expect(validate({ p0: 0, [last]: count - 1 })).toBe(true);
    expect(validate({ p0: 0, [last]: 0 })).toBe(false);
    expect(validate({ p0: 0, q: 1 })).toBe(false);
    expect(validate({})).toBe(false);
    expect(validate({ p0: 0, p1: 1, p2: 2, p3: 3 })).toBe(false);
  });

  it("writes the same for the same", () => {
    const schema = {
      anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#" }],
      $defs: { a: { items: { $ref: "#/$defs/a" } } },
    };
    expect(JSON.stringify(emit(schema))).toBe(JSON.stringify(emit(schema)));
  });
});
