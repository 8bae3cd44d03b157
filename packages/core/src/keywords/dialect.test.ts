import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { DIALECTS, dialectOf, metaschemaUri } from "./dialect.ts";

describe("dialectOf", () => {
  it.each(DIALECTS)("recognizes the metaschema of %s", (dialect) => {
    const uri = metaschemaUri(dialect);
    for (const spelling of [
      uri,
      `${uri}#`,
      uri.replace(/^https?/, "https"),
      uri.replace(/^https?/, "http"),
    ]) {
      expect(dialectOf(spelling)).toBe(dialect);
    }
  });

  it.each([
    "",
    "2020-12",
    "http://json-schema.org/schema#",
    "http://json-schema.org/draft-03/schema#",
    "http://json-schema.org/draft-07/schema##",
    "ftp://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2020-12/schema/",
    "constructor",
  ])("recognizes no dialect in %j", (uri) => {
    expect(dialectOf(uri)).toBeUndefined();
    expect(compileDeclared({ value: { $schema: uri } }).error).toMatchObject({
      code: "unknown_dialect",
      path: "/$schema",
    });
  });
});

const D4 = "http://json-schema.org/draft-04/schema#";
const D6 = "http://json-schema.org/draft-06/schema#";
const D7 = "http://json-schema.org/draft-07/schema#";
const D2019 = "https://json-schema.org/draft/2019-09/schema";
const D2020 = "https://json-schema.org/draft/2020-12/schema";

// Parsed from a text, because an object literal with a key "then" looks like a promise.
const IF_THEN: object = JSON.parse('{"if":true,"then":false}');

describe("the rules of each dialect", () => {
  it.each([
    ["draft-04 exclusive limit", { $schema: D4, maximum: 3, exclusiveMaximum: true }, 3, false],
    ["draft-04 exclusive limit", { $schema: D4, maximum: 3, exclusiveMaximum: true }, 2, true],
    [
      "draft-04 id",
      {
        $schema: D4,
        id: "http://x/a",
        items: { $ref: "http://x/a#/definitions/n" },
        definitions: { n: { type: "number" } },
      },
      ["a"],
      false,
    ],
    ["draft-04 has no const", { $schema: D4, const: 1 }, 2, true],
    ["draft-04 has no if", { $schema: D4, ...IF_THEN }, 2, true],
    [
      "draft-04 keeps a definition named const",
      { $schema: D4, definitions: { const: { type: "null" } }, $ref: "#/definitions/const" },
      2,
      false,
    ],
    [
      "draft-04 $ref hides what is beside it",
      { $schema: D4, definitions: { a: {} }, $ref: "#/definitions/a", type: "null" },
      2,
      true,
    ],
    ["draft-06 const", { $schema: D6, const: 1 }, 2, false],
    ["draft-06 has no if", { $schema: D6, ...IF_THEN }, 2, true],
    ["draft-06 any value of if", { $schema: D6, if: 5 }, 2, true],
    ["draft-06 metaschema", { $schema: D6, $ref: D6 }, { type: 5 }, false],
    [
      "draft-07 definitions",
      { $schema: D7, definitions: { a: { type: "null" } }, $ref: "#/definitions/a" },
      2,
      false,
    ],
    ["draft-07 if", { $schema: D7, if: { type: "number" }, else: false }, "a", false],
    [
      "draft-07 has no id",
      { $schema: D7, id: 5, properties: { id: { type: "null" } } },
      { id: 1 },
      false,
    ],
    [
      "draft-07 tuple",
      { $schema: D7, items: [{ type: "number" }], additionalItems: false },
      [1, 2],
      false,
    ],
    ["draft-07 metaschema", { $schema: D7, $ref: D7 }, { type: "number" }, true],
    [
      "2019-09 $recursiveRef",
      {
        $schema: D2019,
        $recursiveAnchor: true,
        type: "object",
        additionalProperties: { $recursiveRef: "#" },
      },
      { a: { b: 1 } },
      false,
    ],
    [
      "2019-09 $recursiveRef",
      {
        $schema: D2019,
        $recursiveAnchor: true,
        type: "object",
        additionalProperties: { $recursiveRef: "#" },
      },
      { a: { b: {} } },
      true,
    ],
    [
      "2019-09 dependentRequired",
      { $schema: D2019, dependentRequired: { a: ["b"] } },
      { a: 1 },
      false,
    ],
    ["2019-09 has no $dynamicRef", { $schema: D2019, $dynamicRef: "elsewhere" }, 1, true],
    [
      "2020-12 prefixItems",
      { $schema: D2020, prefixItems: [{ type: "number" }], items: false },
      [1, 2],
      false,
    ],
    [
      "2020-12 $dynamicRef",
      {
        $schema: D2020,
        $dynamicAnchor: "node",
        type: "object",
        additionalProperties: { $dynamicRef: "#node" },
      },
      { a: { b: 1 } },
      false,
    ],
    ["2020-12 by default", { prefixItems: [{ type: "number" }] }, ["a"], false],
    ["2020-12 empty enum", { enum: [] }, null, false],
  ])("%s: %j", (_name, schema, value, valid) => {
    const compiled = compileDeclared({ value: schema });
    expect(compiled.error).toBeUndefined();
    expect(compiled.validateText(JSON.stringify(value)).valid).toBe(valid);
    expect(compiled.validate(value).valid).toBe(valid);
  });

  it.each([
    ["draft-04", "uncompilable"],
    ["draft-06", "pass"],
  ] as const)(
    "with %s as the default dialect, checks by the schema true end as %s",
    (dialect, outcome) => {
      expect(compileDeclared({ text: "true" }, { dialect }).validateText("1").outcome).toBe(
        outcome,
      );
    },
  );

  it("uses the caller's dialect if the schema names none", () => {
    const tuple = { items: [{ type: "number" }] };
    expect(compileDeclared({ value: tuple }).error?.code).toBe("metaschema");
    const compiled = compileDeclared({ value: tuple }, { dialect: "draft-07" });
    expect(compiled.dialect).toBe("draft-07");
    expect(compiled.validateText('["a"]').valid).toBe(false);
    const own = compileDeclared({ value: { $schema: D4 } }, { dialect: "draft-07" });
    expect(own.dialect).toBe("draft-04");
  });
});

describe("a resource that names a dialect of its own", () => {
  const outer = {
    $defs: { a: { id: "http://x/a", $schema: D4, minimum: 1, exclusiveMinimum: true } },
  };
  it("is checked by that dialect's metaschema, however its name is escaped", () => {
    const text = JSON.stringify(outer);
    for (const each of [
      text,
      text.replace("$schema", "\\u0024schema"),
      text.replace("schema", "sche\\u006da"),
    ]) {
      expect(compileDeclared({ text: each }).error).toBeUndefined();
    }
    const plain = { $defs: { a: { id: "http://x/a", minimum: 1, exclusiveMinimum: true } } };
    expect(compileDeclared({ value: plain }).error?.code).toBe("metaschema");
    expect(compileDeclared({ value: { $schema: D2020, ...outer } }).error).toBeUndefined();
  });
});
