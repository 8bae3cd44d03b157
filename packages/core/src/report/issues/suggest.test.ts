import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { sample } from "../../testing/sample.ts";
import { modelLines } from "../render/model.ts";

const nested = (levels: number): unknown => (levels === 1 ? [] : [nested(levels - 1)]);

describe("suggestions of a check", () => {
  const properties = { city: { type: "string" }, unit: { enum: ["celsius", "kelvin"] } };
  const schema = { properties, additionalProperties: false };

  it.each([
    ["an unknown name", '{"ctiy":"a"}', [{ path: "/ctiy", message: 'did you mean "city"?' }]],
    ["no name that is used already", '{"city":"a","ctiy":"a"}', []],
    ["no name that is far", '{"country":"a"}', []],
    [
      "allowed values and the nearest",
      '{"unit":"celcius"}',
      [{ path: "/unit", message: 'allowed values: "celsius", "kelvin"', value: "celsius" }],
    ],
    [
      "allowed values alone",
      '{"unit":5}',
      [{ path: "/unit", message: 'allowed values: "celsius", "kelvin"' }],
    ],
  ])("%s", (_name, text, suggestions) => {
    expect(compileDeclared({ value: schema }).validateText(text).suggestions).toEqual(suggestions);
  });

  const city = { type: "string" };
  it.each<[string, unknown, string, readonly string[]]>([
    ["at the top", { properties: { city }, required: ["city"] }, '{"city":null}', []],
    [
      "by a part of allOf",
      { properties: { city }, allOf: [{ required: ["city"] }] },
      '{"city":null}',
      [],
    ],
    [
      "behind references, in items and members of any name",
      {
        properties: { to: { items: { additionalProperties: { $ref: "#/$defs/place" } } } },
        $defs: { place: { properties: { "c/y": city }, required: ["c/y"] } },
      },
      '{"to":[{"x":{"c/y":null}}]}',
      [],
    ],
    [
      "in a tuple",
      {
        prefixItems: [true, { properties: { city }, required: ["city"] }],
        items: { properties: { city } },
      },
      '[1,{"city":null},{"city":null}]',
      ["/2/city"],
    ],
    [
      "in some cases only",
      { properties: { city }, anyOf: [{ required: ["city"] }, {}] },
      '{"city":null}',
      ["/city"],
    ],
    [
      "elsewhere",
      { properties: { city: { items: city } }, required: ["city"] },
      '{"city":[null]}',
      ["/city/0"],
    ],
  ])("never propose leaving out what is required %s", (_name, value, text, left) => {
    const { suggestions, valid } = compileDeclared({ value }).validateText(text);
    const told = suggestions.filter(({ message }) => message.startsWith("leave it out"));
    expect([valid, told.map(({ path }) => path)]).toEqual([false, left]);
  });

  it.each<[string, unknown, string, unknown[]]>([
    [
      "of a missing property",
      { required: ["unit"], properties: { unit: { type: "string", default: "metric" } } },
      "{}",
      [{ path: "/unit", message: 'the default is "metric"', value: "metric" }],
    ],
    [
      "behind a reference",
      { required: ["a"], properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { default: [1] } } },
      "{}",
      [{ path: "/a", message: "the default is [1]", value: [1] }],
    ],
    [
      "of a wrong value",
      { properties: { n: { type: "integer", minimum: 1, default: 10 } } },
      '{"n":0}',
      [{ path: "/n", message: "the default is 10", value: 10 }],
    ],
    ["false", { const: false, default: false }, "1", [{ value: false }, { value: false }]],
  ])("include the default %s", (_name, schema, text, suggestions) => {
    const found = compileDeclared({ value: schema }).validateText(text).suggestions;
    expect(found).toMatchObject(suggestions);
    expect(found).toHaveLength(suggestions.length);
  });

  it.each<[string, string, string]>([
    ["that the schema does not accept", '{"type":"integer","default":"x"}', "true"],
    ["that no double holds", '{"type":"integer","default":9007199254740993}', "true"],
    ["that is large", `{"type":"string","default":"${"x".repeat(2000)}"}`, "[]"],
    [
      "of the whole object where one member is missing",
      '{"required":["a"],"default":{"a":1}}',
      "{}",
    ],
  ])("omit a default %s", (_name, schema, text) => {
    const { valid, suggestions } = compileDeclared({ text: schema }).validateText(text);
    expect(valid).toBe(false);
    expect(suggestions).toEqual([]);
  });

  it.each([
    ["16 levels", { type: "array", default: nested(16) }, true],
    ["17 levels", { type: "array", default: nested(17) }, false],
    ["1,024 bytes", { type: "string", default: "x".repeat(1_023) }, true],
    ["1,025 bytes", { type: "string", default: "x".repeat(1_024) }, false],
  ])("include a default of %s: %j", (_name, schema, told) => {
    const { suggestions } = compileDeclared({ value: schema }).validateText("true");
    expect(suggestions.some(({ message }) => message.startsWith("the default is"))).toBe(told);
  });

  it("include a constant unless no double can hold it", () => {
    expect(compileDeclared({ text: '{"const":5}' }).validateText("6").suggestions).toEqual([
      { path: "", message: "must be 5", value: 5 },
    ]);
    expect(
      compileDeclared({ text: '{"const":9007199254740993}' }).validateText("6").suggestions,
    ).toEqual([]);
  });

  const P = { properties: { location: { type: "string" }, unit: {} } };
  const NEEDED = { required: ["location"] };
  const OLD = "http://json-schema.org/draft-07/schema#";
  it.each<[string, object, object]>([
    ["of a required name that is declared nowhere", NEEDED, { locaton: 1 }],
    ["of a name that another schema requires", { allOf: [P, NEEDED] }, { locaton: 1 }],
    ["of a name that allOf declares", { allOf: [P], ...NEEDED }, { locaton: 1 }],
    [
      "of a name that allOf declares, where no other may be",
      { allOf: [P], unevaluatedProperties: false },
      { locaton: 1 },
    ],
    [
      "of a name behind a reference",
      { $defs: { p: P }, $ref: "#/$defs/p", unevaluatedProperties: false },
      { locaton: 1 },
    ],
    [
      "of a name that a branch declares",
      { anyOf: [{ minProperties: 9 }, P], unevaluatedProperties: false },
      { locaton: 1 },
    ],
    ["by draft-07", { $schema: OLD, dependencies: { a: ["location"] } }, { a: 1, locaton: 1 }],
  ])("correct a misspelling %s", (_name, schema, value) => {
    const { valid, suggestions } = compileDeclared({ value: schema }).validate(value);
    expect(valid).toBe(false);
    expect(suggestions).toEqual([{ path: "/locaton", message: 'did you mean "location"?' }]);
  });

  it("offer no name that additionalProperties forbids", () => {
    const closed = { allOf: [P], properties: { lot: {} }, additionalProperties: false };
    expect(compileDeclared({ value: closed }).validate({ locaton: 1 }).suggestions).toEqual([]);
  });

  it("are limited in number and length", () => {
    const big = {
      items: { enum: Array.from({ length: 1000 }, (_, i) => `${i}`.padStart(500, "v")) },
    };
    const { suggestions } = compileDeclared({ value: big }).validateText(
      JSON.stringify(Array(100).fill(0)),
    );
    expect(suggestions).toHaveLength(20);
    expect(suggestions[0]?.message.length).toBeLessThan(3000);
  });
});

/** Schema of a property, its value, and what is suggested for it. */
const ARRAY = { message: "send the array itself, not a string that holds it" };

const CONVERSIONS: readonly (readonly [string, object, unknown, readonly object[]])[] = [
  ["an integer in a string", { type: "integer" }, "5", [{ value: 5 }]],
  ["a number with space around", { type: "number" }, " -1.5e2 ", [{ value: -150 }]],
  ["a boolean in a string", { type: "boolean" }, "True", [{ value: true }]],
  ["null in a string", { type: ["integer", "null"] }, "null", [{ value: null }]],
  [
    "an array in a string",
    { type: "array", items: { type: "integer" } },
    "[1,2]",
    [{ value: [1, 2] }],
  ],
  ["an object in a string", { type: "object" }, '{"a":1}', [{ value: { a: 1 } }]],
  ["a single item", { type: "array", items: { type: "string" } }, "x", [{ value: ["x"] }]],
  [
    "a single item in a string",
    { type: "array", items: { type: "integer" } },
    "5",
    [{ value: [5] }],
  ],
  [
    "a list in a string",
    { type: "array", items: { enum: ["bug", "ui"] } },
    "bug, ui",
    [{ value: ["bug", "ui"] }],
  ],
  [
    "a list of numbers in a string",
    { type: "array", items: { type: "integer" } },
    "1, 2",
    [{ value: [1, 2] }],
  ],
  [
    "a value beside another schema",
    { type: "integer", allOf: [{ minimum: 9 }] },
    "10",
    [{ value: 10 }],
  ],
  ["a value that another schema refuses", { type: "integer", allOf: [{ minimum: 9 }] }, "5", []],
  [
    "a constant that the type refuses",
    { type: "string", allOf: [{ const: 5 }] },
    true,
    [{ message: "must be 5" }],
  ],
  ["an array of one", { type: "string" }, ["x"], [{ value: "x" }]],
  ["a number for a string", { type: "string" }, 2662, [{ value: "2662" }]],
  ["a boolean for a string", { type: "string" }, false, [{ value: "false" }]],
  ["the case of an enum", { enum: ["Open", "Closed"] }, "OPEN", [{ value: "Open" }]],
  ["the words of an enum", { enum: ["in_progress"] }, "in progress", [{ value: "in_progress" }]],
  ["a string for an enum of numbers", { enum: [1, 5] }, "5", [{ value: 5 }]],
  ["a number for an enum of strings", { enum: ["1", "5"] }, 5, [{ value: "5" }]],
  ["a branch of anyOf", { anyOf: [{ type: "integer" }, { type: "null" }] }, "5", [{ value: 5 }]],
  ["null", { type: "string" }, null, [{ message: "leave it out if it is not required" }]],
  ["an empty string", { type: "integer" }, "", [{ message: "leave it out if it is not required" }]],
  ["an empty date", { format: "date" }, "", [{ message: "leave it out if it is not required" }]],
  ["a value beyond a bound", { type: "integer", minimum: 9 }, "5", []],
  ["a number that no double holds", { type: "integer" }, "9007199254740993", []],
  ["an array of the wrong items", { type: "array", items: { type: "integer" } }, '["a"]', [ARRAY]],
  [
    "text that is not JSON",
    { type: "array", items: { type: "integer" } },
    "[1,",
    [{ message: "send a JSON array, not a string" }],
  ],
  ["a string that is too long", { type: "integer" }, `${"0".repeat(5000)}1`, []],
  [
    "text that nests too deep",
    { type: "object" },
    `{"a":${"[".repeat(300)}${"]".repeat(300)}}`,
    [{ message: "send the object itself, not a string that holds it" }],
  ],
  ["what can be meant by nothing", { type: "integer" }, { a: 1 }, []],
];

describe("a list in another notation", () => {
  const tags = compileDeclared({
    value: { properties: { tags: { type: "array", items: { type: "string" } } } },
  });

  it.each([
    "['a', 'b']",
    "[a, b]",
    '["a", "b",]',
    '["a"',
    "(a, b)",
    "('a',)",
    '{"a","b"}',
    "{a,b}",
    "<a, b>",
    "ARRAY['a', 'b']",
    "list(a, b)",
    "'a', 'b'",
    '"a","b"',
    "a, (b, c)",
    "- a\n- b",
    "a; b",
    "a | b",
    "a\tb",
    "\u201ca\u201d, \u201cb\u201d",
    "a\u3001b",
  ])("is not cut: %j", (text) => {
    const found = tags.validateText(JSON.stringify({ tags: text }));
    const message = "send a JSON array, not a string";
    expect(found.suggestions).toEqual([{ path: "/tags", message }]);
    expect(modelLines(found)).toEqual([
      expect.stringMatching(
        /^Change \/tags: must be an array; .*: send a JSON array, not a string\.$/,
      ),
    ]);
  });

  it.each(["", "  ", "a,,b", "a, b,", "null", "None"])(
    "is not made of blanks and words: %j",
    (text) => {
      const { suggestions } = tags.validateText(JSON.stringify({ tags: text }));
      expect(suggestions.filter((one) => "value" in one)).toEqual([]);
    },
  );
});

describe("a suggested value", () => {
  const PARTS: readonly object[] = [
    { type: "integer" },
    { type: ["string", "null"] },
    { type: "array" },
    { type: "boolean" },
    { items: { type: "integer" } },
    { minimum: 3 },
    { maxLength: 2 },
    { minItems: 2 },
    { enum: ["Open", "closed", 5, null, "5"] },
    { const: "5" },
    { not: { const: 5 } },
    { default: 5, type: "integer" },
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { oneOf: [{ type: "boolean" }, { enum: ["x", "y"] }] },
  ];
  const VALUES = [
    "5",
    5,
    "null",
    "OPEN",
    "true",
    "1, 2",
    "[1]",
    "[a]",
    "x",
    "",
    null,
    [5],
    {},
    "a;b",
  ];

  test("is one that every schema of its place accepts", () => {
    let suggested = 0;
    fc.assert(
      fc.property(
        fc.subarray(PARTS as object[], { minLength: 1, maxLength: 3 }),
        fc.subarray(PARTS as object[], { maxLength: 1 }),
        fc.constantFrom(...VALUES),
        (allOf, [own = {}], value) => {
          const schema = compileDeclared({ value: { properties: { a: { ...own, allOf } } } });
          for (const one of schema.validate({ a: value }).suggestions) {
            if (!("value" in one)) continue;
            suggested++;
            expect(schema.validate({ a: one.value }).valid).toBe(true);
          }
        },
      ),
      { numRuns: sample(300, 1000) },
    );
    expect(suggested).toBeGreaterThan(20);
  });
});

describe("a value of the wrong type whose meaning is clear", () => {
  it.each(CONVERSIONS)("%s", (_name, schema, value, suggestions) => {
    const compiled = compileDeclared({ value: { properties: { "a/b": schema } } });
    const check = compiled.validateText(JSON.stringify({ "a/b": value }));
    expect(check.valid).toBe(false);
    expect(check.suggestions).toMatchObject(
      suggestions.map((suggestion) => ({ path: "/a~1b", ...suggestion })),
    );
  });

  it.each(CONVERSIONS.filter(([, , , [first]]) => first !== undefined && "value" in first))(
    "%s: the suggested value is valid",
    (_name, schema, value) => {
      const compiled = compileDeclared({ value: schema });
      const [suggestion] = compiled.validate(value).suggestions;
      expect(compiled.validate(suggestion?.value).valid).toBe(true);
    },
  );

  it("is suggested without its value if it is a number that no double can hold", () => {
    const schema = compileDeclared({ value: { items: { type: "string" } } });
    const exact = schema.validateText(
      "[9007199254740993, 0.12345678901234567890, 1e400]",
    ).suggestions;
    const doubles = schema.validate([1e300, 2 ** 53]).suggestions;
    expect(exact.map(({ path }) => path)).toEqual(["/0", "/1", "/2"]);
    expect([...exact, ...doubles].filter((suggestion) => "value" in suggestion)).toEqual([]);
  });

  it.each(["[9007199254740993]", "[1e400]", '{"a":[0.12345678901234567890]}'])(
    "is suggested without its value if its text contains such a number: %s",
    (text) => {
      const schema = compileDeclared({ value: { type: ["array", "object"] } });
      const [suggestion] = schema.validateText(JSON.stringify(text)).suggestions;
      expect(suggestion?.message).toMatch(/^send the (array|object) itself/);
      expect(suggestion).not.toHaveProperty("value");
    },
  );

  it("is suggested without its value if that is as large as a payload may be", () => {
    const schema = { type: "array", items: { type: "object" } };
    const suggestions = [{ path: "", message: "send it in an array, as its only item" }];
    expect(compileDeclared({ value: schema }).validate({ a: 1 }).suggestions).toEqual(suggestions);
    const texts = compileDeclared({ value: { type: "array" } });
    expect(texts.validate("x".repeat(100_000)).suggestions).toEqual(suggestions);
  });

  it("is not quoted in the message", () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const { suggestions } = compileDeclared({ value: schema }).validateText('{"n":"31337"}');
    expect(suggestions).toHaveLength(1);
    expect(suggestions[0]?.message).not.toContain("31337");
  });
});

describe("a misspelled name", () => {
  const properties = { city: { type: "string" }, user_id: {} };
  it.each([
    ["in an open schema", { properties, required: ["city"] }, { ctiy: "x" }, ["/ctiy", "city"]],
    [
      "written otherwise",
      { properties, required: ["user_id"] },
      { userId: 1 },
      ["/userId", "user_id"],
    ],
    [
      "behind dependentRequired",
      { properties, dependentRequired: { user_id: ["city"] } },
      { user_id: 1, Citty: "x" },
      ["/Citty", "city"],
    ],
    [
      "where unevaluated",
      { properties, unevaluatedProperties: false },
      { "ci ty": 1 },
      ["/ci ty", "city"],
    ],
  ])("%s", (_name, schema, value, [path, name]) => {
    expect(compileDeclared({ value: schema }).validate(value).suggestions).toEqual([
      { path, message: `did you mean "${name}"?` },
    ]);
  });

  it("is corrected once, even if a required name is missing as well", () => {
    const schema = { properties, required: ["city"], additionalProperties: false };
    const { suggestions } = compileDeclared({ value: schema }).validate({ ctiy: "x" });
    expect(suggestions).toEqual([{ path: "/ctiy", message: 'did you mean "city"?' }]);
  });

  it.each<[string[], object, object]>([
    [["user_id", "user_ip"], { userId: 1, userIp: 2 }, { userId: "user_id", userIp: "user_ip" }],
    [["x1", "y1"], { Y1: 1, X1: 2 }, { X1: "x1", Y1: "y1" }],
    [["x1", "y1"], { X1: 2 }, { X1: "x1" }],
  ])("of an undeclared property is corrected once: of %j, in %j", (required, value, meant) => {
    const { suggestions } = compileDeclared({ value: { required } }).validate(value);
    const told = Object.fromEntries(
      suggestions.map(({ path, message }) => [path.slice(1), message.split('"')[1]]),
    );
    expect(told).toEqual(meant);
    expect(suggestions).toHaveLength(Object.keys(meant).length);
  });

  it("is corrected with hidden characters and markup escaped", () => {
    const name = "ci\u202ety<`";
    const schema = { properties: { [name]: {} }, required: [name] };
    const { suggestions } = compileDeclared({ value: schema }).validate({ "ci\u202ety": 1 });
    expect(suggestions[0]?.message).toBe('did you mean "ci\\u202ety\\u003c\\u0060"?');
  });
});
