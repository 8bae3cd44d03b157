import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonNode, jsonNodeText } from "../../../core/src/testing/json-text.ts";
import { type JsonTree, printTree, readTree, toValue } from "../json/tree.ts";
import { typedTree } from "./inputs.tsx";
import { SchemaSource } from "./source.ts";
import { initialText } from "./start.ts";
import { additionalPropertyParts, type FormView, formView } from "./view.ts";

const BIG = "9007199254740993";

const tree = (text: string | undefined): JsonTree | undefined => {
  const read = text === undefined ? undefined : readTree(text);
  return read?.ok === true ? read.tree : undefined;
};
const view = (schema: object | string, value?: string): FormView => {
  const source = new SchemaSource(typeof schema === "string" ? schema : JSON.stringify(schema));
  return formView(source, [source.root], tree(value));
};
const chosen = ({ unions: [union] }: FormView): string | undefined => union?.names[union.index];

describe("formView", () => {
  it.each<[string, object | boolean, Partial<FormView>]>([
    ["what names no type", {}, { kind: "json" }],
    ["true", { allOf: [true] }, { kind: "json" }],
    ["false", { allOf: [false] }, { kind: "never" }],
    ["a type that keywords imply", { minLength: 1 }, { kind: "string" }],
    ["parts", { type: "number", allOf: [{ type: "integer" }] }, { kind: "integer" }],
    ["contradictory parts", { allOf: [{ type: "string" }, { type: "array" }] }, { kind: "never" }],
    ["one of several types", { type: ["string", "null"] }, { kind: "string", isNullable: true }],
    [
      "null or one schema",
      { anyOf: [{ type: "null" }, { type: "integer" }] },
      { kind: "integer", isNullable: true, unions: [] },
    ],
    ["null alone", { anyOf: [{ type: "null" }] }, { kind: "null" }],
    [
      "listed values, one of them null",
      { enum: ["a", null] },
      { kind: "choice", isNullable: true, choices: [{ text: '"a"', label: "a" }] },
    ],
    [
      "two lists of values",
      { enum: [1, 2, 3], allOf: [{ enum: [2, 3, 4] }] },
      {
        kind: "choice",
        choices: [
          { text: "2", label: "2" },
          { text: "3", label: "3" },
        ],
      },
    ],
    ["an empty list of values", { enum: [] }, { kind: "choice", choices: [] }],
    [
      "values with titles",
      { oneOf: [{ const: 1, title: "One" }, { enum: ["x"] }] },
      {
        kind: "choice",
        choices: [
          { text: "1", label: "One (1)" },
          { text: '"x"', label: "x" },
        ],
        unions: [],
      },
    ],
    [
      "an alternative of names",
      { type: "object", anyOf: [{ required: ["a"] }, { required: ["b", "c"] }] },
      { unions: [], constraints: ["needs a, or b and c"] },
    ],
    ["a reference to itself", { $ref: "#" }, { kind: "json" }],
    ["a choice of itself", { anyOf: [{ $ref: "#" }, { type: "object" }] }, { kind: "json" }],
    [
      "a reference to elsewhere",
      { $ref: "https://example.com/a" },
      { kind: "json", lost: "https://example.com/a" },
    ],
    ["a name", { $ref: "#n", $defs: { a: { $anchor: "n", type: "string" } } }, { kind: "string" }],
    [
      "an identity",
      { $ref: "urn:b", $defs: { a: { $id: "urn:b", type: "string" } } },
      { kind: "string" },
    ],
    [
      "a dynamic reference",
      { $dynamicRef: "#n", $defs: { a: { $dynamicAnchor: "n", type: "array" } } },
      { kind: "array" },
    ],
    [
      "keywords of wrong types",
      { items: 5, required: "a", oneOf: {}, properties: [], title: 1, type: 7 },
      { title: undefined },
    ],
    [
      "a closed object",
      { type: "object", properties: { a: {} }, additionalProperties: false },
      { isOpen: false },
    ],
    ["an object that is declared", { type: "object", properties: { a: {} } }, { isOpen: false }],
    ["a map", { type: "object", additionalProperties: { type: "string" } }, { isOpen: true }],
    ["any object", { type: "object" }, { isOpen: true }],
  ])("shows %s", (_what, schema, expected) => {
    expect(view(schema as object)).toMatchObject(expected);
  });

  it("lists values, defaults and bounds digit for digit", () => {
    const made = view(
      `{"properties":{"a":{"enum":[9007199254740992,${BIG},1.50,-0,{"deep":[${BIG}]}],"default":${BIG},"maximum":1e400}}}`,
    );
    const source = new SchemaSource(
      `{"enum":[9007199254740992,${BIG},1.50,-0,{"deep":[${BIG}]}],"default":1.50,"minimum":1.0,"maximum":1e400}`,
    );
    expect([...made.properties.keys()]).toEqual(["a"]);
    expect(formView(source, [source.root], undefined)).toMatchObject({
      choices: ["9007199254740992", BIG, "1.50", "-0", `{"deep": [${BIG}]}`].map((text) => ({
        text,
      })),
      defaultText: "1.50",
      constraints: ["1.0 to 1e400"],
    });
  });

  it.each<[string, object, string, string]>([
    [
      "what is required",
      {
        oneOf: [
          { title: "A", properties: { a: { type: "integer" }, b: {} }, required: ["a", "b"] },
          { title: "B", properties: { a: { type: "integer" }, c: {} }, required: ["a", "c"] },
        ],
      },
      '{"a":1,"c":"x"}',
      "B",
    ],
    [
      "keywords that give no fields",
      {
        anyOf: [
          { title: "A", type: "object", properties: { a: {} }, maxProperties: 1 },
          { title: "B", type: "object", properties: { c: {} } },
        ],
      },
      '{"a":1,"d":2}',
      "B",
    ],
    [
      "several types",
      {
        anyOf: [
          { title: "A", type: ["string", "integer"] },
          { title: "B", type: "array" },
        ],
      },
      "[]",
      "B",
    ],
    [
      "a name that distinguishes them, of an object that is not done",
      {
        oneOf: [
          { title: "A", properties: { kind: { const: "a" } }, required: ["kind"] },
          {
            title: "B",
            properties: { kind: { const: "b" }, x: { type: "string" } },
            required: ["kind", "x", "y", "z"],
          },
        ],
      },
      '{"kind":"b"}',
      "B",
    ],
    [
      "the type of what is not valid yet",
      {
        anyOf: [
          { title: "A", type: "object", properties: { a: { type: "string" } } },
          { title: "B", type: "string", minLength: 3, pattern: "^x" },
        ],
      },
      '"ab"',
      "B",
    ],
    [
      "what is given, if as much is wrong",
      {
        oneOf: [
          { title: "A", properties: { a: {} }, required: ["a"] },
          { title: "B", properties: { b: { type: "integer" } } },
        ],
      },
      '{"b":"1"}',
      "B",
    ],
    ["its own type", { type: ["string", "integer", "array"] }, "5", "integer"],
  ])(
    "selects the branch that a value matches, or the closest, by %s",
    (_what, schema, value, name) => {
      expect(chosen(view(schema, value))).toBe(name);
    },
  );

  it("distinguishes branches by numbers that no double can hold", () => {
    const schema = `{"oneOf":[{"type":"integer","maximum":9007199254740992,"title":"A"},{"type":"integer","exclusiveMinimum":9007199254740992,"title":"B"}]}`;
    expect(chosen(view(schema, BIG))).toBe("B");
    const constants = `{"oneOf":[{"properties":{"k":{"const":9007199254740992}}},{"properties":{"k":{"const":${BIG}}}}]}`;
    expect(chosen(view(constants, `{"k":${BIG}}`))).toBe(`object with k ${BIG}`);
  });

  it.each<[object[], string[]]>([
    [
      [{ title: "T" }, { type: "string" }, { type: "string" }],
      ["T", "2: string", "3: string"],
    ],
    [
      [
        { type: "object", properties: { type: { const: "url" }, x: {} } },
        { type: "object", required: ["a", "b"] },
      ],
      ["object with type url", "object with a, b"],
    ],
    [
      [
        { type: "array", items: { type: "integer" } },
        { type: "string", format: "uri" },
        {},
        true as never,
      ],
      ["array of integer", "string, uri", "Option 3", "any value"],
    ],
    [
      [{ $ref: "#/$defs/a" }, { enum: ["a", "b", "c", "d"], type: "string" }],
      ["Named", "a, b, c, …"],
    ],
  ])("names branches: %j", (anyOf, names) => {
    expect(view({ $defs: { a: { title: "Named" } }, anyOf }).unions[0]?.names).toEqual(names);
  });

  it("keeps the selected branch while a value is being typed", () => {
    const source = new SchemaSource('{"anyOf":[{"type":"string"},{"type":"integer"}]}');
    const picked = new Map<string, number>();
    expect(chosen(formView(source, [source.root], tree("5"), picked))).toBe("integer");
    expect(chosen(formView(source, [source.root], tree('"-"'), picked))).toBe("integer");
    expect(chosen(formView(source, [source.root], undefined, picked))).toBe("integer");
  });

  it("applies conditions and dependencies to the value", () => {
    const schema = {
      if: { properties: { kind: { const: "x" } }, required: ["kind"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { extra: {} }, required: ["extra"] },
      else: { properties: { other: {} } },
      dependentRequired: { kind: ["why"] },
      dependencies: { a: { properties: { b: {} } }, c: ["d"] },
    };
    const namesOf = (value: string) => {
      const { properties, required } = view(schema, value);
      return [[...properties.keys()], [...required]];
    };
    expect(namesOf('{"kind":"x"}')).toEqual([["extra"], ["why", "extra"]]);
    expect(namesOf('{"a":1,"c":2}')).toEqual([["other", "b"], ["d"]]);
  });

  it("finds the schema for undeclared names", () => {
    const source = new SchemaSource(
      '{"patternProperties":{"^n":{"type":"integer"},"[":{},"(a+)+$":{"type":"null"}},"additionalProperties":{"type":"string"}}',
    );
    const made = formView(source, [source.root], undefined);
    const kindOf = (name: string) =>
      formView(source, additionalPropertyParts(source, made, name), undefined).kind;
    expect(["n1", "x", "__proto__"].map(kindOf)).toEqual(["integer", "string", "string"]);
  });

  it("ignores properties of Object.prototype", () => {
    const { properties } = view('{"properties":{"__proto__":{"type":"string"},"constructor":{}}}');
    expect([...properties.keys()]).toEqual(["__proto__", "constructor"]);
    expect(view({ properties: {} }).properties.get("toString")).toBeUndefined();
  });

  it("accepts any JSON as schema and as value", () => {
    fc.assert(
      fc.property(jsonNode.map(jsonNodeText), jsonNode.map(jsonNodeText), (schema, value) => {
        view(schema, value);
        initialText(new SchemaSource(schema));
      }),
      { numRuns: 200 },
    );
  });
});

describe("initialText", () => {
  const start = (schema: string): string =>
    initialText(new SchemaSource(schema)).replace(/\n\s*/g, "").replaceAll(": ", ":");

  it.each([
    ['{"required":["a","b"],"properties":{"a":{"default":0},"c":{"default":1}}}', '{"a":0,"c":1}'],
    ['{"properties":{"n":{"default":1.0}},"required":["n"]}', '{"n":1.0}'],
    [`{"properties":{"n":{"const":${BIG}},"o":{"const":1}},"required":["n"]}`, `{"n":${BIG}}`],
    [
      '{"properties":{"a":{"type":"string","default":null},"b":{"type":"string","default":5},"c":{"default":""}}}',
      '{"c":""}',
    ],
    ['{"properties":{"a":{"type":"object","properties":{"b":{"default":1}}}}}', "{}"],
    [
      '{"properties":{"a":{"type":"object","properties":{"b":{"default":1},"c":{}}}},"required":["a"]}',
      '{"a":{"b":1}}',
    ],
    [
      '{"properties":{"a":{"type":"object","properties":{"b":{"default":1}},"default":{"b":2}}}}',
      '{"a":{"b":2}}',
    ],
    [
      '{"properties":{"a":{"type":"string"},"b":{"type":"array"},"c":{"type":"boolean"}},"required":["a","b","c"]}',
      "{}",
    ],
    [
      '{"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"]}},"$ref":"#/$defs/n"}',
      '{"n":{"n":{"n":{"n":{"n":{"n":{"n":{"n":{}}}}}}}}}',
    ],
    ['{"required":["constructor","__proto__"]}', "{}"],
    ['{"default":[1]}', "{}"],
    ["{}", "{}"],
    ["true", "{}"],
    ["[]", "{}"],
  ])("for %s is %s", (schema, expected) => {
    expect(start(schema)).toBe(expected);
  });

  it("handles a schema of billions of required fields", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const $ref = `#/$defs/d${i + 1}`;
        const made = {
          type: "object",
          properties: { a: { $ref }, b: { $ref } },
          required: ["a", "b"],
        };
        return [`d${i}`, i === 39 ? {} : made];
      }),
    );
    expect(start(JSON.stringify({ $defs, $ref: "#/$defs/d0" })).length).toBeLessThan(20_000);
  });
});

/** Any UTF-16 text, including lone surrogates. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }))
  .map((units) => String.fromCharCode(...units));

describe("typedTree", () => {
  it.each([
    ["", undefined],
    [" \n", undefined],
    [BIG, BIG],
    ["1.0", "1.0"],
    ["-", '"-"'],
    ["1e", '"1e"'],
    ["01", '"01"'],
    ["words", '"words"'],
    ['"5"', '"5"'],
    ["null", "null"],
    ["[1.0]", "[\n  1.0\n]"],
    ['{"a":', '"{\\"a\\":"'],
    ["\ud800", '"\\ud800"'],
  ])("parses %j as %s", (typed, text) => {
    const made = typedTree(typed);
    expect(made === undefined ? undefined : printTree(made)).toBe(text);
  });

  it("accepts any text, as text or as JSON", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (typed) => {
        const made = typedTree(typed);
        if (made?.kind === "scalar" && made.text.startsWith('"') && !typed.includes('"')) {
          expect(toValue(made)).toBe(typed);
        }
      }),
    );
  });
});
