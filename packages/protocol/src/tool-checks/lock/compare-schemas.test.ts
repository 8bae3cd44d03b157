import type { JsonObject } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { compareSchemas } from "./compare-schemas.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "array",
  items,
  ...more,
});
const text: JsonObject = { type: "string" };
const like = (pattern: string): JsonObject => ({ type: "string", pattern });
const values = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `v${at}`);
const named = (count: number, schema: JsonObject): JsonObject =>
  Object.fromEntries(values(count).map((name) => [name, schema]));
const map = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  additionalProperties: schema,
  ...more,
});
const closed = { additionalProperties: false };
const PASSWORD = like("^(?=.*\\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{12,64}$");

/** Schemas before and after a change, and a pattern for the JSON text of a value that only the first one accepts. */
const BREAKING: readonly [string, JsonObject, JsonObject, RegExp][] = [
  ["a number becomes an integer", { type: "number" }, { type: "integer" }, /0\.5/],
  [
    "a number or null becomes an integer or null",
    { type: ["number", "null"] },
    { type: ["integer", "null"] },
    /0\.5/,
  ],
  ["an item becomes an integer", list({ type: "number" }), list({ type: "integer" }), /\[0\.5\]/],
  [
    "an integer that is at most a million",
    { type: "integer", maximum: 1_000_000 },
    { type: "integer", maximum: 999_999 },
    /1000000/,
  ],
  [
    "a safe integer",
    { type: "integer" },
    { type: "integer", maximum: 2 ** 53 - 1 },
    /9007199254740992/,
  ],
  [
    "an integer of 64 bits",
    { type: "integer" },
    { type: "integer", minimum: -9.3e18, maximum: 9.3e18 },
    /930000000000000\d{4}/,
  ],
  [
    "a lower bound of doubles",
    { type: "number", maximum: 1e308 },
    { type: "number", maximum: 1e307 },
    /e\+30[78]/,
  ],
  ["cents", { type: "number" }, { type: "number", multipleOf: 0.01 }, /0\.005|0\.00\d/],
  ["no multiple", { type: "integer" }, { type: "integer", not: { multipleOf: 97 } }, /0|97/],
  [
    "a hundred items become fifty",
    list(text, { maxItems: 100 }),
    list(text, { maxItems: 50 }),
    /\[("",?){51}\]/,
  ],
  [
    "at most a thousand items",
    list({ type: "integer" }),
    list({ type: "integer" }, { maxItems: 1_000 }),
    /\[(0,){1000}0\]/,
  ],
  ["a long text", text, { ...text, maxLength: 10_000 }, /"a{10001}"/],
  ["a longer text", { ...text, maxLength: 100_000 }, { ...text, maxLength: 50_000 }, /"a{50001}"/],
  ["fewer members", map(text), map(text, { maxProperties: 50 }), /("[^"]*":"",?){51}/],
  [
    "one of three hundred values",
    { enum: values(300) },
    { enum: values(300).filter((one) => one !== "v271") },
    /v271/,
  ],
  [
    "one of sixty branches",
    { anyOf: values(60).map((one) => ({ const: one })) },
    { anyOf: values(59).map((one) => ({ const: one })) },
    /v59/,
  ],
  [
    "a value in many lists",
    object(named(30, { enum: values(200) })),
    object({ ...named(30, { enum: values(200) }), v17: { enum: values(199) } }),
    /v199/,
  ],
  [
    "another branch that overlaps",
    { oneOf: [{ type: "integer" }, text] },
    { oneOf: [{ type: "integer" }, text, { const: 4_242 }] },
    /4242/,
  ],
  ["not a constant", text, { ...text, not: { const: "production" } }, /production/],
  ["not a number", { type: "integer" }, { type: "integer", not: { enum: [123_456] } }, /123456/],
  ["not a pattern", text, { ...text, not: { pattern: "^prod-[0-9]{4}$" } }, /prod-\d{4}/],
  ["a pattern with a character less", like("^[a-z]{1,64}$"), like("^[a-z]{1,63}$"), /"[a-z]{64}"/],
  ["a pattern with a letter less", like("^[a-zA-Z_ .-]+$"), like("^[a-zA-Z_ .]+$"), /"-"/],
  ["a pattern with a word less", like("^[a-z]+$"), like("^(?!delete$)[a-z]+$"), /delete/],
  [
    "a pattern without pairs of surrogates",
    like("^[\\0-\\u{10ffff}]*$"),
    like("^[\\0-\\uffff]*$"),
    /[\u{10000}-\u{10ffff}]/u,
  ],
  ["a pattern of Base64", text, like("^(?:[A-Za-z0-9+/]{4})*$"), /"a"/],
  ["a format", text, { ...text, format: "date-time" }, /""/],
  [
    "a pattern beside a format",
    { ...text, format: "uri" },
    { ...text, format: "uri", pattern: "^https://" },
    /"(?!https)\w+:/,
  ],
  [
    "a host of addresses",
    { ...text, format: "email" },
    { ...text, format: "email", pattern: "@example\\.com$" },
    /@/,
  ],
  ["items that are different", list(text), list(text, { uniqueItems: true }), /\["",""\]/],
  [
    "a count of some items",
    list(text),
    list(text, { contains: { const: "z9" }, minContains: 0, maxContains: 1 }),
    /"z9","z9"/,
  ],
  [
    "the twelfth item",
    list({ type: "integer" }),
    list(
      { type: "integer" },
      { prefixItems: [...Array.from({ length: 11 }, () => ({})), { maximum: 3 }] },
    ),
    /,4\]/,
  ],
];

/** The same, with whole arguments as the value. */
const BREAKING_OBJECTS: readonly [string, JsonObject, JsonObject, RegExp][] = [
  [
    "a number beside eight texts",
    object({ ...named(8, text), a: { type: "number" } }),
    object({ ...named(8, text), a: { type: "integer" } }),
    /^\{"a":0\.5\}$/,
  ],
  [
    "two members at once",
    object({ a: text, b: { type: "integer" } }),
    JSON.parse(
      '{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"if":{"properties":{"a":{"const":"xyz"},"b":{"minimum":1000}},"required":["a","b"]},"then":false}',
    ),
    /"xyz","b":1000/,
  ],
  [
    "a name",
    map(text),
    map(text, { propertyNames: { not: { const: "admin" } } }),
    /^\{"admin":""\}$/,
  ],
  [
    "a name of a map",
    map(text),
    map(text, { properties: { id: like("^[0-9]+$") } }),
    /^\{"id":""\}$/,
  ],
  [
    "members that need others",
    object(named(4, text)),
    object(named(4, text), { dependentRequired: { v3: ["v0"] } }),
    /^\{"v3":""\}$/,
  ],
  [
    "one of two that are null",
    object({ a: { type: ["string", "null"] }, b: { type: ["string", "null"] } }),
    object(
      { a: { type: ["string", "null"] }, b: { type: ["string", "null"] } },
      { anyOf: [{ properties: { a: text } }, { properties: { b: text } }] },
    ),
    /null.*null/,
  ],
  [
    "seven levels down",
    object({ a: object({ a: list(object({ a: object({ a: { type: ["string", "null"] } }) })) }) }),
    object({ a: object({ a: list(object({ a: object({ a: text }) })) }) }),
    /null/,
  ],
  [
    "what is below a reference that goes on",
    { $defs: { n: object({ c: { $ref: "#/$defs/n" } }) }, $ref: "#/$defs/n" },
    {
      $defs: {
        n: object({ c: { $ref: "#/$defs/m" } }),
        m: object({ c: { $ref: "#/$defs/l" } }),
        l: object({ c: false as never }),
      },
      $ref: "#/$defs/n",
    },
    /^\{"c":\{"c":\{"c":/,
  ],
  [
    "a member that only inherits its name elsewhere",
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"}}}'),
    /^\{"__proto__":""\}$/,
  ],
  ["no member at all", { type: "object" }, { type: "object", minProperties: 1 }, /^\{\}$/],
  [
    "a member that is declared no more",
    object({ a: text, b: text }, closed),
    object({ a: text }, closed),
    /^\{"b":""\}$/,
  ],
];

/** Schemas before and after a change, where the second one accepts everything that the first one accepts. */
const PROVED: readonly [string, JsonObject, JsonObject][] = [
  [
    "a member that was not evaluated",
    { type: "object", allOf: [object({ a: PASSWORD })], unevaluatedProperties: false },
    { type: "object", allOf: [object({ a: PASSWORD, b: {} })], unevaluatedProperties: false },
  ],
  [
    "members that are evaluated elsewhere",
    object({ a: text }, closed),
    { allOf: [object({ a: text })], unevaluatedProperties: { type: "integer" } },
  ],
  ["a pattern in another spelling", like("^[0-9]+$"), like("^\\d+$")],
  ["a pattern becomes a length", PASSWORD, { ...text, minLength: 12, maxLength: 64 }],
  [
    "a pattern that allows shorter texts",
    like("^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$"),
    like("^[A-Z]{2}\\d{2}[A-Z0-9]{1,30}$"),
  ],
  ["a lookbehind is gone", like("^.{3}(?<=abc)xyz[0-9]{9}$"), like("xyz")],
  ["null is allowed", PASSWORD, { anyOf: [PASSWORD, { type: "null" }] }],
  ["a format is gone", { ...text, format: "uuid" }, text],
  [
    "a number of two factors",
    { type: "integer", multipleOf: 6 },
    { allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
  ],
  [
    "two factors of a number",
    { type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
    { type: "integer", multipleOf: 6 },
  ],
  [
    "tenths become hundredths",
    { type: "number", multipleOf: 0.1 },
    { type: "number", multipleOf: 0.01 },
  ],
  ["whole multiples are integers", { type: "number", multipleOf: 2 }, { type: "integer" }],
  ["an integer becomes a number", { type: "integer" }, { type: "number" }],
  [
    "a needle in fewer items",
    list({}, { contains: { const: "needle" }, minItems: 20 }),
    list({}, { contains: { const: "needle" } }),
  ],
  [
    "fewer needles",
    list({}, { contains: { const: 1 }, minContains: 3 }),
    list({}, { contains: { type: "integer" }, minContains: 2 }),
  ],
  [
    "not what it never was",
    { type: "integer", minimum: 0 },
    { type: "integer", not: { const: -1 } },
  ],
  ["not what its pattern excludes", like("^[a-z]+$"), { ...text, not: { pattern: "[0-9]" } }],
  [
    "one of becomes any of",
    { oneOf: [PASSWORD, { type: "integer" }] },
    { anyOf: [PASSWORD, { type: "integer" }] },
  ],
  [
    "names of a pattern",
    map(text, { propertyNames: { pattern: "^[a-f]{1,3}$" } }),
    map(text, { propertyNames: { maxLength: 3 } }),
  ],
  [
    "members of patterns that do not meet",
    { type: "object", patternProperties: { "^a": text, "^b": { type: "integer" } }, ...closed },
    { type: "object", patternProperties: { "^a[a-z]": text, "^b": { type: "number" } } },
  ],
];

describe("compareSchemas", () => {
  const inObject = (schema: JsonObject): JsonObject => object({ x: schema, y: text }, closed);
  const cases = [
    ...BREAKING.map(
      ([name, before, after, wanted]) => [name, inObject(before), inObject(after), wanted] as const,
    ),
    ...BREAKING_OBJECTS,
  ];

  it.each(cases)("finds an argument that breaks: %s", (_, before, after, wanted) => {
    const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
    const change = compareSchemas(old, now, "input");
    if (change.kind !== "breaking") expect.fail(change.kind);
    expect(change.counterexample.text).toMatch(wanted);
    expect(change.onlyUndeclared).toBe(false);
    // With the roles exchanged, a value that was not promised before may now be in a result.
    expect(compareSchemas(now, old, "output").kind).toBe("breaking");
  });

  it.each(PROVED)("proves that nothing breaks: %s", (_, before, after) => {
    for (const wrap of [
      inObject,
      (schema: JsonObject) => object({ x: list(schema) }, { required: ["x"] }),
    ]) {
      const [old, now] = [wrap(before), wrap(after)].map((schema) => JSON.stringify(schema));
      expect(compareSchemas(old, now, "input")).toEqual({ kind: "proved", proof: "all" });
      expect(compareSchemas(now, old, "output")).toEqual({ kind: "proved", proof: "all" });
    }
  });

  it("has the same result each time", () => {
    for (const [, before, after] of cases.slice(0, 12)) {
      const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
      expect(compareSchemas(old, now, "input")).toEqual(compareSchemas(old, now, "input"));
    }
  });

  const exact = (schema: string): string => `{"type":"object","properties":{"a":${schema}}}`;
  it.each<[string, string, string, string, string]>([
    [
      "a value of an enum",
      '{"enum":[1,9007199254740993]}',
      '{"enum":[1]}',
      "breaking",
      '"a":9007199254740993',
    ],
    [
      "a neighbor",
      '{"enum":[9007199254740992,9007199254740993]}',
      '{"enum":[9007199254740992]}',
      "breaking",
      '"a":9007199254740993',
    ],
    [
      "a bound",
      '{"maximum":9007199254740993}',
      '{"maximum":9007199254740992}',
      "breaking",
      '"a":9007199254740993',
    ],
    [
      "a bound that is wider",
      '{"maximum":9007199254740993}',
      '{"maximum":9007199254740995}',
      "proved",
      "",
    ],
    [
      "a bound of 64 bits, and a type",
      '{"type":"integer","maximum":18446744073709551615}',
      '{"type":"number","maximum":18446744073709551615}',
      "proved",
      "",
    ],
    [
      "a bound of 64 bits, and a text",
      '{"maximum":9223372036854775807}',
      '{"maximum":9223372036854775807,"title":"a"}',
      "same",
      "",
    ],
    [
      "a bound that becomes the same double",
      '{"maximum":9007199254740992}',
      '{"maximum":9007199254740993}',
      "unproven",
      "",
    ],
    [
      "a multiple",
      '{"multipleOf":9007199254740993}',
      '{"multipleOf":9007199254740993,"minimum":-1e300}',
      "unproven",
      "",
    ],
  ])("compares numbers that no double holds: %s", (_, before, after, kind, counterexample) => {
    const change = compareSchemas(exact(before), exact(after), "input");
    expect(change.kind).toBe(kind);
    if (change.kind === "breaking") expect(change.counterexample.text).toContain(counterexample);
  });

  it("names the keyword that was not proved", () => {
    const before = object({ a: list(like("^(a)\\1$")) });
    const after = object({ a: list(like("^(?:(a)\\1)$")) });
    const change = compareSchemas(JSON.stringify(before), JSON.stringify(after), "input");
    expect(change).toMatchObject({ kind: "unproven", gap: "/properties/a/items/pattern" });
  });

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ["an object", object({ a: text }), object({ a: text }, closed), true],
    [
      "an object below",
      object({ a: list(object({ b: text })) }),
      object({ a: list(object({ b: text }, closed)) }),
      true,
    ],
    [
      "an object, which gains a member",
      object({ a: text }),
      object({ a: text, b: text }, closed),
      true,
    ],
    [
      "an object, which loses a member",
      object({ a: text, b: text }),
      object({ a: text }, closed),
      false,
    ],
    [
      "an object, and a type",
      object({ a: text }),
      object({ a: { type: "integer" } }, closed),
      false,
    ],
    ["a map", map(text), map(text, { ...closed, properties: { a: text } }), false],
  ])("tells closing apart from other breaks: %s", (_, before, after, onlyUndeclared) => {
    const [open, shut] = [JSON.stringify(before), JSON.stringify(after)];
    expect(compareSchemas(open, shut, "input")).toMatchObject({ kind: "breaking", onlyUndeclared });
    expect(compareSchemas(shut, open, "output")).toMatchObject({
      kind: "breaking",
      onlyUndeclared,
    });
  });
});
