import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { closestKeyword } from "../../keywords.ts";
import { anything, HOSTILE } from "../../testing/hostile.ts";
import { lintTools } from "./lint-tools.ts";

const described = { description: "d" };
const tool = (inputSchema: unknown, more: object = {}): object => ({
  name: "t",
  ...described,
  inputSchema,
  ...more,
});
const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  ...more,
});
const found = (...tools: unknown[]): string[] =>
  lintTools(tools).map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);

describe("lintTools", () => {
  it("names the required value if only one is allowed", () => {
    const [{ message } = { message: "" }] = lintTools([tool({ type: "string" })]);
    expect(message).toMatch(/^must be "object" \(got [^)]*\) \(the shape of a tool in MCP /);
  });

  it.each<[string, unknown, string[]]>([
    ["a good tool", tool(object({ a: { type: "string", ...described } })), []],
    ["no object", 5, ["error tool-shape "]],
    ["no input schema", { name: "t", ...described }, ["error tool-shape /inputSchema"]],
    [
      "an input schema that is not an object's",
      tool({ type: "string" }),
      ["error tool-shape /inputSchema/type"],
    ],
    ["a name with a space", { ...tool(object({})), name: "a b" }, ["warning tool-name /name"]],
    ["a name with a slash", { ...tool(object({})), name: "a/b" }, ["info tool-name /name"]],
    [
      "no description",
      { name: "t", inputSchema: object({}) },
      ["warning tool-description /description"],
    ],
    [
      "an unknown type",
      tool(object({ a: { type: "strin", ...described } })),
      ["error schema /inputSchema/properties/a/type"],
    ],
    [
      "a remote reference",
      tool(object({ a: { $ref: "https://a.example/s.json" } })),
      ["error unresolved-reference /inputSchema/properties/a/$ref"],
    ],
    [
      "an unknown dialect",
      tool(object({}, { $schema: "https://a.example/dialect" })),
      ["error unknown-dialect /inputSchema/$schema"],
    ],
    [
      "a broken pattern",
      tool(object({ a: { pattern: "(", ...described } })),
      ["error invalid-pattern /inputSchema/properties/a/pattern"],
    ],
    [
      "a slow pattern",
      tool(object({ a: { type: "string", pattern: "^(a+)+$", ...described } })),
      ["warning slow-pattern /inputSchema/properties/a/pattern"],
    ],
    [
      "a pattern that only looks slow",
      tool(object({ a: { type: "string", pattern: "^(?:[\\w-]+\\.)+[\\w-]*@$", ...described } })),
      [],
    ],
    [
      "an unknown format",
      tool(object({ a: { format: "json", ...described } })),
      ["warning unknown-format /inputSchema/properties/a/format"],
    ],
    [
      "a mistyped keyword",
      tool(object({ a: { type: "string", minLenght: 1, ...described } })),
      ["warning mistyped-keyword /inputSchema/properties/a/minLenght"],
    ],
    [
      "a property called like a mistyped keyword",
      tool(object({ requried: { type: "string", ...described } })),
      [],
    ],
    [
      "required without a declaration",
      tool(object({}, { required: ["a"] })),
      ["warning required-undeclared /inputSchema/required/0"],
    ],
    [
      "required and forbidden",
      tool(object({}, { required: ["a"], additionalProperties: false })),
      ["error required-undeclared /inputSchema/required/0"],
    ],
    [
      "required by another branch",
      tool(object({}, { required: ["a"], allOf: [object({ a: described })] })),
      [],
    ],
    ...["allOf", "anyOf", "oneOf"].map((keyword): [string, unknown, string[]] => [
      `required in a branch of ${keyword}, and declared around it`,
      tool(
        object(
          { kind: described, a: described },
          {
            [keyword]: [object({ kind: { const: "x" } }, { required: ["a"] })],
          },
        ),
      ),
      [],
    ]),
    [
      "required where a condition holds, and declared around it or in the condition",
      tool(
        object(
          { a: described },
          {
            if: object({ b: {} }, { required: ["b"] }),
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in data.
            then: { allOf: [object({ c: {} }, { required: ["a", "b"] })] },
            else: object({ c: {} }, { required: ["a", "b"] }),
          },
        ),
      ),
      [],
    ],
    [
      "required in a branch, and declared nowhere",
      tool(object({ a: described }, { anyOf: [object({ b: {} }, { required: ["c"] })] })),
      ["warning required-undeclared /inputSchema/anyOf/0/required/0"],
    ],
    [
      "required inside a property, and declared around it",
      tool(
        object({ a: described, b: object({ c: described }, { required: ["a"], ...described }) }),
      ),
      ["warning required-undeclared /inputSchema/properties/b/required/0"],
    ],
    [
      "required and forbidden in a branch, and declared around it",
      tool(
        object(
          { a: described },
          {
            anyOf: [object({ b: {} }, { required: ["a"], additionalProperties: false })],
          },
        ),
      ),
      [
        "error never-satisfied /inputSchema",
        "error required-undeclared /inputSchema/anyOf/0/required/0",
      ],
    ],
    [
      "an array in a branch, with its items around it",
      tool(
        object({
          a: { type: "array", items: {}, anyOf: [{ type: "array", minItems: 1 }], ...described },
        }),
      ),
      [],
    ],
    [
      "an array without items",
      tool(object({ a: { type: "array", ...described } })),
      ["warning array-without-items /inputSchema/properties/a"],
    ],
    [
      "an array or nothing, without items",
      tool(object({ a: { type: ["array", "null"], ...described } })),
      ["warning array-without-items /inputSchema/properties/a"],
    ],
    [
      "a parameter without a description",
      tool(object({ a: { type: "string" } })),
      ["info parameter-description /inputSchema/properties/a"],
    ],
    [
      "an output schema that is broken",
      tool(object({}), { outputSchema: { type: "objekt" } }),
      ["error schema /outputSchema/type", "warning output-root /outputSchema"],
    ],
    [
      "a header annotation in a wrong place",
      tool(object({ a: { type: "number", "x-mcp-header": "A", ...described } })),
      ["error header-annotation /inputSchema"],
    ],
    [
      "a large tool",
      tool(object({ a: { type: "string", description: "x".repeat(20_000) } })),
      ["info tool-size "],
    ],
  ])("for %s reports %j", (_, value, expected) => {
    expect(found(value)).toEqual(expected);
  });

  it("reports duplicate names", () => {
    const good = tool(object({}));
    expect(found(good, good)).toEqual(["error duplicate-name /name"]);
    expect(lintTools([good, good])[0]).toMatchObject({ tool: "t", index: 1 });
  });

  it("finds every planted fault of the faulty server", () => {
    const tools = [
      { name: "a tool", inputSchema: { type: "object", requierd: ["x"] } },
      tool(object({ a: { type: "strin" } }), { name: "b" }),
      tool(object({ a: { $ref: "https://a.example" } }), { name: "c" }),
      tool(object({ a: { type: "array" } }, { required: ["z"] }), { name: "d" }),
    ];
    const rules = lintTools(tools).map(({ tool: name, rule }) => `${name}: ${rule}`);
    expect(new Set(rules)).toEqual(
      new Set([
        "a tool: tool-name",
        "a tool: tool-description",
        "a tool: mistyped-keyword",
        "b: schema",
        "b: parameter-description",
        "c: unresolved-reference",
        "d: required-undeclared",
        "d: array-without-items",
        "d: parameter-description",
      ]),
    );
    for (const { message, fix } of lintTools(tools)) expect(message && fix).not.toBe("");
  });

  it("accepts only a list, and returns at most the requested number of findings", () => {
    expect(found()).toEqual([]);
    expect(lintTools({ tools: [] })).toMatchObject([{ index: -1, severity: "error" }]);
    expect(lintTools([5, 5, 5], { maxFindings: 2 })).toHaveLength(2);
  });

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)("finds no error in the tools of published servers", () => {
    for (const file of readdirSync(folder ?? "")) {
      const { tools, pv } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
      const findings = lintTools(tools, { version: pv });
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    }
  });

  it.each(HOSTILE)("does not throw on %s", (_, make) => {
    expect(lintTools(make())).toMatchObject([{ index: -1 }]);
    expect(Array.isArray(lintTools([make(), { inputSchema: make() }]))).toBe(true);
  });

  it.each([Number.NaN, -5, 0, 2.5, "1", null])(
    "explains what is wrong with a limit of %s",
    (most) => {
      expect(lintTools([{ name: 1 }], { maxFindings: most as number })).toEqual(
        lintTools([{ name: 1 }]),
      );
    },
  );

  it("does not throw on any input", () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(anything, json, json, (value, schema, other) => {
        const tools = [value(), tool(schema), tool(object({ a: other }))];
        expect(Array.isArray(lintTools(tools))).toBe(true);
      }),
    );
  });
});

describe("closestKeyword", () => {
  it.each([
    ["minLenght", "minLength"],
    ["additional_properties", "additionalProperties"],
    ["additonalProperties", "additionalProperties"],
    ["requried", "required"],
    ["oneof", "oneOf"],
    ["descripton", "description"],
    ["propertie", "properties"],
    ["type", undefined],
    ["x-order", undefined],
    ["nullable", undefined],
    ["uiHints", undefined],
    ["if2", undefined],
  ])("suggests for %s: %s", (keyword, meant) => {
    expect(closestKeyword(keyword)).toBe(meant);
  });
});

const one = (schema: object): object => tool(object({ a: { ...described, ...schema } }));
const P = "/inputSchema/properties/a";

describe("keywords without effect", () => {
  it.each<[string, object, string[]]>([
    ["nullable", { type: "string", nullable: true }, [`warning no-effect ${P}/nullable`]],
    ["nullable in an enum", { enum: ["x"], nullable: true }, [`warning no-effect ${P}/nullable`]],
    [
      "nullable behind a reference",
      { anyOf: [{ type: "string" }, { const: 1 }], nullable: true },
      [`warning no-effect ${P}/nullable`],
    ],
    ["nullable with null", { type: ["string", "null"], nullable: true }, []],
    ["nullable without a type", { nullable: true }, []],
    [
      "nullable with a branch",
      { anyOf: [{ type: "string" }, { type: "null" }], nullable: true },
      [],
    ],
    ["not nullable", { type: "string", nullable: false }, []],
    ["an example", { type: "string", example: "x" }, [`info no-effect ${P}/example`]],
    ["examples", { type: "string", example: "x", examples: ["x"] }, []],
    ["optional", { type: "string", optional: true }, [`info no-effect ${P}/optional`]],
    ["min", { type: "number", min: 1 }, [`warning no-effect ${P}/min`]],
    ["min beside minimum", { type: "number", min: 1, minimum: 1 }, []],
    ["regex", { type: "string", regex: "^a$" }, [`warning no-effect ${P}/regex`]],
    ["options", { type: "string", options: ["a", "b"] }, [`warning no-effect ${P}/options`]],
    ["options beside enum", { type: "string", options: ["a"], enum: ["a"] }, []],
    ["options of a form", { type: "string", options: [{ label: "A" }] }, []],
    ["readonly", { type: "string", readonly: true }, [`warning mistyped-keyword ${P}/readonly`]],
  ])("%s", (_, schema, wanted) => {
    expect(found(one(schema))).toEqual(wanted);
  });

  it("are found through a reference", () => {
    const properties = { a: { $ref: "#/$defs/A", nullable: true } };
    const schema = (A: object): object => tool(object(properties, { $defs: { A } }));
    expect(found(schema({ type: "string" }))).toEqual([`warning no-effect ${P}/nullable`]);
    expect(found(schema({ type: ["string", "null"] }))).toEqual([]);
  });

  it("are reported if they contradict required", () => {
    const properties = { a: { ...described, type: "string", optional: true } };
    const schema = tool(object(properties, { required: ["a"] }));
    expect(found(schema)).toEqual([`warning no-effect ${P}/optional`]);
  });

  it("are not reported for properties with such names", () => {
    const text = { ...described, type: "string" };
    const names = { nullable: text, optional: text, min: text, example: text, options: text };
    expect(found(tool(object(names)))).toEqual([]);
  });

  it.each([
    [
      "exclusiveMinimum",
      { type: "number", minimum: 0, exclusiveMinimum: true },
      /draft-04 had true/,
    ],
    ["required", { type: "string", required: true }, /required list of the object that holds it/],
    ["items", { type: "array", items: [{ type: "string" }] }, /as prefixItems/],
  ])("from an older draft: %s", (keyword, schema, fix) => {
    const [first] = lintTools([one(schema)]);
    expect(first).toMatchObject({ severity: "error", path: `${P}/${keyword}` });
    expect(first?.fix).toMatch(fix);
  });
});

describe("patterns without the flag u", () => {
  it.each([
    ["^https\\:\\/\\/", true],
    ["[\\w-_.]", true],
    ["^https:\\/\\/", false],
    ["\\p{L}", false],
    ["[\\w.-]", false],
  ])("%s: %s", (pattern, told) => {
    const input = found(one({ type: "string", pattern }));
    expect(input).toEqual(told ? [`info pattern-flags ${P}/pattern`] : []);
    const outputSchema = { type: "object", properties: { a: { type: "string", pattern } } };
    const output = found(tool(object({}), { outputSchema }));
    const at = "/outputSchema/properties/a/pattern";
    expect(output).toEqual(told ? [`warning pattern-flags ${at}`] : []);
  });
});

it.each([
  ["http://json-schema.org/draft-04/schema#", ["error output-dialect /outputSchema/$schema"]],
  ["http://json-schema.org/draft-07/schema#", ["warning output-dialect /outputSchema/$schema"]],
  [
    "https://json-schema.org/draft/2019-09/schema",
    ["warning output-dialect /outputSchema/$schema"],
  ],
  ["https://json-schema.org/draft/2020-12/schema", []],
])("an output schema in the dialect %s", ($schema, wanted) => {
  const outputSchema = { $schema, type: "object", properties: { a: { type: "string" } } };
  expect(found(tool(object({}), { outputSchema }))).toEqual(wanted);
  expect(found(tool(object({}, { $schema })))).toEqual([]);
});
