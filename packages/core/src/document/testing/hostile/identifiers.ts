import { type HostileCase, many, object, row } from "./case.ts";

/** Identifiers, and pointers, that are many or long. */
export const IDENTIFIER_CASES: readonly HostileCase[] = [
  row(
    "9,000 $ids one in another",
    () => ({ $defs: object(9_000, (i) => ({ $id: `http://x/${i}/`, $anchor: `a${i}` })) }),
    () => "1",
    /pass/,
  ),
  row(
    "$ids 120 deep, each relative to the one around",
    () => {
      let schema: unknown = { $id: "a/" };
      for (let i = 0; i < 120; i += 1) schema = { $id: `${"b".repeat(4_000)}/`, not: schema };
      return schema;
    },
    () => "1",
    /uncompilable/,
  ),
  row(
    "9,000 times the same $id, asked for 5,000 times",
    () => ({
      $defs: object(5_000, () => ({ $id: "http://x/a", type: "string" })),
      allOf: many(4_000, () => ({ $ref: "http://x/a" })),
    }),
    () => "1",
    /violation|uncompilable|budget/,
  ),
  row(
    "5,000 times the same $anchor, asked for 4,000 times",
    () => ({
      $defs: object(5_000, () => ({ $anchor: "a", type: "string" })),
      allOf: many(4_000, () => ({ $ref: "#a" })),
    }),
    () => "1",
    /violation|uncompilable|budget/,
  ),
  row(
    "a $id of 1 MB",
    () => ({ $id: `http://x/${"a".repeat(1_000_000)}` }),
    () => "1",
    /uncompilable/,
  ),
  row(
    "a $id of 1 MB of dot segments",
    () => ({ $id: `http://x/${"a/../".repeat(200_000)}`, $ref: "b", $defs: { b: { $id: "b" } } }),
    () => "1",
    /pass|uncompilable/,
  ),
  row(
    "a $id of 1 MB of percent escapes",
    () => ({ $id: `http://x/${"%41%zz".repeat(160_000)}` }),
    () => "1",
    /pass|uncompilable/,
  ),
  row(
    "5,000 references against a $id of 500 KB",
    () => ({
      $id: `http://x/${"a/".repeat(250_000)}`,
      $defs: { b: { $id: "b" } },
      allOf: many(5_000, () => ({ $ref: "b" })),
    }),
    () => "1",
    /pass|uncompilable/,
  ),
  row(
    "an escaped pointer of 1 MB",
    () => ({ $ref: `#/${"~1".repeat(500_000)}` }),
    () => "1",
    /uncompilable/,
  ),
  row(
    "an escaped pointer of 1 MB that leads somewhere",
    () => ({
      $defs: { ["/".repeat(300_000)]: { properties: object(100, () => ({ type: "string" })) } },
      $ref: `#/$defs/${"~1".repeat(300_000)}`,
    }),
    () => "1",
    /pass|uncompilable/,
  ),
  row(
    "9,000 subschemas below a name of 900 KB",
    () => ({
      properties: { ["%/~é".repeat(100_000)]: { anyOf: many(9_000, (i) => ({ const: i })) } },
    }),
    () => "1",
    /pass|uncompilable/,
  ),
  row(
    "a pointer of 500,000 tokens",
    () => ({ $ref: `#${"/a".repeat(400_000)}` }),
    () => "1",
    /uncompilable/,
  ),
  row(
    "10,000 pointers of 80 tokens",
    () => {
      let target: unknown = { type: "string" };
      for (let i = 0; i < 40; i += 1) target = { properties: { a: target } };
      return {
        $defs: { t: target },
        anyOf: many(1_500, () => ({ $ref: `#/$defs/t${"/properties/a".repeat(40)}` })),
      };
    },
    () => "1",
    /violation/,
  ),
  row(
    "references into something that is not a schema, each by its own way",
    () => ({
      x: Object.fromEntries(many(4_000, (i) => [`k${i}`, { y: { type: "string" } }])),
      allOf: many(4_000, (i) => ({ $ref: `#/x/k${i}/y` })),
    }),
    () => "1",
    /violation/,
  ),
];
