import { deep, type HostileCase, many, object, row } from "./case.ts";

const doubling = (depth: number) => ({
  $defs: Object.fromEntries([
    ["d0", { type: "number" }],
    ...many(depth, (i) => [
      `d${i + 1}`,
      { anyOf: [{ $ref: `#/$defs/d${i}` }, { $ref: `#/$defs/d${i}` }] },
    ]),
  ]),
  $ref: `#/$defs/d${depth}`,
});

export const REFERENCE_CASES: readonly HostileCase[] = [
  row(
    "anyOf doubling to depth 60",
    () => doubling(60),
    () => '"x"',
    /budget/,
  ),
  row(
    "data-depth doubling",
    () => ({ allOf: many(2, () => ({ properties: { a: { $ref: "#" } } })) }),
    () => deep(60),
    /budget/,
  ),
  row(
    'allOf:[{$ref:"#"},{$ref:"#"}]',
    () => ({ allOf: [{ $ref: "#" }, { $ref: "#" }] }),
    () => "1",
    /uncompilable/,
  ),
  row(
    '{$ref:"#"}',
    () => ({ $ref: "#" }),
    () => "1",
    /uncompilable/,
  ),
  row(
    'anyOf:[{$ref:"#"},{$ref:"#"}]',
    () => ({ anyOf: [{ $ref: "#" }, { $ref: "#" }] }),
    () => "1",
    /budget/,
  ),
  row(
    "a circle of 10,000 references",
    () => ({
      $ref: "#/$defs/d0",
      $defs: object(10_000, (i) => ({ $ref: `#/$defs/d${(i + 1) % 10_000}` }), "d"),
    }),
    () => "1",
    /uncompilable/,
  ),
  row(
    "inline-reference blow-up",
    () => ({
      $defs: { b: { properties: object(100, () => ({ type: "string" })) } },
      allOf: many(300, () => ({ $ref: "#/$defs/b" })),
    }),
    () => "{}",
    /pass/,
  ),
  row(
    "inline-reference blow-up in levels",
    () => ({
      $defs: Object.fromEntries(
        many(12, (i) => [
          `d${i}`,
          i === 0
            ? { properties: object(30, () => ({ type: "string" })) }
            : { properties: object(8, () => ({ $ref: `#/$defs/d${i - 1}` })) },
        ]),
      ),
      $ref: "#/$defs/d11",
    }),
    () => "{}",
    /pass/,
  ),
  row(
    "a chain of 10,000 references",
    () => ({
      $ref: "#/$defs/d0",
      $defs: object(
        9_999,
        (i) => (i === 9_998 ? { type: "string" } : { $ref: `#/$defs/d${i + 1}` }),
        "d",
      ),
    }),
    () => "1",
    /violation/,
  ),
  row(
    "9,000 definitions that nobody uses",
    () => ({ $defs: object(9_000, () => ({ type: "string" })) }),
    () => "1",
    /pass/,
  ),
  row(
    "definitions 120 deep, with references all the way",
    () => {
      let schema: unknown = { type: "string" };
      for (let i = 0; i < 100; i += 1) {
        schema = { $defs: { a: schema }, anyOf: [{ $ref: `#${"/$defs/a".repeat(100 - i)}` }] };
      }
      return schema;
    },
    () => "1",
    /violation/,
  ),
  row(
    "2,000 $ids with a dynamic anchor each",
    () => ({
      $id: "http://x/root",
      $defs: object(2_000, (i) => ({
        $id: `http://x/${i}`,
        $dynamicAnchor: "a",
        items: { $dynamicRef: "#a" },
        allOf: [{ $ref: `http://x/${(i + 1) % 2_000}` }],
      })),
      $ref: "http://x/0",
    }),
    () => "[[[]]]",
    /budget|uncompilable/,
  ),
  row(
    "150 dynamic anchors in 150 resources",
    () => ({
      $id: "http://x/root",
      $defs: object(150, (i) => ({
        $id: `http://x/${i}`,
        $defs: object(60, (k) => ({ $dynamicAnchor: `a${k}${i % 7 === 0 ? "" : i}` }), "e"),
        anyOf: many(20, (k) => ({ $ref: `http://x/${(i * 7 + k) % 150}` })),
        items: { $dynamicRef: "#a1" },
      })),
      $ref: "http://x/0",
    }),
    () => "[[[]]]",
    /budget|uncompilable/,
  ),
];
