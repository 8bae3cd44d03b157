import { compileSchema } from "@touchstone/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { proposeSchema } from "./propose.ts";
import { emptyShape, observe, roomFor } from "./shape.ts";

/** Schemas that say something of types and members, and of values only by listing them. */
const schemas = fc.letrec<{ leaf: unknown; tree: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<unknown>(
      true,
      false,
      {},
      { const: null },
      { enum: [1, "a"] },
      { $ref: "#/$defs/d" },
    ),
    fc.record({ type: fc.constantFrom("string", "integer", "object", ["null", "number"]) }),
  ),
  tree: fc.oneof(
    { depthSize: "small" },
    tie("leaf"),
    fc.record({ type: fc.constant("array"), items: tie("tree") }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b", "c d"), tie("tree")),
        required: fc.subarray(["a", "b", "c d"]),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.record({ anyOf: fc.tuple(tie("tree"), tie("tree")) }),
    fc.record({ allOf: fc.tuple(tie("tree")) }),
  ),
})).tree;

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, 1, 1.5, "a", "x", true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c d", "e", "/f"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

it("proposes what takes every value that came, where it says so", () => {
  fc.assert(
    fc.property(
      schemas,
      schemas,
      fc.array(values, { minLength: 1, maxLength: 4 }),
      (a, d, came) => {
        const schema = { type: "object", properties: { a }, $defs: { d } };
        const shape = emptyShape();
        const results = came.map((value) => ({ a: value }));
        for (const result of results) observe(shape, result, roomFor(shape));
        const proposed = proposeSchema(schema, shape);
        const compiled = compileSchema({ value: proposed.schema });
        // A reference that leads to itself alone takes nothing, and says nothing.
        fc.pre(!JSON.stringify(d).includes("$ref") && proposed.fits);
        expect(compiled.fault).toBeUndefined();
        for (const result of results) expect(compiled.isValid(result)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
