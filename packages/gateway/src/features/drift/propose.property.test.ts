import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { shapeFit } from "./fit.ts";
import { proposeSchema } from "./propose.ts";
import { judged } from "./testing/shapes.ts";

const NULL = { type: "null" };
/** Annotations of a part, as generators of schemas write them. */
const title = fc.constantFrom<object>({}, { title: "T" }, { description: "d", default: null });
const REFERENCES = ["#/$defs/d", "#/$defs/e", "#", "#/properties/a"].map(($ref) => ({ $ref }));

/** Schemas as generators write them: types, members, references, and branches of which one is null. */
function trees(
  names: readonly string[],
  leaves: readonly unknown[],
  more: (tree: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>[],
) {
  return fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(true, {}, ...leaves),
      fc.record({ type: fc.constantFrom("string", "integer", "object", ["null", "number"]) }),
      fc.record(
        {
          type: fc.constantFrom("string", "integer", "number", ["null", "string"]),
          minimum: fc.constantFrom(0, 5),
          exclusiveMaximum: fc.constantFrom(1.5, 7),
          multipleOf: fc.constant(2),
          maxLength: fc.constantFrom(0, 2),
          pattern: fc.constant("^x"),
        },
        { requiredKeys: [] },
      ),
      fc.record({ enum: fc.subarray([null, 1, "a", 7, {}], { minLength: 1 }) }),
      fc.record(
        {
          type: fc.constant("array"),
          items: tie("tree"),
          minItems: fc.constant(2),
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: ["type", "items"] },
      ),
      fc.record(
        {
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom(...names), tie("tree")),
          required: fc.subarray([...names]),
          additionalProperties: fc.boolean(),
          maxProperties: fc.constantFrom(0, 1),
        },
        { requiredKeys: [] },
      ),
      fc
        .tuple(fc.constantFrom("anyOf", "oneOf"), tie("tree"), title, fc.boolean())
        .map(([keyword, of, about, first]) => ({
          [keyword]: first ? [NULL, of] : [of, NULL],
          ...about,
        })),
      fc
        .tuple(fc.constantFrom(...REFERENCES), title, fc.boolean())
        .map(([reference, about, isWrapped]) =>
          isWrapped ? { allOf: [reference], ...about } : { ...reference, ...about },
        ),
      ...more(tie("tree")),
    ),
  })).tree;
}

const common = trees(["a", "b", "e"], [], () => []);
const any = trees(
  ["a", "b", "c d"],
  [false, { const: null }, { enum: [1, "a"] }, { minimum: 1 }],
  (tree) => [
    fc.record({ anyOf: fc.array(tree, { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tree, { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tree, { minLength: 1, maxLength: 2 }) }),
    fc.record({ type: fc.constantFrom("object", "string"), anyOf: fc.tuple(tree, tree) }),
    fc.record({ $ref: fc.constant("#/$defs/d"), type: fc.constant("object") }),
    fc.record({ $ref: fc.constant("#/$defs/d"), properties: fc.record({ a: tree }) }),
    fc.record({ $ref: fc.constant("#/$defs/d"), minimum: fc.constant(5) }),
    fc.record({ allOf: fc.tuple(tree, fc.constant({ maxLength: 2 })), minimum: fc.constant(5) }),
    fc.record({ not: tree }),
    fc
      .tuple(tree, tree)
      .map((of) =>
        Object.fromEntries(["if", "then"].map((keyword, index) => [keyword, of[index]])),
      ),
    fc.record({ items: tree, contains: tree, maxContains: fc.constant(1) }),
    fc.record({ prefixItems: fc.tuple(tree), items: tree }),
    fc.record({ unevaluatedItems: tree, allOf: fc.tuple(tree) }),
    fc.record({ properties: fc.record({ a: tree }), additionalProperties: tree }),
    fc.record({ patternProperties: fc.record({ "^a": tree }), additionalProperties: fc.boolean() }),
    fc.record({ propertyNames: fc.constantFrom({ maxLength: 1 }, { enum: ["a"] }) }),
    fc.record({
      dependentSchemas: fc.record({ a: tree }),
      dependentRequired: fc.constant({ a: ["b"] }),
    }),
    fc.record({ allOf: fc.tuple(tree), unevaluatedProperties: fc.constant(false) }),
  ],
);

/** Longer than the part of an array that is read. */
const LONG = Array.from({ length: 60 }, (_, i) => i);
/** One item differs, at a place that may not be read. */
const LATE = [11, 21, 33, 45].map((at) => LONG.map((i) => (i === at ? "x" : i)));

function valuesOf(...leaves: readonly unknown[]) {
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(null, 1, 1.5, 7, -3, "a", "xyz", true, ...leaves),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c d", "e", "/f"), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
}

/** Dialects, some of which ignore keywords that others apply. */
const DIALECTS = [
  {},
  {},
  { $schema: "http://json-schema.org/draft-07/schema#" },
  { $schema: "http://json-schema.org/draft-04/schema#" },
];

/** A schema with definitions, and received values. */
const cases = (tree: fc.Arbitrary<unknown>, values: fc.Arbitrary<unknown>) =>
  fc.record({
    schema: fc
      .tuple(tree, tree, tree, fc.boolean(), fc.constantFrom(...DIALECTS))
      .map(([outer, d, e, isMember, dialect]) =>
        isMember || typeof outer !== "object"
          ? { ...dialect, type: "object", properties: { a: outer }, $defs: { d, e } }
          : { ...dialect, ...(outer as object), $defs: { d, e } },
      )
      // Makes each part a separate object, as after parsing.
      .map((schema): unknown => JSON.parse(JSON.stringify(schema))),
    came: fc.array(values, { minLength: 1, maxLength: 4 }),
  });

it.each([
  ["any schemas", cases(any, valuesOf(LONG, ...LATE)), false],
  ["schemas as generators write them", cases(common, valuesOf()), true],
])("for %s proposes a schema that accepts all results, if it claims to", (_, of, always) => {
  fc.assert(
    fc.property(of, ({ schema, came }) => {
      const declared = compileDeclared({ value: schema });
      fc.pre(declared.error === undefined);
      const { seen, shape } = judged(declared, came);
      expect(shapeFit(schema, shape, schema).fits).toBe(shape.refused === 0);
      if (shapeFit(schema, shape, undefined).fits) expect(shape.refused).toBe(0);
      const { schema: value, fits } = proposeSchema(schema, shape);
      const compiled = compileDeclared({ value });
      expect(compiled.error).toBeUndefined();
      // If two branches accept the same values, oneOf may refuse them.
      if (always && !JSON.stringify(schema).includes("oneOf")) expect(fits).toBe(true);
      if (!fits) return;
      for (const each of seen) {
        const { outcome } = compiled.validate(each);
        expect(outcome, JSON.stringify({ each, value })).toBe("pass");
      }
    }),
    { numRuns: sample(250, 1_000) },
  );
});
