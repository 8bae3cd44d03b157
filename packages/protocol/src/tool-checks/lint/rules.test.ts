import { describe, expect, it } from "vitest";
import { lintTools } from "./lint-tools.ts";

const RULES = [
  "reference-loop",
  "reference-form",
  "foreign-pattern",
  "dialect-spelling",
  "refused-default",
  "output-root",
  "no-effect",
];
const found = (inputSchema: object, more: object = {}, version?: string) =>
  lintTools(
    [{ name: "t", description: "d", inputSchema, ...more }],
    version === undefined ? {} : { version },
  )
    .filter(({ rule }) => RULES.includes(rule))
    .map(({ rule, severity, path }) => `${severity} ${rule} ${path}`);
const property = (a: object, more: object = {}) => ({ type: "object", properties: { a }, ...more });
const at = (rule: string, keyword: string, severity = "warning") => [
  `${severity} ${rule} /inputSchema/properties/a/${keyword}`,
];

describe("references that loop in place", () => {
  it.each<[string, object]>([
    ["to itself", property({ $ref: "#/properties/a" })],
    [
      "over another",
      property(
        { $ref: "#/$defs/A" },
        { $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
      ),
    ],
    ["over allOf", { type: "object", allOf: [{ $ref: "#" }] }],
    [
      "in draft-07",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { a: { $ref: "#/definitions/A" } },
        definitions: { A: { allOf: [{ $ref: "#/definitions/A" }] } },
      },
    ],
  ])("%s", (_, schema) => {
    expect(found(schema)[0]).toMatch(/^error reference-loop /);
  });

  it.each<[string, object]>([
    ["a tree", { type: "object", properties: { next: { $ref: "#" } } }],
    [
      "a list",
      property(
        { $ref: "#/$defs/L" },
        { $defs: { L: { type: "array", items: { $ref: "#/$defs/L" } } } },
      ),
    ],
    [
      "two uses of one",
      property(
        { allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }] },
        { $defs: { A: { type: "string" } } },
      ),
    ],
  ])("%s is none", (_, schema) => {
    expect(found(schema)).toEqual([]);
  });

  it.each(["draft-04", "draft-06", "draft-07"])("is not what %s ignores beside $ref", (draft) => {
    const schema = {
      $ref: "#/definitions/a",
      allOf: [{ $ref: "#" }],
      definitions: { a: { type: "object" } },
    };
    const loop = expect.stringMatching(/^error reference-loop /);
    const $schema = `http://json-schema.org/${draft}/schema#`;
    expect(found({ $schema, ...schema })).not.toContainEqual(loop);
    expect(found(schema)).toContainEqual(loop);
  });

  it("is found at the loop, not at what leads into it", () => {
    const $defs = { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } };
    expect(found(property({ $ref: "#/$defs/A" }, { $defs }))).toEqual([
      "error reference-loop /inputSchema/$defs/A/$ref",
    ]);
  });

  it("is found at what leads into it, if the loop is outside of all schemas", () => {
    const schema = property({ $ref: "#/x-parts/A" }, { "x-parts": { A: { $ref: "#/x-parts/A" } } });
    expect(found(schema)).toEqual(at("reference-loop", "$ref", "error"));
  });
});

describe("patterns of other languages", () => {
  it.each([
    "\\Aa\\z",
    "a\\Z",
    "/^a$/i",
    "/^a$/",
    "/a/gi",
    "^[[:alpha:]]+$",
    "[^[:digit:]]",
    "\\pL",
    "\\PLu",
    "\\Qa\\E",
    "\\h+",
    "\\x{41}",
  ])("%s", (pattern) => {
    expect(found(property({ type: "string", pattern }))).toEqual(at("foreign-pattern", "pattern"));
  });
  it.each([
    "^a$",
    "^/users/$",
    "/users/",
    "/a/b",
    "\\\\A",
    "[A-Z]",
    "\\p{L}",
    "[:a]",
    "\\x41",
    "^\\/v1\\/$",
    "[\\]]A",
  ])("%s is none", (pattern) => {
    expect(found(property({ type: "string", pattern }))).toEqual([]);
  });
});

describe("references that are not URI references", () => {
  it.each(["System.String[]", "List<A,B>", "My Type", "Größe", "a^b", "a|b", "{a}"])(
    "%s",
    (name) => {
      const schema = property(
        { $ref: `#/$defs/${name}` },
        { $defs: { [name]: { type: "string" } } },
      );
      expect(found(schema)).toEqual(at("reference-form", "$ref"));
      const [finding] = lintTools([{ name: "t", description: "d", inputSchema: schema }]).filter(
        ({ rule }) => rule === "reference-form",
      );
      const [, fixed = ""] = /"([^"]*)"/.exec(finding?.fix ?? "") ?? [];
      const repaired = property({ $ref: fixed }, { $defs: { [name]: { type: "string" } } });
      expect(found(repaired)).toEqual([]);
    },
  );
  it.each(["Plain", "a.b", "a%20b", "a~1b", "a(b)", "a,b"])("%s is one", (name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/");
    expect(
      found(property({ $ref: `#/$defs/${name}` }, { $defs: { [key]: { type: "string" } } })),
    ).toEqual([]);
  });
});

describe("defaults and examples", () => {
  it("says how many were checked, if compiling schemas for all would take too long", () => {
    const names = Array.from({ length: 60 }, (_, at) => `p${at}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { $ref: "#/$defs/unit", default: "c", description: "d" }]),
    );
    const $defs = { unit: { enum: ["c"] }, long: { description: "d".repeat(400_000) } };
    const findings = lintTools([
      { name: "t", description: "d", inputSchema: { type: "object", properties, $defs } },
    ]);
    const cut = findings.filter(({ message }) => message.includes("defaults and examples"));
    expect(cut.map(({ rule, message }) => [rule, message])).toEqual([
      ["not-examined", "only the first 20 defaults and examples were checked"],
    ]);
  });

  const $defs = { unit: { enum: ["c", "f"] } };
  it.each<[string, object, string]>([
    ["null for a text", { type: "string", default: null }, "default"],
    ["null beside values", { type: ["string", "null"], enum: ["a"], default: null }, "default"],
    ["a text for a number", { type: "integer", default: "5" }, "default"],
    ["another value", { enum: ["a"], default: "b" }, "default"],
    ["a bound", { type: "integer", maximum: 3, default: 4 }, "default"],
    [
      "a missing member",
      { type: "object", properties: { q: {} }, required: ["q"], default: {} },
      "default",
    ],
    ["over a reference", { $ref: "#/$defs/unit", default: "k" }, "default"],
    ["an example", { type: "string", examples: ["a", 5] }, "examples/1"],
  ])("%s", (_, schema, keyword) => {
    expect(found(property(schema, { $defs }))).toEqual(at("refused-default", keyword));
  });
  it("over a reference in older drafts", () => {
    const definitions = { unit: { enum: ["c", "f"] } };
    for (const draft of ["draft-04", "draft-06", "draft-07"]) {
      const $schema = `http://json-schema.org/${draft}/schema#`;
      const schema = (value: string) =>
        property(
          { allOf: [{ $ref: "#/definitions/unit" }], default: value },
          { $schema, definitions },
        );
      expect(found(schema("k"))).toEqual(at("refused-default", "default"));
      expect(found(schema("c"))).toEqual([]);
    }
  });
  it.each<[string, object]>([
    ["a valid one", { type: "integer", default: 5, examples: [1, 2] }],
    ["null that is allowed", { anyOf: [{ type: "integer" }, { type: "null" }], default: null }],
    ["over a reference", { $ref: "#/$defs/unit", default: "c" }],
    ["any", { default: {} }],
  ])("%s passes", (_, schema) => {
    expect(found(property(schema, { $defs }))).toEqual([]);
  });
});

it.each<[string, object]>([
  ["x-nullable", { type: "string", "x-nullable": true }],
  ["nullable", { type: "string", nullable: "true" }],
  ["nullable", { type: "string", nullable: true }],
])("%s has no effect", (keyword, schema) => {
  expect(found(property(schema))).toEqual(at("no-effect", keyword));
});

it.each([
  ["https://json-schema.org/draft-07/schema", true],
  ["http://json-schema.org/draft/2020-12/schema", true],
  ["http://json-schema.org/draft-07/schema#", false],
  ["http://json-schema.org/draft-07/schema", false],
  ["https://json-schema.org/draft/2020-12/schema", false],
] as const)("the spelling of a dialect: %s", ($schema, isOdd) => {
  const expected = isOdd ? ["warning dialect-spelling /inputSchema/$schema"] : [];
  expect(found({ $schema, type: "object" })).toEqual(expected);
});

describe("the root of an output schema", () => {
  const root = ["warning output-root /outputSchema"];
  it.each<[object, readonly string[]]>([
    [{ type: "object" }, []],
    [{ oneOf: [{ type: "object" }] }, root],
    [{ type: ["null", "array"] }, root],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "object" } } }, root],
    [{}, root],
  ])("%j", (outputSchema, expected) => {
    expect(found({ type: "object" }, { outputSchema })).toEqual(expected);
    expect(found({ type: "object" }, { outputSchema }, "2026-07-28")).toEqual([]);
  });
});
