import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { jsonSchema, jsonValue } from "../../engine/testing/arbitrary.ts";
import type { Check, Issue } from "../../result.ts";
import { sample } from "../../testing/sample.ts";
import { describeCheck, describeIssue, issueClause } from "./sentence.ts";

const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

const check = (schema: object | boolean, value: unknown, options = {}): Check =>
  compileDeclared({ text: JSON.stringify(schema) }).validateText(JSON.stringify(value), options);

const readBack = (issue: Issue): Issue => JSON.parse(JSON.stringify(issue));

/** Parsed from a text, because an object with a member "then" is treated as a promise. */
const IF_THEN = JSON.parse('{"if":{},"then":{"minimum":5}}');
const IF_REQUIRED = JSON.parse('{"if":{},"then":{"required":["a"]}}');

const inA = (schema: object | boolean): object => ({ properties: { a: schema } });

/**
 * Schema, value, and the sentence of the last issue. An issue that was read back from JSON lacks the text in the last
 * brackets.
 */
const ROWS: readonly (readonly [object | boolean, unknown, string])[] = [
  [{ required: ["city"] }, {}, "/city is required"],
  [inA({ required: ["b/c"] }), { a: {} }, "/a/b~1c is required"],
  [
    { dependentRequired: { card: ["zip", "cvc"] } },
    { card: 1 },
    '/cvc is required if "card" is present',
  ],
  [
    { $schema: DRAFT_07, dependencies: { card: ["zip"] } },
    { card: 1 },
    '/zip is required if "card" is present',
  ],
  [{ additionalProperties: false }, { town: 1 }, "/town is not declared"],
  [
    { patternProperties: { "^x": {} }, additionalProperties: false },
    { town: 1 },
    "/town is not declared",
  ],
  [{ unevaluatedProperties: false }, { town: 1 }, "/town is not declared"],
  [
    { patternProperties: { "^x": { type: "string" } } },
    { xy: 1 },
    "/xy must be a string (got an integer)",
  ],
  [
    { prefixItems: [{}], unevaluatedItems: false },
    [1, 2],
    "the value must have at most 1 item (got an array of 2 items)",
  ],
  [
    { $schema: DRAFT_07, items: [{}], additionalItems: false },
    [1, 2],
    "the value must have at most 1 item (got an array of 2 items)",
  ],
  [
    inA({ prefixItems: [{}, {}], items: false }),
    { a: [1, 2, 3] },
    "/a must have at most 2 items (got an array of 3 items)",
  ],
  [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, "/abc has a name that is not allowed"],
  [{ type: "object" }, [], "the value must be an object (got an array of 0 items)"],
  [inA({ type: ["string", "null"] }), { a: 1 }, "/a must be a string or null (got an integer)"],
  [
    inA({ enum: ["celsius", "fahrenheit"] }),
    { a: "kelvin" },
    '/a must be one of "celsius", "fahrenheit" (got a string of 6 characters)',
  ],
  [inA({ enum: ["celsius"] }), { a: null }, '/a must be "celsius" (got null)'],
  [inA({ const: { b: 1 } }), { a: 2 }, '/a must be {"b":1} (got an integer)'],
  [inA({ minimum: 5 }), { a: 4 }, "/a must be at least 5"],
  [inA({ exclusiveMaximum: 5 }), { a: 5 }, "/a must be less than 5"],
  [{ $schema: DRAFT_04, maximum: 5, exclusiveMaximum: true }, 5, "the value must be less than 5"],
  [inA({ multipleOf: 0.5 }), { a: 1.2 }, "/a must be a multiple of 0.5"],
  [inA({ minLength: 1 }), { a: "" }, "/a must have at least 1 character (got an empty string)"],
  [
    inA({ maxLength: 2 }),
    { a: "abc" },
    "/a must have at most 2 characters (got a string of 3 characters)",
  ],
  [
    inA({ pattern: "^[a-z]+$" }),
    { a: "A1" },
    '/a must match the pattern "^[a-z]+$" (got a string of 2 characters)',
  ],
  [
    inA({ format: "email" }),
    { a: "x" },
    '/a must be a valid "email", like "name@example.com" (got a string of 1 character)',
  ],
  [inA({ minItems: 2 }), { a: [1] }, "/a must have at least 2 items (got an array of 1 item)"],
  [inA({ maxItems: 1 }), { a: [1, 2] }, "/a must have at most 1 item (got an array of 2 items)"],
  [
    inA({ uniqueItems: true }),
    { a: [1, 2, 1] },
    "/a must not have equal items (items 0 and 2 are equal)",
  ],
  [
    inA({ minProperties: 2 }),
    { a: { b: 1 } },
    "/a must have at least 2 properties (got 1 property)",
  ],
  [
    { maxProperties: 1 },
    { a: 1, b: 1 },
    "the value must have at most 1 property (got 2 properties)",
  ],
  [inA(false), { a: 1 }, "/a is not allowed"],
  [false, 1, "the value cannot be valid: the schema allows no value"],
];

/** Rows whose words come from the schema, which is not known for an issue that was read back from JSON. */
const WITH_SCHEMA: readonly (readonly [object, unknown, string, string])[] = [
  [
    inA({ contains: { type: "string" } }),
    { a: [1] },
    "/a must contain at least 1 item that is a string (got an array of 1 item)",
    '/a must contain at least 1 item that matches the schema in "contains"',
  ],
  [
    inA({ contains: { type: "string" }, minContains: 2 }),
    { a: [1, "x"] },
    "/a must contain at least 2 items that are each a string (got an array of 2 items)",
    '/a must contain at least 2 items that match the schema in "contains"',
  ],
  [
    inA({ contains: { type: "string" }, minContains: 1, maxContains: 2 }),
    { a: ["x", "y", "z"] },
    "/a must contain at least 1 and at most 2 items that are each a string (got an array of 3 items)",
    '/a must contain at least 1 and at most 2 items that match the schema in "contains"',
  ],
  [
    inA({ contains: { type: "string" }, minContains: 2, maxContains: 2 }),
    { a: ["x"] },
    "/a must contain exactly 2 items that are each a string (got an array of 1 item)",
    '/a must contain exactly 2 items that match the schema in "contains"',
  ],
  [
    inA({ not: { type: "null" } }),
    { a: null },
    "/a must not be null",
    '/a must not match the schema in "not"',
  ],
  [
    { not: { required: ["a"] } },
    { a: 1 },
    'the value must not have the property "a"',
    'the value must not match the schema in "not"',
  ],
  [
    inA({ not: { minimum: 1 } }),
    { a: 1 },
    '/a must not match the schema in "not"',
    '/a must not match the schema in "not"',
  ],
  [
    inA({ anyOf: [{ type: "null" }, { minimum: 5 }] }),
    { a: 1 },
    '/a must match at least one schema in "anyOf"',
    '/a must match at least one schema in "anyOf"',
  ],
  [
    inA({ oneOf: [{ type: "null" }, { minimum: 5 }] }),
    { a: 1 },
    '/a must match exactly one schema in "oneOf"',
    '/a must match exactly one schema in "oneOf"',
  ],
  [
    inA({ oneOf: [{}, true] }),
    { a: 1 },
    '/a must match exactly one schema in "oneOf" (#0 and #1 match)',
    '/a must match exactly one schema in "oneOf" (#0 and #1 match)',
  ],
  [
    inA(IF_THEN),
    { a: 1 },
    '/a must match the schema in "then"',
    '/a must match the schema in "then"',
  ],
  [
    inA({ if: false, else: { minimum: 5 } }),
    { a: 1 },
    '/a must match the schema in "else"',
    '/a must match the schema in "else"',
  ],
];

describe("describeIssue", () => {
  it.each(ROWS)("%j, %j: %s", (schema, value, sentence) => {
    for (const paths of ["field", "instance"]) {
      const issue = check(schema, value, { paths }).errors.at(-1) as Issue;
      expect(describeIssue(issue)).toBe(sentence);
    }
    const issue = check(schema, value).errors.at(-1) as Issue;
    // For `type`, the params report what was received. For other keywords, only the engine's error does.
    const rest =
      issue.keyword === "type" ? / of \d+ (?:items?|characters?)(?=\)$)/ : / \(got [^()]*\)$/;
    expect(describeIssue(readBack(issue))).toBe(sentence.replace(rest, ""));
  });

  it.each(WITH_SCHEMA)("%j, %j: %s", (schema, value, sentence, without) => {
    const issue = check(schema, value).errors.at(-1) as Issue;
    expect(describeIssue(issue)).toBe(sentence);
    expect(describeIssue(readBack(issue))).toBe(without);
  });

  it.each([
    [{ pattern: "^[a-z]+$" }, 'it must match the pattern "^[a-z]+$"'],
    [{ enum: ["a", "b"] }, 'it must be one of "a", "b"'],
    [{ maxLength: 2 }, "it must have at most 2 characters"],
  ])("says what %j requires of a property's name", (propertyNames, words) => {
    const [issue] = check({ propertyNames }, { A1B: 1 }).errors as [Issue];
    for (const each of [issue, readBack(issue)]) {
      expect(describeIssue(each)).toBe(`/A1B has a name that is not allowed: ${words}`);
    }
  });

  it.each<[string, string, string]>([
    [
      '{"maximum":9223372036854775807}',
      "9223372036854775808",
      "the value must be at most 9223372036854775807",
    ],
    ['{"maximum":1e400}', "2e400", "the value must be at most 1e400"],
    ['{"minimum":1e-400}', "0", "the value must be at least 1e-400"],
    ['{"multipleOf":1e-400}', "1e-401", "the value must be a multiple of 1e-400"],
    ['{"enum":[9007199254740993,1]}', "5", "the value must be one of 9007199254740993, 1"],
    ['{"const":9007199254740993}', "5", "the value must be 9007199254740993"],
    ['{"minItems":1e400}', "[]", "the value must have at least 1e400 items"],
  ])("writes the exact digits of numbers that no double can hold: %s", (text, value, sentence) => {
    const [issue] = compileDeclared({ text }).validateText(value).errors as [Issue];
    for (const each of [issue, readBack(issue)]) {
      expect(describeIssue(each).replace(/ \(got .*/, "")).toBe(sentence);
    }
  });

  it.each(["1.5", "9007199254740993.5", "1e-400"])("does not call %s an integer", (text) => {
    const [issue] = compileDeclared({ value: { type: "integer" } }).validateText(text).errors as [
      Issue,
    ];
    for (const each of [issue, readBack(issue)]) {
      expect(describeIssue(each)).toMatch(
        /^the value must be an integer \(got a number(?: with a fraction)?\)$/,
      );
    }
  });

  it("says that parsing changes a number that no double can hold, without quoting it", () => {
    const [issue] = compileDeclared({ value: {} }).validateText(
      '{"pin":90071992547409931}',
    ).warnings;
    const words = "cannot be held by an IEEE 754 double; programs that parse it change it";
    expect(describeIssue(issue as Issue)).toBe(`/pin ${words}`);
    const [root] = compileDeclared({ value: {} }).validateText("1e400").warnings;
    expect(describeIssue(root as Issue, "the arguments")).toBe(`the arguments ${words}`);
  });

  it.each<[Partial<Issue>, string]>([
    [
      {
        rule: "duplicate",
        path: "/a",
        message: "The key occurs twice in its object, again at byte 9",
      },
      "/a occurs twice in its object, again at byte 9",
    ],
    [
      { rule: "protocol", message: "Invalid JSON: no value, at byte 3" },
      "Invalid JSON: no value, at byte 3",
    ],
    [
      { rule: "protocol", path: "/id", message: "Missing required field: id" },
      "/id: Missing required field: id",
    ],
    [{ rule: "schema", message: "Invalid schema: x" }, "Invalid schema: x"],
    [{ rule: "type", keyword: "type", message: "must be object" }, "the result must be object"],
    [{ rule: "type", keyword: "type", path: "/a", message: "must be string" }, "/a must be string"],
    [
      { rule: "schema", path: "/minimum", message: 'is required if "exclusiveMinimum" is present' },
      '/minimum is required if "exclusiveMinimum" is present',
    ],
    // Issues as they are in records and in the tool API.
    [
      {
        rule: "required",
        keyword: "required",
        path: "/a/b",
        message: "must have required property 'b'",
      },
      "/a/b is required",
    ],
    [
      {
        rule: "required",
        keyword: "dependentRequired",
        path: "/zip",
        message: "must have properties zip, cvc when property card is present",
      },
      '/zip is required if "card" is present',
    ],
    [
      {
        rule: "extra",
        keyword: "additionalProperties",
        path: "/a",
        message: "must NOT have additional properties",
      },
      "/a is not declared",
    ],
    [
      {
        rule: "extra",
        keyword: "unevaluatedProperties",
        path: "/a",
        message: "must NOT have unevaluated properties",
      },
      "/a is not declared",
    ],
    [
      {
        rule: "extra",
        keyword: "propertyNames",
        path: "/a",
        message: "property name must be valid",
      },
      "/a has a name that is not allowed",
    ],
    // Issues in the engine's own path style, without params.
    [
      {
        rule: "required",
        keyword: "required",
        path: "/a",
        instancePath: "/a",
        message: "must have required property 'b'",
      },
      "/a must have required property 'b'",
    ],
  ])("uses the message of an issue without params: %j", (parts, sentence) => {
    const issue = { path: "", message: "", rule: "value", ...parts } as Issue;
    expect(describeIssue(issue, "the result")).toBe(sentence);
  });

  it.each(["the value", "the arguments", "the result", "the message"] as const)(
    "calls the root %s and never leaves it unnamed",
    (whole) => {
      for (const [schema, value] of [...ROWS, ...WITH_SCHEMA]) {
        const issue = check(schema, value).errors.at(-1) as Issue;
        const sentence = describeIssue(issue, whole);
        expect(sentence).not.toMatch(/\(root\)|^[ :]|undefined|NaN|\[object/);
        if (issue.path === "") expect(sentence.startsWith(`${whole} `)).toBe(true);
      }
    },
  );

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "does not use the name %s, which JSON lacks",
    (value) => {
      const [issue] = compileDeclared({ value: { type: "integer" } }).validate(value).errors;
      for (const each of [issue as Issue, readBack(issue as Issue)]) {
        expect(describeIssue(each)).toBe(
          "the value must be an integer (got a number that a double cannot hold)",
        );
      }
    },
  );

  it("keeps the message of a guard unchanged", () => {
    const [issue] = check({}, { a: [1] }, { maxDepth: 1 }).errors as [Issue];
    expect(describeIssue(issue, "the arguments")).toBe("payload nests deeper than the limit of 1");
  });

  it("gives pages the subject and the predicate separately", () => {
    const [issue] = check({ required: ["a"] }, {}).errors as [Issue];
    expect(issueClause(issue)).toEqual({ subject: "/a", predicate: "is required", isWhole: false });
  });
});

const KINDS = ["a", "b"].map((kind) => ({
  properties: { kind: { const: kind }, [kind]: { type: "string" } },
  required: ["kind", kind],
}));

describe("describeCheck", () => {
  it.each<[object, unknown, string[]]>([
    [{ anyOf: KINDS }, { kind: "b", b: 1 }, ["/b must be a string (got an integer)"]],
    [
      { oneOf: KINDS },
      { kind: "c" },
      ['/kind must be one of "a", "b" (got a string of 1 character)'],
    ],
    [
      { anyOf: [{ type: "string" }, { type: "null" }] },
      5,
      ["the value must be a string or null (got an integer)"],
    ],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, ["/a or /b is required"]],
    [
      { oneOf: [{}, { title: "T" }] },
      5,
      ['the value must match exactly one schema in "oneOf" (#0 and #1 "T" match)'],
    ],
    [IF_REQUIRED, {}, ["/a is required"]],
    [
      { required: ["city"], properties: { city: {} }, additionalProperties: false },
      { ctiy: 1 },
      ['/ctiy is not declared, and "city" is required'],
    ],
    [
      { properties: { city: {} }, additionalProperties: false },
      { ctiy: 1 },
      ['/ctiy is not declared (did you mean "city"?)'],
    ],
    // A `type` error and an `enum` error of the same value become one sentence.
    [
      inA({ type: "string", enum: ["C", "F"] }),
      { a: null },
      ['/a must be one of "C", "F" (got null)'],
    ],
    [
      inA({ type: "number", enum: ["C", 1] }),
      { a: "F" },
      ["/a must be 1 (got a string of 1 character)"],
    ],
    [
      inA({ type: "null", enum: ["C"] }),
      { a: 1 },
      ["/a must be null (got an integer)", '/a must be "C" (got an integer)'],
    ],
  ])("%j, %j: %j", (schema, value, sentences) => {
    const found = check(schema, value);
    const told = describeCheck(found);
    expect(told.map(({ text }) => text)).toEqual(sentences);
    expect(told.reduce((sum, { issues }) => sum + issues, 0)).toBe(found.errors.length);
  });
});

const unit = fc.constantFrom(
  "\u202e",
  "\u200b",
  "漢",
  "<a>",
  "`",
  "\n",
  "](",
  "![",
  "\ud800",
  "a ",
  "~/",
);
const hostile = fc.string({ unit, minLength: 1, maxLength: 300 });

test("a sentence is one short line without hidden characters or markup, whatever the texts", () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 20 }), hostile, (words, value) => {
      const schema = {
        required: words,
        properties: Object.fromEntries(words.map((word) => [word, { enum: words, pattern: word }])),
        propertyNames: { enum: words.slice(1) },
        additionalProperties: false,
        dependentRequired: { [value]: words },
      };
      const found = check(schema, {
        [value]: 1,
        ...Object.fromEntries(words.map((word) => [word, value])),
      });
      const sentences = [
        ...found.errors.flatMap((issue) => [describeIssue(issue), describeIssue(readBack(issue))]),
        ...describeCheck(found).map(({ text }) => text),
      ];
      for (const sentence of sentences) {
        expect(sentence.length).toBeLessThanOrEqual(500);
        expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}`<]|\]\(|!\[/u);
      }
    }),
    { numRuns: 100 },
  );
});

test("a sentence contains no text of the payload, whatever the schema", () => {
  const secret = "hunter2-hunter2";
  const schemas = jsonSchema({ proto: false, unevaluated: true, full: true });
  let told = 0;
  fc.assert(
    fc.property(schemas, jsonValue, (schema, value) => {
      const hidden = JSON.parse(JSON.stringify(value), (_, part: unknown) =>
        typeof part === "string" ? secret : part,
      );
      const found = check(schema as object, hidden);
      for (const issue of found.errors) {
        const sentence = describeIssue(issue);
        expect(sentence).not.toContain(secret);
        expect(sentence).not.toMatch(/\(root\)|undefined|NaN|\[object/);
        told++;
      }
      for (const { text } of describeCheck(found)) expect(text).not.toContain(secret);
    }),
    { numRuns: sample(100, 400) },
  );
  expect(told).toBeGreaterThan(sample(10, 50));
});
