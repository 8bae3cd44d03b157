import { deep, type HostileCase, many, nested, object, row } from "./case.ts";

export const VALUE_CASES: readonly HostileCase[] = [
  row(
    "uniqueItems on 100,000 objects",
    () => ({ uniqueItems: true }),
    () => JSON.stringify(many(100_000, (i) => ({ i }))),
    /pass|budget/,
  ),
  row(
    "uniqueItems on 30,000 objects of many keys",
    () => ({ uniqueItems: true }),
    () => JSON.stringify(many(5_000, (i) => object(30, (k) => `${i} ${k}`))),
    /pass|budget/,
  ),
  row(
    "nested uniqueItems",
    () => ({ uniqueItems: true, items: { $ref: "#" } }),
    () => nested("[[],[1],", "1", "]", 60),
    /pass|budget/,
  ),
  row(
    "100,000 failing items",
    () => ({ items: { type: "string" } }),
    () => JSON.stringify(many(100_000, () => 1)),
    /violation|budget/,
  ),
  row(
    "an unevaluatedProperties pile",
    () => {
      let schema: unknown = { properties: { a: true } };
      for (let i = 0; i < 100; i += 1) {
        schema = {
          anyOf: [schema, { properties: { [`b${i}`]: true } }],
          unevaluatedProperties: true,
        };
      }
      return { anyOf: [schema], unevaluatedProperties: false };
    },
    () => JSON.stringify(object(20_000, () => 1, "b")),
    /pass|budget/,
  ),
  row(
    "an unevaluatedItems pile",
    () => ({
      allOf: many(300, (i) => ({
        anyOf: [{ contains: { const: i } }, true],
        unevaluatedItems: true,
      })),
      unevaluatedItems: false,
    }),
    () => JSON.stringify(many(20_000, (i) => i)),
    /pass|violation|budget/,
  ),
  row(
    "9,000 unevaluatedProperties beside one another",
    () => ({
      properties: object(3_000, () => ({
        allOf: [{ $ref: "#/$defs/a" }],
        unevaluatedProperties: false,
      })),
      $defs: { a: { properties: object(3_000, () => true, "q") } },
    }),
    () => '{"p1":{"q1":1}}',
    /pass|budget/,
  ),
  row(
    "data 9,000 deep on a recursive schema",
    () => ({ properties: { a: { $ref: "#" } } }),
    () => deep(9_000),
    /pass|budget/,
  ),
  row(
    "an instance with own toString and valueOf",
    () => ({ enum: [{ a: 1 }], const: { toString: 1 } }),
    () => '{"toString":1,"valueOf":2}',
    /violation/,
  ),
  row(
    "10,000 contains on 1,000 items",
    () => ({ allOf: many(5_000, (i) => ({ contains: { const: i }, maxContains: 3 })) }),
    () => JSON.stringify(many(1_000, (i) => i % 7)),
    /violation|budget/,
  ),
  row(
    "numbers of 100,000 digits against multipleOf",
    () => ({ items: { multipleOf: 0.001 } }),
    () => `[${"7".repeat(100_000)}.5,1e-100000,1e100000]`,
    /violation|budget/,
  ),
  row(
    "1,000 numbers of 1,000 digits against 100 bounds",
    () => ({ items: { allOf: many(100, (i) => ({ minimum: i + 0.1 })) } }),
    () => JSON.stringify(many(1_000, () => 0)).replaceAll("0", `${"7".repeat(1_000)}.5`),
    /pass|budget/,
  ),
  row(
    "2,000 if-then-else in one another",
    () => {
      let schema: unknown = true;
      for (let i = 0; i < 120; i += 1) schema = { if: { const: i }, else: schema };
      return { items: schema };
    },
    () => JSON.stringify(many(3_000, () => -1)),
    /pass|budget/,
  ),
];
