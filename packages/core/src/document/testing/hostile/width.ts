import { type HostileCase, many, object, row } from "./case.ts";

export const WIDTH_CASES: readonly HostileCase[] = [
  ...[1_000, 5_000].map((count) =>
    row(
      `${count} properties`,
      () => ({ type: "object", properties: object(count, () => ({ type: "string" })) }),
      () => '{"p1":1}',
      /violation/,
    ),
  ),
  row(
    "20,000 flat anyOf branches",
    () => ({ anyOf: many(19_999, (i) => ({ const: i })) }),
    () => "-1",
    /violation/,
  ),
  row(
    "9,000 oneOf branches of objects",
    () => ({ oneOf: many(9_000, (i) => ({ properties: { a: { const: i } } })) }),
    () => '{"a":-1}',
    /violation/,
  ),
  row(
    "required of 100,000 names",
    () => ({ required: many(60_000, (i) => `p${i}`) }),
    () => "{}",
    /violation|budget/,
  ),
  row(
    "required of 100,000 equal names",
    () => ({ type: "object", required: many(100_000, () => "p") }),
    () => "{}",
    /uncompilable/,
  ),
  row(
    "enum of 60,000 texts",
    () => ({ items: { enum: many(60_000, (i) => `value ${i}`) } }),
    () => JSON.stringify(many(10_000, (i) => `value ${i}`)),
    /pass|budget/,
  ),
  row(
    "draft-04 enum of 40,000 objects",
    () => ({
      $schema: "http://json-schema.org/draft-04/schema#",
      items: { enum: many(40_000, (i) => ({ a: i })) },
    }),
    () => JSON.stringify(many(10_000, (i) => ({ a: i }))),
    /pass|budget/,
  ),
  row(
    "enum of 30,000 objects against 20,000 objects",
    () => ({ items: { enum: many(30_000, (i) => ({ a: [i] })) } }),
    () => JSON.stringify(many(20_000, (i) => ({ a: [-i - 1] }))),
    /violation|budget/,
  ),
  row(
    "dependentRequired of 30,000 names",
    () => ({ dependentRequired: object(30_000, (i) => [`q${i}`]) }),
    () => JSON.stringify(object(20_000, () => 1)),
    /violation|budget/,
  ),
  row(
    "one name that depends on 60,000",
    () => ({ dependentRequired: { a: many(60_000, (i) => `p${i}`) } }),
    () => '{"a":1}',
    /violation|budget/,
  ),
  row(
    "propertyNames with 10,000 branches against 10,000 names",
    () => ({ propertyNames: { anyOf: many(10_000, (i) => ({ const: `x${i}` })) } }),
    () => JSON.stringify(object(10_000, () => 1)),
    /violation|budget/,
    () => JSON.stringify(object(1_000, () => 1)),
  ),
  row(
    "300 patternProperties against 100,000 keys",
    () => ({ patternProperties: Object.fromEntries(many(300, (i) => [`^x${i}(a|b)*$`, {}])) }),
    () => JSON.stringify(object(100_000, () => 1)),
    /pass|budget/,
    () => JSON.stringify(object(10_000, () => 1)),
  ),
  row(
    "9,000 patternProperties against 1,000 keys",
    () => ({ patternProperties: Object.fromEntries(many(9_000, (i) => [`^x${i}`, {}])) }),
    () => JSON.stringify(object(1_000, () => 1)),
    /pass|budget/,
  ),
];
