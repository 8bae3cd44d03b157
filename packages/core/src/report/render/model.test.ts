import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "../../compile.ts";
import { jsonSchema, jsonValue } from "../../engine/testing/arbitrary.ts";
import { utf8Length } from "../../json/quote.ts";
import { sample } from "../../testing/sample.ts";
import { modelLines, renderForModel } from "./model.ts";

const check = (schema: unknown, value: unknown, options = {}) =>
  compileDeclared({ value: schema }).validateText(JSON.stringify(value), options);

describe("renderForModel", () => {
  it("returns nothing for a check that passed", () => {
    expect(renderForModel(check({}, {}))).toBe("");
  });

  it("speaks of a value if no tool is named", () => {
    expect(renderForModel(check({ type: "object" }, 1))).toBe(
      "The value does not match its schema.\n- Change the value: must be an object; it is an integer.",
    );
  });

  it.each<[unknown, string]>([
    [undefined, "missing"],
    [10n, "a bigint"],
    [() => 1, "a function"],
    [Symbol("s"), "a symbol"],
  ])("names a value that JSON cannot hold: %s", (value, words) => {
    const found = compileDeclared({ value: { type: "object" } }).validate(value);
    const line = `Change the value: must be an object; it is ${words}.`;
    expect(modelLines(found)).toEqual([line]);
  });

  const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
  it.each([
    [{ minimum: 5 }, 4, "at least 5"],
    [{ maximum: 5 }, 6, "at most 5"],
    [{ exclusiveMinimum: 5 }, 5, "more than 5"],
    [{ exclusiveMaximum: 5 }, 5, "less than 5"],
    [{ $schema: DRAFT_04, minimum: 5, exclusiveMinimum: true }, 5, "more than 5"],
    [{ $schema: DRAFT_04, maximum: 5, exclusiveMaximum: true }, 5, "less than 5"],
    [{ $schema: DRAFT_04, minimum: 5, exclusiveMinimum: false }, 4, "at least 5"],
  ])("says for %j whether the bound itself is allowed", (schema, value, words) => {
    expect(modelLines(check(schema, value))).toEqual([`Change the value: it must be ${words}.`]);
  });

  it.each([
    ["a/b", "Add /a~1b (~1 stands for a slash in a name), which is required."],
    ["a~b", "Add /a~0b (~0 stands for a tilde), which is required."],
    ["~1", "Add /~01 (~0 stands for a tilde), which is required."],
    [
      "~/",
      "Add /~0~1 (~1 stands for a slash in a name, ~0 stands for a tilde), which is required.",
    ],
    ["a.b", "Add /a.b, which is required."],
  ])("explains the escapes in the path of the name %j", (name, line) => {
    expect(modelLines(check({ required: [name] }, {}))).toEqual([line]);
  });

  it("explains an escape once for several paths", () => {
    const schema = { anyOf: [{ required: ["a/b"] }, { required: ["c/d"] }] };
    expect(modelLines(check(schema, {}))).toEqual([
      "Add /a~1b or /c~1d (~1 stands for a slash in a name): one of them is required.",
    ]);
  });

  it.each([
    ["[1,9007199254740993]", "one of 1, 9007199254740993"],
    ['["<a>",9007199254740993]', 'one of "\\u003ca>", 9007199254740993'],
    ["[9007199254740993]", "9007199254740993"],
  ])("lists the values of %s as the schema writes them", (values, words) => {
    const schema = `{"properties":{"a":{"enum":${values}}},"required":["a"]}`;
    const lines = (value: string) =>
      modelLines(compileDeclared({ text: schema }).validateText(value));
    expect(lines('{"a":9007199254740992}')).toEqual([
      `Change /a: it must be ${words}; it is an integer.`,
    ]);
    expect(lines("{}")).toEqual([`Add /a, which is required: ${words}.`]);
  });

  it.each<[object, unknown, string]>([
    [{ minProperties: 1 }, {}, "it must have at least 1 property; it has 0 properties"],
    [{ minProperties: 3 }, { a: 1 }, "it must have at least 3 properties; it has 1 property"],
    [{ maxProperties: 1 }, { a: 1, b: 1 }, "it must have at most 1 property; it has 2 properties"],
    [
      { prefixItems: [{}], items: false },
      [1, 2],
      "it must have at most 1 item; it is an array of 2 items",
    ],
    [
      { prefixItems: [{}, {}], unevaluatedItems: false },
      [1, 2, 3],
      "it must have at most 2 items; it is an array of 3 items",
    ],
    [{ not: { type: "string" } }, "a", "it must not be a string"],
    [{ not: { type: ["string", "null"], title: "t" } }, "a", "it must not be a string or null"],
    [{ not: { const: "secret" } }, "secret", 'it must not be "secret"'],
    [{ not: { enum: ["a", "b"] } }, "a", 'it must not be one of "a", "b"'],
    [{ not: { required: ["a"] } }, { a: 1 }, 'it must not have the property "a"'],
    [{ not: { required: ["a", "b"] } }, { a: 1, b: 1 }, 'it must not match the schema in "not"'],
    // A description of only a part of the schema would say more than the schema does.
    [{ not: { type: "string", minLength: 1 } }, "a", 'it must not match the schema in "not"'],
    [
      { not: { type: "array", items: { type: "string" } } },
      [],
      'it must not match the schema in "not"',
    ],
  ])("says what %j asks of %j: %s", (schema, value, words) => {
    expect(modelLines(check(schema, value))).toEqual([`Change the value: ${words}.`]);
  });

  const types = ["string", "null", "integer", "boolean", "array"].map((type) => ({ type }));
  const inArrays = (levels: number): object =>
    levels === 0 ? { type: "integer" } : { type: "array", items: inArrays(levels - 1) };
  it.each<[string, object, string | undefined]>([
    ["12 values", { enum: [...Array(12).keys()] }, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"],
    ["13 values", { enum: [...Array(13).keys()] }, "10, 11 and 1 more"],
    ["4 branches", { anyOf: types.slice(0, 4) }, "a string, null, an integer or a boolean"],
    ["5 branches", { anyOf: types }, undefined],
    ["branches of one type", { oneOf: [{ type: "null" }, { type: "null" }] }, "null"],
    [
      "branches inside a branch",
      { anyOf: [{ anyOf: [{ type: "integer" }, { type: "null" }] }, { type: "null" }] },
      "required: an integer or null",
    ],
    ["a branch that says nothing", { anyOf: [{ type: "string" }, {}] }, undefined],
    ["a format", { type: "string", format: "email" }, 'a string ("email")'],
    ["2 levels", inArrays(2), "an array, each item an array, each item an integer"],
    [
      "4 levels",
      inArrays(4),
      "an array, each item an array, each item an array, each item an array, each item an integer",
    ],
    [
      "5 levels",
      inArrays(5),
      "an array, each item an array, each item an array, each item an array, each item an array",
    ],
    ["nothing", {}, undefined],
  ])("describes briefly what is missing: %s", (_name, missing, words) => {
    const [line] = modelLines(check({ required: ["a"], properties: { a: missing } }, {}));
    expect(line).toMatch(/^Add \/a, which is required/);
    if (words === undefined) expect(line).toBe("Add /a, which is required.");
    else expect(line?.endsWith(`${words}.`)).toBe(true);
  });

  it("names the property itself, even if issues carry the engine's own paths", () => {
    const schema = {
      properties: { a: { required: ["b", "c"], propertyNames: { maxLength: 3 } }, d: { const: 1 } },
      additionalProperties: false,
    };
    const value = { a: { long: 1 }, d: 2, e: 3 };
    const own = check(schema, value, { paths: "instance" });
    const lines = modelLines(own);
    expect(lines).toEqual(modelLines(check(schema, value)));
    expect(lines.join("\n")).toMatch(/Remove \/e.*Add \/a\/b.*Add \/a\/c/s);
    // The same holds if the engine's errors are no longer known.
    const told = modelLines(JSON.parse(JSON.stringify(own))).join("\n");
    for (const path of ["Remove /e", "Add /a/b", "Rename /a/long"]) expect(told).toContain(path);
  });

  it("suggests a name in place of one that no surrounding schema evaluates", () => {
    const schema = { allOf: [{ properties: { location: {} } }], unevaluatedProperties: false };
    expect(modelLines(check(schema, { locaton: 1 }))).toEqual([
      'Remove /locaton or rename it: did you mean "location"?',
    ]);
  });

  it("suggests the probable value as JSON", () => {
    const line = (values: unknown[], value: unknown) =>
      modelLines(check({ enum: values }, value))[0];
    expect(line([1, 2], "1")).toMatch(/ Did you mean 1\?$/);
    expect(line([true, 5], "TRUE")).toMatch(/ Did you mean true\?$/);
    expect(line(["1", "2"], 1)).toMatch(/ Did you mean "1"\?$/);
    expect(line(["on", "off"], "onn")).toMatch(/ Did you mean "on"\?$/);
  });

  it("writes the exact digits of limits that no double can hold", () => {
    const schema = compileDeclared({
      text: '{"properties":{"a":{"maximum":9223372036854775807},"b":{"multipleOf":1e-400}}}',
    });
    const text = renderForModel(schema.validateText('{"a":9223372036854775808,"b":1e-401}'));
    expect(text).toContain("/a: it must be at most 9223372036854775807.");
    expect(text).toContain("/b: it must be a multiple of 1e-400.");
  });

  it("mentions the default of a missing or wrong value", () => {
    const properties = {
      unit: { type: "string", default: "metric" },
      days: { type: "integer", maximum: 7, default: 3 },
    };
    expect(modelLines(check({ properties, required: ["unit"] }, { days: 9 }))).toEqual([
      'Add /unit, which is required: a string; its default is "metric".',
      expect.stringMatching(/^Change \/days: .*; its default is 3\.$/),
    ]);
  });

  it("never proposes leaving out what is required", () => {
    const properties = { city: { type: "string" }, day: { type: "string" } };
    const found = check({ properties, required: ["city"] }, { city: null, day: null });
    expect(modelLines(found)).toEqual([
      "Change /city: must be a string; it is null.",
      "Change /day: must be a string; it is null: leave it out if it is not required.",
    ]);
  });

  it("asks whether a blank property is required before it proposes leaving it out", () => {
    const properties = {
      city: { type: "string" },
      n: { type: "integer" },
      day: { type: "integer" },
    };
    const failed = check({ properties }, { city: null, n: "", day: "5" });
    const asked: string[] = [];
    const isRequired = (path: string) => asked.push(path) > 0 && path === "/city";
    const told = modelLines(failed, { isRequired }).map((line) => line.includes("leave it out"));
    expect([told, asked]).toEqual([
      [false, true, false],
      ["/city", "/n"],
    ]);
    expect(modelLines(failed).filter((line) => line.includes("leave it out"))).toHaveLength(2);
  });

  it("refers to the closest branch and to matching branches by their titles", () => {
    const branch = (title: string, ...required: string[]) => ({ title, required });
    const anyOf = [branch("Circle", "radius", "x"), branch("Square", "side", "x", "y")];
    const [line] = modelLines(check({ anyOf }, {}));
    expect(line).toContain('(for "Circle", the closest of 2 alternatives)');
    const oneOf = [branch("Circle"), branch("`Square`")];
    expect(modelLines(check({ oneOf }, {}))[0]).toContain('#0 "Circle" and #1 "\\u0060Square');
  });

  it("says that an unusable schema is the server's fault", () => {
    const text = renderForModel(check({ type: "objct" }, {}), { tool: "t" });
    expect(text).toMatch(/^The input schema of "t" cannot be used, .* will not help\.$/);
  });

  it.each([
    ["maxBytes", { maxBytes: 3 }, /\n- Send less: payload is .* more than the limit of 3\.\n/],
    ["maxDepth", { maxDepth: 1 }, /\n- Nest less deeply: payload .* the limit of 1\.\n/],
  ])("says which limit was exceeded, not that the schema is broken: %s", (_, options, line) => {
    const found = check({}, { a: [1] }, options);
    const text = renderForModel(found, { tool: "t" });
    expect(text).toMatch(line);
    expect(text).toMatch(/^The arguments of "t" are over a limit, so they were not checked\.\n/);
    expect(renderForModel(found)).toMatch(/^The value is over a limit, so it was not checked\.\n/);
  });

  it("says that the check did not finish, not that the schema is broken", () => {
    const message = "the check ended without a result: it took too many steps";
    const errors = [{ path: "", message, rule: "budget" as const, keyword: "budget" }];
    const text = renderForModel({ outcome: "budget", errors, suggestions: [] }, { tool: "t" });
    expect(text).toMatch(/^The arguments of "t" could not be checked\.\n- Send a simpler value: /);
  });

  it("counts the issues that it does not list", () => {
    const value = Array.from({ length: 3000 }, () => 1);
    const text = renderForModel(check({ items: { type: "string" } }, value), { tool: "t" });
    expect(text.match(/Change/g)).toHaveLength(20);
    expect(text).toContain("- There are 2980 more issues.\n");
    expect(text.split("\n").length).toBeLessThanOrEqual(25);
  });

  it("renders issues and hints of a check that was read back from JSON", () => {
    const schema = { properties: { n: { type: "integer" } } };
    const copy = JSON.parse(JSON.stringify(check(schema, { n: "5" })));
    expect(modelLines(copy)).toEqual([
      "Change /n: must be an integer; it is a string.",
      "Hint: /n: send the number itself, without quotes",
    ]);
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
  );
  const hostile = fc.string({ unit, maxLength: 300 });

  test("is bounded and free of markup and hidden characters, whatever the texts", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.array(hostile, { minLength: 1, maxLength: 30 }),
        fc.nat(6000),
        (tool, words, maxBytes) => {
          const properties = Object.fromEntries(
            words.map((word) => [word, { enum: words, pattern: word }]),
          );
          const schema = {
            properties,
            required: words,
            propertyNames: { enum: words.slice(1) },
            additionalProperties: { $comment: tool, const: words },
            dependentRequired: Object.fromEntries(words.map((word) => [word, words])),
          };
          const value = Object.fromEntries(
            words.map((word, i) => [i % 2 ? word : `${word}x`, tool]),
          );
          const result = check(schema, value);
          if (result.valid || result.outcome === "uncompilable") return;
          const text = renderForModel(result, { tool, maxBytes });
          expect(utf8Length(text)).toBeLessThanOrEqual(Math.max(1_024, maxBytes));
          expect(text.split("\n").length).toBeLessThanOrEqual(25);
          expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}`<]|\]\(|!\[/u);
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each([{}, { maxBytes: Number.NaN }, { maxBytes: Number.POSITIVE_INFINITY }])(
    "stays within the default bound with %o",
    (options) => {
      const properties = Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`${i}${"x".repeat(300)}`, { type: "null" }]),
      );
      const value = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
      const text = renderForModel(check({ properties }, value), options);
      expect(utf8Length(text)).toBeLessThanOrEqual(4_096);
      expect(utf8Length(text)).toBeGreaterThan(3_500);
    },
  );

  test("contains no text of the payload, whatever the schema", () => {
    const secret = "hunter2-hunter2";
    const schemas = jsonSchema({ proto: false, unevaluated: true, full: true });
    let told = 0;
    fc.assert(
      fc.property(schemas, jsonValue, (schema, value) => {
        const hidden = JSON.parse(JSON.stringify(value), (_, part: unknown) =>
          typeof part === "string" ? secret : part,
        );
        const text = renderForModel(check(schema, hidden), { tool: "t" });
        expect(text).not.toContain(secret);
        if (text !== "") told++;
      }),
      { numRuns: sample(125, 500) },
    );
    expect(told).toBeGreaterThan(sample(10, 50));
  });
});

it.each([null, 1, "x", { tool: null }, { tool: 10n }, { tool: {} }, { maxBytes: "9" }])(
  "ignores %s in place of options",
  (options) => {
    const check = compileDeclared({ value: { type: "object" } }).validateText("1");
    expect(renderForModel(check, options as never)).toBe(renderForModel(check));
  },
);
