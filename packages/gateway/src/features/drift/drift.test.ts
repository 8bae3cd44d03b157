import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addToShape,
  emptyShape,
  mergeShapes,
  shapeBudgetFor,
  shapeCount,
} from "../../../../records/src/drift/shape.ts";
import { readShape, writeShape } from "../../../../records/src/drift/shape-text.ts";
import { findDrift } from "./drift.ts";
import { proposeSchema } from "./propose.ts";
import { schemaOf } from "./schema-of.ts";
import { shapeOf } from "./testing/shapes.ts";

const WEATHER = {
  type: "object",
  required: ["temperature", "unit"],
  properties: {
    temperature: { type: "number" },
    unit: { type: "string" },
    humidity: { type: "number" },
    days: { type: "array", items: { type: "object", properties: { at: { type: "string" } } } },
  },
};

describe("drift", () => {
  it("reports members that never came, were missing, are undeclared, or have another type", () => {
    const shape = shapeOf(
      { temperature: 5, unit: "C", wind: 3, days: [{ at: "mon" }, { at: 5, rain: true }] },
      { temperature: "5", wind: { speed: 3 } },
    );
    expect(findDrift(WEATHER, shape)).toEqual({
      results: 2,
      refused: 0,
      partial: false,
      findings: [
        {
          kind: "other_type",
          path: "/temperature",
          count: 1,
          of: 2,
          types: ["string"],
          declared: ["number"],
        },
        { kind: "sometimes_missing", path: "/unit", count: 1, of: 2, required: true },
        { kind: "never_came", path: "/humidity", count: 2, of: 2, required: false },
        {
          kind: "other_type",
          path: "/days/*/at",
          count: 1,
          of: 2,
          types: ["integer"],
          declared: ["string"],
        },
        { kind: "undeclared", path: "/days/*/rain", count: 1, of: 2, types: ["boolean"] },
        { kind: "undeclared", path: "/wind", count: 2, of: 2, types: ["integer", "object"] },
      ],
    });
    expect(proposeSchema(WEATHER, shape).schema).toEqual({
      type: "object",
      required: ["temperature"],
      properties: {
        temperature: { type: ["number", "string"] },
        unit: { type: "string" },
        humidity: { type: "number" },
        days: {
          type: "array",
          items: {
            type: "object",
            properties: { at: { type: ["string", "integer"] }, rain: { type: "boolean" } },
          },
        },
        wind: {
          type: ["integer", "object"],
          properties: { speed: { type: "integer" } },
          required: ["speed"],
        },
      },
    });
  });

  it("handles a schema with more branches than a call takes arguments", () => {
    const findings = [{ kind: "never_came", path: "/a", count: 1, of: 1, required: false }];
    const schema = { allOf: [{ properties: { a: {} } }, ...Array<object>(500_000).fill({})] };
    expect(findDrift(schema, shapeOf({}))).toMatchObject({ findings });
  });

  it("follows references and allOf, and reports keywords that it cannot compare", () => {
    const schema = {
      $defs: { base: { properties: { id: { type: "integer" } } } },
      allOf: [{ $ref: "#/$defs/base" }, { required: ["id"], anyOf: [{}] }],
    };
    const drift = findDrift(schema, shapeOf({ id: "7", more: 1 }));
    expect(drift.partial).toBe(true);
    expect(drift.findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "other_type /id",
      "undeclared /more",
    ]);
    const { $defs, ...rest } = schema;
    const seen = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    expect(proposeSchema(schema, shapeOf({ id: "7" }))).toEqual({
      schema: { $defs, anyOf: [rest, seen] },
      fits: true,
      unsure: [],
    });
    for (const bad of [true, null, 5, { $ref: "#" }, { properties: 5, required: "x" }]) {
      expect(() => proposeSchema(bad, shapeOf({ a: 1 }))).not.toThrow();
      expect(() => findDrift(bad, shapeOf({ a: 1 }))).not.toThrow();
    }
  });

  it.each([
    ["an encoded name", "#/$defs/a%20b", false, []],
    ["an index", "#/$defs/list/prefixItems/0", false, []],
    ["an anchor", "#place", true, ["undeclared /id"]],
    ["another document", "https://example.com/place", true, ["undeclared /id"]],
    ["nothing", "#/$defs/toString", true, ["undeclared /id"]],
  ])("follows a reference to %s, or reports that it cannot", (_, $ref, partial, told) => {
    const place = { $anchor: "place", properties: { id: {} } };
    const schema = { $defs: { "a b": place, list: { prefixItems: [place] } }, $ref };
    const drift = findDrift(schema, shapeOf({ id: 1 }));
    expect(drift.partial).toBe(partial);
    expect(drift.findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual(told);
  });

  it.each<[string, object, readonly unknown[]]>([
    [
      "a closed object with names that may be data",
      { additionalProperties: false },
      [{ "a b": 1 }],
    ],
    ["a closed object", { unevaluatedProperties: false }, [{ a: 1 }, { "x@y.z": 1 }]],
    ["what must not be there", { properties: { a: false } }, [{ a: [1] }]],
    ["an array that must be empty", { properties: { a: { items: false } } }, [{ a: [1, "2"] }]],
    ["listed values of another type", { properties: { a: { enum: ["x"] } } }, [{ a: 5 }]],
    ["a constant of another type", { properties: { a: { const: null } } }, [{ a: { b: 1 } }]],
    [
      "a reference",
      {
        $defs: { a: { type: "object", required: ["b"], additionalProperties: false } },
        properties: { a: { $ref: "#/$defs/a", description: "d" } },
      },
      [{ a: { c: 1 } }, { a: 5 }],
    ],
    [
      "a reference to itself",
      { properties: { a: { $ref: "#" } }, additionalProperties: false },
      [{ a: { a: { b: 1 } } }],
    ],
    [
      "parts",
      { properties: { a: { allOf: [{ type: "string" }], description: "d" } } },
      [{ a: 1 }, { a: "x" }],
    ],
  ])("proposes a schema that fits instead of %s", (_, schema, values) => {
    const { schema: value, fits } = proposeSchema(schema, shapeOf(...values));
    const compiled = compileDeclared({ value });
    expect(compiled.error).toBeUndefined();
    for (const each of values) expect(compiled.isValid(each)).toBe(true);
    expect(fits).toBe(true);
  });

  it("reports members with unrecorded names, and not as missing", () => {
    const declared = { properties: { "first name": {}, a: {} }, required: ["first name"] };
    const shape = shapeOf({ "first name": "x", "/srv": 1 }, { a: 1 });
    const unnamed = { kind: "unnamed", path: "", count: 2, of: 2 };
    expect(findDrift(declared, shape).findings).toEqual([unnamed]);
    expect(findDrift({ ...declared, additionalProperties: {} }, shape).findings).toEqual([]);
    expect(findDrift({ ...declared, additionalProperties: false }, shape).findings).toEqual([
      { ...unnamed, closed: true },
    ]);
    expect(proposeSchema(declared, shape).schema).toEqual({
      properties: declared.properties,
      additionalProperties: true,
    });
  });

  it("stores no value, and no name that could be one", () => {
    const shape = shapeOf({
      name: "a secret",
      byAddress: { "someone@example.com": 1, "/srv/data": 2, "2026-01-01": 3, ok_name: 4 },
    });
    const text = writeShape(shape);
    for (const secret of ["secret", "someone", "/srv", "2026"]) expect(text).not.toContain(secret);
    expect(text).toContain("ok_name");
    expect(readShape(text).members.get("byAddress")?.unnamed).toBe(3);
  });

  it("examines the sampled items of a long array", () => {
    const schema = { properties: { rows: { type: "array", items: { type: "integer" } } } };
    const rows = Array.from({ length: 5_000 }, (_, i) => i);
    const last = { rows: [...rows, "late"] };
    const wrong = { kind: "other_type", path: "/rows/*", types: ["string"], declared: ["integer"] };
    expect(findDrift(schema, shapeOf(last)).findings).toEqual([{ ...wrong, count: 1, of: 50 }]);
    const half = { rows: [...rows, ...rows.map(String), ...rows] };
    expect(findDrift(schema, shapeOf(half)).findings).toEqual([{ ...wrong, count: 10, of: 50 }]);
    const one = { rows: rows.map((i) => (i === 777 ? "x" : i)) };
    const many = shapeOf(...Array<object>(300).fill(one));
    expect(findDrift(schema, many).findings).toMatchObject([{ ...wrong, of: 300 * 50 }]);
  });

  it("ignores values below its depth limit", () => {
    const node = { properties: { a: { $ref: "#" }, id: {} }, required: ["id"] };
    let value: unknown = { id: 8 };
    for (let id = 7; id > 0; id -= 1) value = { id, a: value };
    const deep = shapeOf({ id: 0, a: value });
    expect(findDrift(node, deep).findings).toEqual([]);
    expect(proposeSchema(node, deep)).toEqual({
      schema: node,
      fits: false,
      unsure: ["depth"],
    });
    expect(proposeSchema({}, deep).fits).toBe(true);
  });

  it.each<[string, object, object, string | undefined]>([
    [
      "what one of them refuses",
      {
        allOf: [{ properties: { a: {} }, additionalProperties: false }, { properties: { b: {} } }],
      },
      { a: 1, b: 1 },
      "undeclared /b",
    ],
    [
      "members that several of them name",
      { allOf: [{ properties: { a: {} } }, { properties: { a: { type: "string" } } }] },
      { a: 1 },
      "other_type /a",
    ],
    [
      "items of which several of them tell",
      { properties: { a: { items: {}, allOf: [{ items: { type: "string" } }] } } },
      { a: [1] },
      "other_type /a/*",
    ],
    [
      "types of which one is part of another",
      { properties: { a: { type: "number", allOf: [{ type: ["integer", "null"] }] } } },
      { a: 1 },
      undefined,
    ],
    [
      "names that one of them refuses, where another takes them",
      { additionalProperties: {}, allOf: [{ additionalProperties: false }] },
      { "a b": 1 },
      "unnamed ",
    ],
  ])("for combined schemas reports %s", (_, schema, value, told) => {
    const { findings } = findDrift(schema, shapeOf(value));
    expect(findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual(told ? [told] : []);
    expect(compileDeclared({ value: schema }).isValid(value)).toBe(findings.length === 0);
  });

  it("stays bounded", () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`a${i}`, Object.fromEntries([[`b${i}`, [[i]]]])]),
    );
    const shape = shapeOf(many);
    for (let i = 0; i < 50; i += 1)
      addToShape(shape, { [`more${i}`]: many }, shapeBudgetFor(shape));
    expect(shapeCount(shape)).toBeLessThanOrEqual(1_000);
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    expect(shapeCount(shapeOf(deep))).toBe(8);
    expect(readShape(`{"n":1,"t":{},"m":${JSON.stringify("x".repeat(10))}}`).count).toBe(1);
    expect(readShape("no json").count).toBe(0);
  });

  it("proposes a schema that accepts all values, in whatever order they were merged", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), value, (values, schema) => {
        const whole = shapeOf(...values);
        const parts = emptyShape();
        for (const each of values)
          mergeShapes(parts, readShape(writeShape(shapeOf(each))), shapeBudgetFor(parts));
        expect(findDrift(schema, parts).results).toBe(values.length);
        expect(writeShape(parts)).toBe(writeShape(whole));
        const compiled = compileDeclared({ value: schemaOf(whole) });
        expect(compiled.error).toBeUndefined();
        for (const each of values) expect(compiled.isValid(each)).toBe(true);
        const proposed = compileDeclared({
          value: proposeSchema({ type: "object" }, whole).schema,
        });
        for (const each of values) expect(proposed.isValid(each)).toBe(true);
      }),
    );
  });
});
