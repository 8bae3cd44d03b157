import { compileDeclared } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { samplePositions } from "../../../../records/src/drift/sample-positions.ts";
import { emptyShape, mergeShapes, shapeBudgetFor } from "../../../../records/src/drift/shape.ts";
import { writeShape } from "../../../../records/src/drift/shape-text.ts";
import { findDrift } from "./drift.ts";
import { proposeSchema } from "./propose.ts";
import { judgedBy, shapeOf } from "./testing/shapes.ts";

const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const of = (a: object): object => ({ type: "object", properties: { a } });

describe("values that violate keywords beyond types and names", () => {
  it.each<[object, readonly unknown[], string, unknown, object]>([
    [of({ type: "number", minimum: 5 }), [{ a: 3 }, { a: 7 }], "/a", "minimum", { type: "number" }],
    [
      of({ type: "string", maxLength: 2, pattern: "^x" }),
      [{ a: "y" }, { a: "xx" }],
      "/a",
      "pattern",
      { type: "string", maxLength: 2 },
    ],
    [of({ type: "string", format: "date" }), [{ a: "soon" }], "/a", "format", { type: "string" }],
    [of({ minItems: 2 }), [{ a: [] }], "/a", "minItems", {}],
    [
      of({ type: "array", items: { multipleOf: 2 } }),
      [{ a: [1, 2, 3] }],
      "/a/*",
      "multipleOf",
      { type: "array", items: {} },
    ],
    [
      of({ enum: ["x"] }),
      [{ a: "y" }, { a: "x" }],
      "/a",
      "enum",
      { anyOf: [{ enum: ["x"] }, { type: "string" }] },
    ],
    [
      { $schema: DRAFT_04, ...of({ minimum: 5, exclusiveMinimum: true, maximum: 9 }) },
      [{ a: 5 }],
      "/a",
      "minimum",
      { maximum: 9 },
    ],
  ])(
    "are reported %j, with a proposed schema that accepts them",
    (schema, values, path, keyword, a) => {
      const shape = judgedBy(schema, ...values);
      const { findings, refused } = findDrift(schema, shape);
      const all = values.length;
      expect(refused).toBe(1);
      expect(findings).toMatchObject([{ kind: "other_value", path, keyword, count: 1, of: all }]);
      const proposal = proposeSchema(schema, shape);
      expect(proposal).toMatchObject({ fits: true, schema: { ...schema, properties: { a } } });
      expect((proposal.schema as { properties: { a: object } }).properties.a).toEqual(a);
      const compiled = compileDeclared({ value: proposal.schema });
      for (const value of values) expect(compiled.isValid(value)).toBe(true);
    },
  );

  it("are reported with the keyword's value", () => {
    const schema = of({ minimum: 5 });
    const [finding] = findDrift(schema, judgedBy(schema, { a: 3 })).findings;
    expect(finding).toEqual({
      kind: "other_value",
      path: "/a",
      count: 1,
      of: 1,
      keyword: "minimum",
      says: 5,
    });
  });

  it("remove the keyword from the definition that they violate", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/age" }, b: { $ref: "#/$defs/age" } },
      $defs: { age: { type: "integer", minimum: 0 } },
    };
    expect(proposeSchema(schema, judgedBy(schema, { a: 1, b: -1 }))).toMatchObject({
      schema: { ...schema, $defs: { age: { type: "integer" } } },
      fits: true,
    });
  });

  it("are counted per result, and are not stored themselves", () => {
    const schema = of({ type: "array", items: { maxLength: 3, enum: ["x"] } });
    const shape = judgedBy(schema, { a: ["secret", "secret2"] });
    expect(findDrift(schema, shape).findings).toMatchObject([
      { path: "/a/*", keyword: "maxLength", count: 1, of: 1 },
      { path: "/a/*", keyword: "enum", count: 1, of: 1 },
    ]);
    expect(writeShape(shape)).not.toContain("secret");
  });

  it("give the same shape in whatever order results are merged", () => {
    const schema = of({ type: "array", items: { minimum: 0, not: { const: 7 } } });
    const values = [{ a: [-1, 7] }, { a: [-2, -3] }, { a: [1] }, { a: "x" }];
    const parts = emptyShape();
    for (const value of values) mergeShapes(parts, judgedBy(schema, value), shapeBudgetFor(parts));
    expect(writeShape(parts)).toBe(writeShape(judgedBy(schema, ...values)));
    expect(parts).toMatchObject({ count: 4, passed: 1, refused: 3, told: 4 });
  });

  it("are found among items that were not sampled", () => {
    const schema = of({ items: { minimum: 0 } });
    const a = Array.from({ length: 5_000 }, (_, i) => (i === 777 ? -1 : i));
    expect(findDrift(schema, judgedBy(schema, { a })).findings).toMatchObject([
      { path: "/a/*", keyword: "minimum", count: 1, of: 1 },
    ]);
  });
});

describe("whether a proposed schema fits", () => {
  const schema = of({ type: "number", minimum: 5 });

  it("is certain for limits if all results were checked and accepted", () => {
    expect(proposeSchema(schema, judgedBy(schema, { a: 7, b: 1 })).fits).toBe(true);
    const conditions = { dependentSchemas: { a: { minProperties: 2 } } };
    expect(proposeSchema(conditions, judgedBy(conditions, {}))).toEqual({
      schema: conditions,
      fits: true,
      unsure: [],
    });
  });

  it("is uncertain for limits if some results were not checked", () => {
    const shape = judgedBy(schema, { a: 7 });
    mergeShapes(shape, shapeOf({ a: 7 }), shapeBudgetFor(shape));
    expect(proposeSchema(schema, shape)).toEqual({ schema, fits: false, unsure: ["values"] });
    expect(proposeSchema(of({ type: "number" }), shape).fits).toBe(true);
  });

  it("is uncertain for limits if a list of issues was cut", () => {
    const list = {
      type: "object",
      properties: { a: { items: { type: "string" } }, z: { minimum: 5 } },
    };
    const shape = judgedBy(list, { a: Array<number>(2_000).fill(1), z: 1 });
    expect(proposeSchema(list, shape)).toMatchObject({ fits: false, unsure: ["items", "values"] });
  });

  it("is uncertain for items that were not sampled", () => {
    const list = of({ type: "array", items: { type: "integer" } });
    const looked = samplePositions(60, 50, 1);
    const unseen = looked.findIndex((at, i) => at !== i);
    const rows = Array.from({ length: 60 }, (_, i) => (i === unseen ? "x" : i));
    const shape = judgedBy(list, { a: rows });
    expect(proposeSchema(list, shape)).toEqual({ schema: list, fits: false, unsure: ["items"] });
  });

  const ROW = { type: "object", properties: { id: { type: "integer", minimum: 0 } } };
  const ROWS = { type: "array", items: ROW };
  const LISTED = { rows: ROWS, n: { type: "string" } };
  const REFERRED = { rows: { items: { $ref: "#/$defs/Row" } }, n: { type: "string" } };
  const DEFINED = { properties: REFERRED, $defs: { Row: ROW } };
  const rows = (last: object = { id: 1 }) => [...Array<object>(199).fill({ id: 1 }), last];
  it.each<[string, object, object, boolean]>([
    [
      "were taken, and are declared as before",
      { properties: LISTED },
      { rows: rows(), n: 1 },
      true,
    ],
    ["were taken, by a definition as before", DEFINED, { rows: rows(), n: 1 }, true],
    ["were refused", { properties: LISTED }, { rows: rows({ id: -1 }), n: 1 }, false],
    ["had what was not declared", { properties: LISTED }, { rows: rows({ x: 1 }), n: 1 }, false],
    [
      "are declared by a definition that is corrected elsewhere",
      { ...DEFINED, properties: { ...REFERRED, n: { $ref: "#/$defs/Row" } } },
      { rows: rows(), n: { x: 1 } },
      false,
    ],
    [
      "are declared by a definition that leads to what is corrected",
      {
        properties: { rows: REFERRED.rows, n: { properties: { id: { type: "integer" } } } },
        $defs: { Row: { $ref: "#/properties/n" } },
      },
      { rows: rows(), n: { x: 1 } },
      false,
    ],
    ["are of a list that is not declared", { properties: {} }, { rows: rows() }, false],
    [
      "may have been taken by another branch",
      { properties: { rows: { anyOf: [ROWS, { items: true, minItems: 500 }] }, n: false } },
      { rows: rows(), n: 1 },
      false,
    ],
  ])("is decided for items of long arrays that %s: %#", (_, declared, value, isKnown) => {
    const shape = judgedBy(declared, value);
    const { schema: proposed, fits } = proposeSchema(declared, shape);
    expect(proposed).not.toEqual(declared);
    expect(fits).toBe(isKnown);
  });

  it.each([
    ["const in draft-04", DRAFT_04, { const: null }],
    ["what stands beside a reference", DRAFT_07, { $ref: "#/definitions/any", type: "null" }],
  ])("is uncertain if a dialect ignores %s", (_, $schema, branch) => {
    const schema = { $schema, oneOf: [branch, { type: "string" }], definitions: { any: {} } };
    const shape = judgedBy(schema, { b: 1 });
    expect(shape.refused).toBe(0);
    const { fits, unsure } = proposeSchema(schema, shape);
    expect({ fits, unsure }).toEqual({ fits: false, unsure: ["parts"] });
  });

  it("is uncertain if the schema refused a part that is not compared", () => {
    const conditions = { type: "object", dependentSchemas: { a: { minProperties: 2 } } };
    const shape = judgedBy(conditions, { a: 1 });
    expect(findDrift(conditions, shape)).toMatchObject({ refused: 1, partial: true });
    expect(proposeSchema(conditions, shape)).toMatchObject({ fits: false, unsure: ["parts"] });
  });
});

describe("a combining keyword", () => {
  const RESULT = {
    oneOf: [
      { type: "object", properties: { ok: { const: true } }, required: ["ok", "value"] },
      { type: "object", properties: { ok: { const: false } }, required: ["ok", "error"] },
    ],
  };
  const LIMITS = [
    { type: "string", maxLength: 2 },
    { type: "string", pattern: "^x" },
  ];
  it.each<[string, object, readonly unknown[]]>([
    ["oneOf", RESULT, [{ ok: true, value: 1 }, { ok: false }]],
    ["oneOf", { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, [1, 5]],
    ["anyOf", { anyOf: LIMITS }, ["xyz", "abc", "a"]],
    ["anyOf", { allOf: [{ anyOf: LIMITS }, true] }, ["abc", "a"]],
    ["not", { type: "object", not: { required: ["a"] } }, [{ a: 1 }, {}]],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{ a: 1 }, {}]],
    ["contains", { type: "array", contains: { type: "null" } }, [[1], [null]]],
    ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ long: 1 }]],
  ])("is reported (%s) if a value violated it, and is corrected: %j", (keyword, schema, values) => {
    const shape = judgedBy(schema, ...values);
    const { findings } = findDrift(schema, shape);
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: "other_value", path: "", keyword, count: 1 }),
    );
    const { schema: value, fits } = proposeSchema(schema, shape);
    expect(fits).toBe(true);
    const compiled = compileDeclared({ value });
    for (const each of values) expect(compiled.isValid(each)).toBe(true);
  });
});
