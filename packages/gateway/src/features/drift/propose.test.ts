import { compileDeclared } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { findDrift } from "./drift.ts";
import { proposeSchema } from "./propose.ts";
import { shapeOf } from "./testing/shapes.ts";

const POINT = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] };

it.each<[string, object, readonly unknown[], readonly string[], object]>([
  [
    "a reference into its definitions",
    { $ref: "#/$defs/P", $defs: { P: POINT } },
    [{ x: "1", y: 2 }],
    ["other_type /x", "undeclared /y"],
    {
      $ref: "#/$defs/P",
      $defs: {
        P: {
          ...POINT,
          properties: { x: { type: ["integer", "string"] }, y: { type: "integer" } },
        },
      },
    },
  ],
  [
    "references from several places to one definition, by what came at all of them",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/P" }, b: { $ref: "#/$defs/P", title: "B" } },
      $defs: { P: POINT },
    },
    [{ a: { x: 1 }, b: {} }, { a: { x: null } }],
    ["other_type /a/x", "never_came /b/x"],
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/P" }, b: { $ref: "#/$defs/P", title: "B" } },
      $defs: { P: { type: "object", properties: { x: { type: ["integer", "null"] } } } },
    },
  ],
  [
    "branches of which one takes what came, with that branch",
    { anyOf: [POINT, { type: "null" }] },
    [{ x: 1.5 }, null],
    ["other_type /x"],
    { anyOf: [{ ...POINT, properties: { x: { type: "number" } } }, { type: "null" }] },
  ],
  [
    "branches of which none takes what came, by one more",
    { oneOf: [POINT, { type: "null" }] },
    [{ x: 1 }, ["a"]],
    ["other_type "],
    { oneOf: [POINT, { type: "null" }, { type: "array", items: { type: "string" } }] },
  ],
  [
    "parts that are to be met together, beside them",
    { $defs: { P: POINT }, allOf: [{ $ref: "#/$defs/P" }, { required: ["y"] }] },
    [{ x: 1 }],
    ["never_came /y"],
    {
      $defs: { P: POINT },
      anyOf: [
        { allOf: [{ $ref: "#/$defs/P" }, { required: ["y"] }] },
        { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
      ],
    },
  ],
])("compares and corrects a root schema that is %s", (_, schema, values, told, proposed) => {
  const shape = shapeOf(...values);
  const { findings, partial } = findDrift(schema, shape);
  expect(findings.map(({ kind, path }) => `${kind} ${path}`)).toEqual(told);
  expect(partial).toBe(false);
  const proposal = proposeSchema(schema, shape);
  expect(proposal).toEqual({ schema: proposed, fits: true, unsure: [] });
  const compiled = compileDeclared({ value: proposal.schema });
  for (const value of values) expect(compiled.isValid(value)).toBe(true);
});

it("leaves a schema unchanged if a correction would move the target of a reference", () => {
  const schema = {
    allOf: [{ properties: { a: { type: "integer" }, b: { $ref: "#/allOf/0/properties/a" } } }, {}],
  };
  expect(proposeSchema(schema, shapeOf({ a: "x" }))).toEqual({
    schema,
    fits: false,
    unsure: [],
  });
});
