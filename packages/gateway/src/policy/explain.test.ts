import { type Check, compileDeclared, type Rules, withoutIgnored } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarizeIssues } from "../features/text.ts";
import { isAboutArguments } from "./decide.ts";
import { explainInput, explainOutput, outputReason } from "./explain.ts";

const check = (schema: object, text: string): Check =>
  compileDeclared({ value: schema }).validateText(text);

describe("the text for a blocked call", () => {
  it("names places, types, allowed values and similar names", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["C", "F"] },
        day: { type: ["null", "integer"] },
      },
      required: ["city"],
      additionalProperties: false,
    };
    const text = explainInput("weather", check(schema, '{"citty":"x","unit":"K","day":1.5}'));
    expect(text.split("\n")).toEqual([
      'The call of "weather" was blocked before it reached the server: its arguments do not match the tool\'s input schema.',
      '- Rename /citty to "city", which is required: a string.',
      '- Change /unit: must be one of "C", "F"; it is a string of 1 character.',
      "- Change /day: must be null or an integer; it is a number.",
      "Correct the arguments and call the tool again.",
    ]);
  });

  it.each([
    ["1", "an integer"],
    ["1.0", "an integer"],
    ["1e400", "an integer"],
    ["9007199254740993.5", "a number"],
    ["null", "null"],
    ["[]", "an array"],
    ["{}", "an object"],
    ["true", "a boolean"],
  ])("reports the type of %s as %s", (value, type) => {
    const text = explainInput(
      "t",
      check({ properties: { a: { type: "string" } } }, `{"a":${value}}`),
    );
    expect(text).toContain(`- Change /a: must be a string; it is ${type}`);
  });

  it("contains no value of the arguments", () => {
    const secret = "hunter2-hunter2";
    const keywords = [
      { type: "integer" },
      { enum: ["a"] },
      { const: "b" },
      { pattern: "^x" },
      { maxLength: 3 },
      { format: "email" },
      { not: {} },
      { oneOf: [{ type: "null" }, { const: 1 }] },
      { minLength: 99 },
      { if: false, else: { type: "null" } },
      { contentEncoding: "base64", type: "object" },
    ];
    for (const keyword of keywords) {
      const result = check({ properties: { a: keyword } }, `{"a":"${secret}"}`);
      expect(result.valid).toBe(false);
      expect(explainInput("t", result) + JSON.stringify(result)).not.toContain(secret);
    }
    const list = check(
      { properties: { a: { uniqueItems: true, contains: { type: "null" } } } },
      `{"a":["${secret}","${secret}"]}`,
    );
    expect(list.errors.map(({ keyword }) => keyword)).toContain("uniqueItems");
    expect(explainInput("t", list) + JSON.stringify(list)).not.toContain(secret);
  });

  it("says that a broken schema is the server's fault", () => {
    const text = explainInput("t", check({ type: "nonsense", minimum: "x" }, "{}"));
    const [head, ...lines] = text.split("\n");
    expect(head).toMatch(
      /: the tool's input schema cannot be used, so its arguments cannot be checked\.$/,
    );
    expect(lines).toEqual([
      expect.stringMatching(/^- /),
      "This is a fault of the server. Changing the arguments will not help.",
    ]);
  });

  it("says that arguments are over a limit, not that they break the schema", () => {
    const schema = compileDeclared({ value: { type: "object" } });
    const large = explainInput("t", schema.validateText('{"a":"long"}', { maxBytes: 5 }));
    expect(large.split("\n")[0]).toMatch(
      /: its arguments are over a limit, so they were not checked\.$/,
    );
    expect(large).toContain(
      "\n- Send less: payload is at least 12 bytes, more than the limit of 5.\n",
    );
    const deep = explainInput("t", schema.validateText('{"a":[1]}', { maxDepth: 2 }));
    expect(deep).toContain("\n- Nest less deeply: payload nests deeper than the limit of 2.\n");
  });

  it.each([
    ["that is unusable", { allOf: [{ $ref: "#" }] }, "{}", /input schema cannot be used/],
    ["below", { properties: { a: { $ref: "#/properties/a" } } }, '{"a":1}', /refers to itself/],
  ])("gives no advice about the value for a loop of references %s", (_, schema, value, why) => {
    const result = check({ type: "object", ...schema }, value);
    const text = explainInput("t", result);
    expect(text).toMatch(why);
    expect(text).toContain("This is a fault of the server.");
    expect(text).not.toMatch(/simpler|Correct the arguments|Change|Remove/);
    expect(isAboutArguments(result)).toBe(false);
  });

  it("advises a simpler value if the value makes the check costly", () => {
    const result = check({ pattern: "(?=(a+)+$)(?<!b)c" }, JSON.stringify(`${"a".repeat(60)}!`));
    expect(result.outcome).toBe("budget");
    expect(explainInput("t", result)).toContain("- Send a simpler value: ");
    expect(isAboutArguments(result)).toBe(true);
  });

  it("fits on a screen and counts the rest", () => {
    const schema = { additionalProperties: { type: "string" } };
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, 1])),
    );
    const text = explainInput("t", check(schema, many));
    expect(text.match(/must be a string; it is an integer/g)).toHaveLength(20);
    expect(text).toContain("- There are 1980 more issues.");
  });

  it("escapes characters that would hide or reorder text", () => {
    const text = explainInput(
      "a\u0007\u202e\n",
      check({ additionalProperties: false }, '{"x\\n\\u202e\\u0000\\ud800":1}'),
    );
    expect(text).toContain('"a\\u0007\\u{202e}\\n"');
    expect(text).toContain('- Remove "/x\\n\\u202e\\u0000\\ud800": it is not declared.');
    expect(text.split("\n")).toHaveLength(3);
  });

  it("is at most 16 KiB, however long the names are", () => {
    const unit = fc.constantFrom("\u202e", "漢", "\u{1f600}", "\\", "a", "\n", "\ud800");
    const name = fc.string({ unit, minLength: 1, maxLength: 5_000 });
    fc.assert(
      fc.property(name, fc.array(name, { minLength: 5, maxLength: 30 }), (tool, keys) => {
        const value = Object.fromEntries(keys.map((key) => [key, 1]));
        const enumeration = { enum: keys };
        const result = check(
          { propertyNames: false, additionalProperties: enumeration },
          JSON.stringify(value),
        );
        const text = explainInput(tool, result);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
        expect(text).toMatch(/Correct the arguments and call the tool again\.$/);
        expect(text).not.toMatch(/\p{Cf}|\p{Cs}/u);
        expect(Buffer.byteLength(explainOutput(outputReason(result)))).toBeLessThan(16_384);
      }),
      { numRuns: 40 },
    );
  });
});

describe("summarise", () => {
  it("lists three issues on one line and counts the rest", () => {
    const issue = (path: string) => ({ path, message: "bad", rule: "value" }) as const;
    expect(summarizeIssues({ errors: ["", "/a", "/b", "/c"].map(issue), truncated: 7 })).toBe(
      "bad; /a: bad; /b: bad; and 8 more",
    );
    expect(summarizeIssues({ errors: ["/a", "/b"].map(issue) })).toBe("/a: bad; /b: bad");
  });

  it.each([
    [
      { enum: ["C", "F", null] },
      'the value must be one of "C", "F" or null (got a string of 1 character)',
    ],
    [{ enum: ["C"] }, 'the value must be "C" (got a string of 1 character)'],
    [{ const: { a: 1 } }, 'the value must be {"a":1} (got a string of 1 character)'],
    [{ const: null }, "the value must be null (got a string of 1 character)"],
    [
      { enum: Array.from({ length: 99 }, (_, i) => i + 10) },
      "the value must be one of 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 87 more (got a string of 1 character)",
    ],
  ])("lists the values that %j allows", (schema, line) => {
    expect(summarizeIssues(check(schema, '"K"'))).toBe(line);
  });

  it("shows a number's digits if no double can hold it", () => {
    const { validateText: judge } = compileDeclared({ text: '{"enum":[9007199254740993,1]}' });
    expect(summarizeIssues(judge("5"))).toBe(
      "the value must be one of 9007199254740993, 1 (got an integer)",
    );
  });
});

describe("a summary of a union", () => {
  const kinds = ["a", "b"].map((kind) => ({
    properties: { kind: { const: kind }, [kind]: { type: "string" }, size: { type: "integer" } },
    required: ["kind", kind],
  }));

  it.each([
    [{ anyOf: kinds }, { kind: "b", b: 1 }, "/b must be a string (got an integer)"],
    [
      { oneOf: kinds },
      { kind: "c" },
      '/kind must be one of "a", "b" (got a string of 1 character)',
    ],
    [
      { anyOf: [{ type: "string" }, { type: "null" }] },
      5,
      "the value must be a string or null (got an integer)",
    ],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, "/a or /b is required"],
    [
      { oneOf: [{}, {}] },
      5,
      'the value must match exactly one schema in "oneOf" (#0 and #1 match)',
    ],
    [
      { anyOf: kinds, required: ["x", "y", "z"], maxProperties: 1 },
      { kind: "b", size: "" },
      "/b is required; /size must be an integer (got an empty string); the value must have at most 1 property (got 2 properties); and 3 more",
    ],
  ])("for %j says what the closest branch lacks", (schema, value, line) => {
    expect(summarizeIssues(check(schema, JSON.stringify(value)))).toBe(line);
  });

  it("lists every issue if their branches are unknown", () => {
    const { errors } = check({ anyOf: [{ type: "string" }, { type: "null" }] }, "5");
    expect(summarizeIssues({ errors: JSON.parse(JSON.stringify(errors)) })).toBe(
      'the value must be a string (got an integer); the value must be null (got an integer); the value must match at least one schema in "anyOf"',
    );
  });
});

describe("outputReason", () => {
  it("says what is missing", () => {
    expect(outputReason({ outcome: "missing", errors: [], counts: {} })).toMatch(
      /returned no structured content$/,
    );
  });
});

describe("issues that rules leave", () => {
  const schema = {
    properties: { a: { type: "string" }, u: { anyOf: [{ type: "string" }, { type: "null" }] } },
    additionalProperties: false,
  };
  const ruled = (text: string, rules: Rules, maxIssues?: number) =>
    compileDeclared({ value: schema }).validateText(text, {
      rules,
      ...(maxIssues && { maxIssues }),
    });

  it("omit ignored issues and hints about them", () => {
    const text = JSON.stringify({ a: 1, aa: 1, b: 1 });
    const told = withoutIgnored(ruled(text, { extra: "ignore" }, 2));
    expect(explainInput("t", told)).not.toMatch(/\/aa|\/b|did you mean/);
    expect(told.errors.map(({ rule }) => rule)).toEqual(["type"]);
    expect(outputReason(withoutIgnored(ruled(text, { "/a": "ignore", "/b": "ignore" })))).toBe(
      "/aa is not declared",
    );
    const noted = ruled(text, { extra: "warning" });
    expect(withoutIgnored(noted)).toBe(noted);
  });

  it("are counted if they do not fit", () => {
    const told = ruled('{"x":1,"y":1,"z":1,"a":1}', { type: "ignore" }, 2);
    expect(outputReason(withoutIgnored(told))).toBe(
      "/x is not declared; /y is not declared; and 1 more",
    );
  });

  it("keep a union's issues together", () => {
    const told = withoutIgnored(ruled('{"u":1,"b":1}', { "/u": "ignore" }));
    expect(told.errors.map(({ path }) => path)).toEqual(["/b"]);
    expect(withoutIgnored(ruled('{"u":1,"b":1}', { extra: "ignore" })).errors).toHaveLength(3);
  });
});
