import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { compileDeclared } from "../compile.ts";
import type { RepairKind } from "./operation.ts";
import { type Repaired, repairValue } from "./repair.ts";

const ALL: readonly RepairKind[] = [
  "parse-json-strings",
  "coerce-scalars",
  "drop-nulls",
  "fill-defaults",
];

function mend(declared: object, value: unknown, repair = ALL): Repaired | undefined {
  const schema = compileDeclared({ value: declared });
  return repairValue({ schema, declared, value, check: schema.validate(value), repair });
}

const object = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const text = { type: "string" };
const whole = { type: "integer" };

describe("if a schema has branches", () => {
  it.each<[string, object, unknown, unknown, number]>([
    [
      "the first branch if all need as many repairs",
      { anyOf: [object({ a: text, b: text }), object({ a: whole, b: whole })] },
      { a: "1", b: 2 },
      { a: "1", b: "2" },
      1,
    ],
    [
      "the branch that needs fewer",
      { anyOf: [object({ a: text, b: text, c: text }), object({ a: whole, b: whole, c: whole })] },
      { a: "1", b: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
      1,
    ],
    [
      "the branch that its other members point to",
      {
        oneOf: [
          object({ kind: { const: "a" }, n: text, m: text }),
          object({ kind: { const: "b" }, n: whole, m: whole }),
        ],
      },
      { kind: "b", n: 5, m: "7" },
      { kind: "b", n: 5, m: 7 },
      1,
    ],
    [
      "another branch if the first cannot be repaired",
      {
        properties: {
          a: { anyOf: [{ type: "integer", minimum: 10 }, { type: "boolean" }, whole] },
        },
      },
      { a: "5" },
      { a: 5 },
      1,
    ],
    [
      "another branch if the rest of the schema forbids the first",
      {
        properties: { a: whole },
        anyOf: [object({ a: text, b: text }), object({ a: whole, c: text })],
      },
      { a: 5, b: 1, c: 1 },
      { a: 5, b: 1, c: "1" },
      1,
    ],
    [
      "a branch within the first branch",
      {
        anyOf: [
          {
            anyOf: [
              object({ a: { type: "integer", minimum: 9 } }),
              object({ a: { maxLength: 0, type: "integer" } }),
            ],
          },
          object({ z: text }),
        ],
      },
      { a: "5" },
      { a: 5 },
      1,
    ],
    [
      "branches behind references",
      {
        anyOf: [{ $ref: "#/$defs/texts" }, { $ref: "#/$defs/numbers" }],
        $defs: { texts: object({ a: text, b: text }), numbers: object({ a: whole, b: whole }) },
      },
      { a: "1", b: 2 },
      { a: "1", b: "2" },
      1,
    ],
    [
      "one branch for each item",
      {
        items: {
          anyOf: [
            { type: "integer", minimum: 10 },
            { type: "integer", maximum: 5 },
            { type: "array", items: text },
          ],
        },
      },
      ["12", "3", "[1]", "4", "5", "2", "1", "15"],
      [12, 3, ["1"], 4, 5, 2, 1, 15],
      9,
    ],
    [
      "no more than one branch if each lacks something with a default",
      { anyOf: [object({ a: { default: 1 } }), object({ b: { default: 2 } })] },
      {},
      { a: 1 },
      1,
    ],
  ])("repairs %s", (_which, declared, value, mended, operations) => {
    const before = JSON.stringify(value);
    const repaired = mend(declared, value);
    expect(repaired?.value).toEqual(mended);
    expect(repaired?.patch).toHaveLength(operations);
    expect(JSON.stringify(value)).toBe(before);
  });

  it.each<[string, object, unknown]>([
    [
      "all parts want different types",
      { allOf: [{ properties: { a: text } }, { properties: { a: whole } }] },
      { a: 5 },
    ],
    [
      "one branch undoes the other",
      {
        properties: {
          a: {
            anyOf: [
              { ...text, maxLength: 0 },
              { ...whole, minimum: 10 },
            ],
          },
        },
      },
      { a: "5" },
    ],
    ["a default is refused", object({ a: { ...text, minLength: 1, default: null } }), {}],
  ])("stops at once if %s", (_why, declared, value) => {
    const schema = compileDeclared({ value: declared });
    const check = schema.validate(value);
    const checkValue = vi.fn(schema.validate);
    const watched = { ...schema, checkValue };
    const given = { schema: watched, declared, value, check };
    expect(repairValue({ ...given, repair: ALL })).toBeUndefined();
    expect(checkValue.mock.calls.length).toBeLessThanOrEqual(4);
  });

  it("limits the number of attempts", () => {
    const branches = Array.from({ length: 40 }, (_, i) => ({ ...whole, minimum: i + 10 }));
    const names = Array.from({ length: 4 }, (_, i) => `p${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, { anyOf: branches }]));
    const value = Object.fromEntries(names.map((name) => [name, "5"]));
    const schema = compileDeclared({ value: { properties } });
    const checkValue = vi.fn(schema.validate);
    const given = { declared: { properties }, value, check: schema.validate(value), repair: ALL };
    expect(repairValue({ ...given, schema: { ...schema, validate: checkValue } })).toBeUndefined();
    expect(checkValue.mock.calls.length).toBeLessThanOrEqual(32);
  });

  it("repairs a branch that only scalars keep from matching, and repeats no operation", () => {
    const scalar = fc.constantFrom<readonly [object, unknown]>(
      [text, "x"],
      [text, "12"],
      [whole, 7],
      [{ type: "boolean" }, true],
      [{ enum: ["c", "f"] }, "c"],
      [{ type: "number", maximum: 9 }, 1.5],
    );
    const members = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), scalar, { minKeys: 1 });
    const branches = fc.array(members, { minLength: 1, maxLength: 4 });
    const written = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(branches, fc.nat(), written, fc.boolean(), (all, which, asText, nested) => {
        const anyOf = all.map((one) => ({
          ...object(
            Object.fromEntries(Object.entries(one).map(([key, [schema]]) => [key, schema])),
          ),
          additionalProperties: false,
        }));
        const meant = Object.entries(all[which % all.length] ?? {});
        const one = Object.fromEntries(
          meant.map(([key, [, value]]) => {
            const isText = typeof value !== "string" && asText.next().value === true;
            return [key, isText ? String(value) : value];
          }),
        );
        const declared = nested ? { properties: { in: { anyOf } } } : { anyOf };
        const value = nested ? { in: one } : one;
        const schema = compileDeclared({ value: declared });
        if (schema.isValid(value)) return;
        const repaired = mend(declared, value);
        expect(schema.isValid(repaired?.value)).toBe(true);
        const paths = repaired?.patch.map(({ path }) => path) ?? [];
        expect(new Set(paths).size).toBe(paths.length);
      }),
      { numRuns: 200 },
    );
  });
});
