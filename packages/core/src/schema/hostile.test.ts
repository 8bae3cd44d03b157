import { afterAll, describe, expect, it } from "vitest";
import { nodeDeadline } from "../node/deadline.ts";
import { compileSchema } from "./compile.ts";

/** What each case took at most, for a reader; machines differ, so that nothing is asserted of it. */
const took: [string, number, number, string][] = [];
const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);
const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const object = (count: number, make: (i: number) => unknown) =>
  Object.fromEntries(many(count, (i) => [`p${i}`, make(i)]));
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
const deep = (depth: number) => nested('{"a":', "1", "}", depth);

const A30 = JSON.stringify(`${"a".repeat(30)}!`);
const A100K = JSON.stringify(`${"a".repeat(100_000)}!`);
const LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 10_000 };

/** Name, schema, value as text, outcomes that are right. */
const CASES: readonly (readonly [string, unknown, string, RegExp])[] = [
  ["^(a+)+$ on 30 characters", { pattern: "^(a+)+$" }, A30, /violation/],
  ["^(a+)+$ on 100,000 characters", { pattern: "^(a+)+$" }, A100K, /violation|budget/],
  ["a*a*b on 30 characters", { pattern: "a*a*b" }, A30, /violation/],
  ["a*a*b on 100,000 characters", { pattern: "a*a*b" }, A100K, /violation|budget/],
  ["lookahead bomb", { pattern: "^(?=(a+)+b)" }, A30, /violation|budget/],
  ["lookahead bomb on 100,000", { pattern: "^(?=(a+)+b)" }, A100K, /violation|budget/],
  ["backreference bomb", { pattern: "^(a+)+\\1$" }, A30, /violation|budget/],
  ["backreference bomb on 100,000", { pattern: "^(a+)+\\1$" }, A100K, /violation|budget/],
  ["anyOf doubling to depth 60", doubling(60), '"x"', /budget/],
  [
    "data-depth doubling",
    { allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] },
    deep(60),
    /pass|budget/,
  ],
  ['allOf:[{$ref:"#"},{$ref:"#"}]', { allOf: [{ $ref: "#" }, { $ref: "#" }] }, "1", /budget/],
  ['{$ref:"#"}', { $ref: "#" }, "1", /budget/],
  [
    "inline-reference blow-up",
    {
      $defs: { b: { properties: object(100, () => ({ type: "string" })) } },
      allOf: many(300, () => ({ $ref: "#/$defs/b" })),
    },
    "{}",
    /pass|budget/,
  ],
  [
    "20,000 flat anyOf branches",
    { anyOf: many(19_000, (i) => ({ const: i })) },
    "-1",
    /violation|budget|uncompilable/,
  ],
  [
    "5,000 properties",
    { properties: object(5_000, () => ({ type: "string" })) },
    '{"p1":1}',
    /violation|budget/,
  ],
  [
    "uniqueItems on 100,000 objects",
    { uniqueItems: true },
    JSON.stringify(many(100_000, (i) => ({ i }))),
    /pass|budget/,
  ],
  [
    "100,000 failing items",
    { items: { type: "string" } },
    JSON.stringify(many(100_000, () => 1)),
    /violation|budget/,
  ],
  [
    "300 patternProperties against 100,000 keys",
    { patternProperties: Object.fromEntries(many(300, (i) => [`^x${i}(a|b)*$`, {}])) },
    JSON.stringify(object(100_000, () => 1)),
    /pass|budget/,
  ],
  [
    "data 9,000 deep on a recursive schema",
    { properties: { a: { $ref: "#" } } },
    deep(9_000),
    /pass|budget/,
  ],
  [
    "an instance with own toString and valueOf",
    { enum: [{ a: 1 }], const: { toString: 1 } },
    '{"toString":1,"valueOf":2}',
    /violation/,
  ],
];

const FORMATS = [
  "date-time",
  "email",
  "hostname",
  "idn-hostname",
  "ipv6",
  "iri",
  "uri",
  "uri-template",
  "regex",
  "uuid",
  "json-pointer",
  "duration",
];

it.each(CASES)(
  "%s ends the same way whenever there is no deadline",
  (_name, schema, text, outcome) => {
    const [first, second] = [1, 2].map(() => compileSchema({ value: schema }).check(text, LIMITS));
    expect(first?.outcome).toMatch(outcome);
    expect(second?.outcome).toBe(first?.outcome);
  },
);

describe.each([
  ["cold", 1],
  ["warm", 5],
] as const)("hostile schemas and values, %s", (_name, times) => {
  it.each(CASES)("%s", (name, schema, text, outcome) => {
    const compiled = compileSchema({ value: schema }, { deadline: nodeDeadline });
    for (let i = 0; i < times; i += 1) {
      const started = performance.now();
      const check = compiled.check(text, LIMITS);
      took.push([name, times, performance.now() - started, check.outcome]);
      // On a machine that is busy enough, time runs out for any of them.
      if (check.outcome !== "budget") expect(check.outcome).toMatch(outcome);
      expect(check.valid).toBe(check.outcome === "pass");
    }
  });
});

it.each(FORMATS)("10 MB of text against the format %s", (format) => {
  const compiled = compileSchema({ value: { format } }, { deadline: nodeDeadline });
  for (const part of ["a", "{", "1:", "%41", "é", "a."]) {
    const text = JSON.stringify(part.repeat(10_000_000 / part.length));
    expect(compiled.check(text, LIMITS).outcome).toMatch(/violation|budget|pass/);
  }
});

it("a schema 100,000 deep, a value 1,000,000 deep, an enum of 10 MB", () => {
  const schema = nested('{"items":', "{}", "}", 100_000);
  expect(compileSchema({ text: schema }).fault?.code).toBe("too_deep");
  const list = compileSchema({ value: { items: {} } }, { deadline: nodeDeadline });
  expect(list.check("[".repeat(1_000_000), LIMITS).outcome).toBe("guard");
  const large = JSON.stringify({ enum: many(1_000_000, (i) => `value ${i}`) });
  expect(compileSchema({ text: large }).fault?.code).toBe("too_large");
  const limits = { maxBytes: 64 * 1024 * 1024 };
  const allowed = compileSchema({ text: large }, { limits, deadline: nodeDeadline });
  expect(allowed.check('"value 999999"').outcome).toMatch(/pass|budget|uncompilable/);
});

it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
  "unevaluatedProperties: false against %s",
  (name) => {
    const schema = { anyOf: [{ properties: { a: true } }, true], unevaluatedProperties: false };
    const compiled = compileSchema({ value: schema });
    for (let i = 0; i < 5; i += 1)
      expect(compiled.check(`{"${name}":1}`).outcome).toBe("violation");
  },
);

afterAll(() => {
  const lines = took
    .sort((a, b) => b[2] - a[2])
    .slice(0, 12)
    .map(
      ([name, times, ms, outcome]) =>
        `${ms.toFixed(1)} ms  ${outcome}  ${name} (${times === 1 ? "cold" : "warm"})`,
    );
  process.stdout.write(`slowest hostile checks:\n  ${lines.join("\n  ")}\n`);
});
