import { afterAll, describe, expect, it } from "vitest";
import { type CompiledSchema, compileDeclared } from "../compile.ts";
import { renderForModel } from "../report/render/model.ts";
import { eachOf, long, sample } from "../testing/sample.ts";
import type { CompileOptions } from "./options.ts";
import {
  HOSTILE_CASES,
  HOSTILE_FORMATS,
  type HostileCase,
  HOSTILE_LIMITS as LIMITS,
} from "./testing/hostile.ts";

/** How long each step took, for people who read the output: no test depends on it. */
const took: [string, number, string][] = [];

function timed<T>(name: string, run: () => T, outcomeOf: (result: T) => string): T {
  const started = performance.now();
  const result = run();
  took.push([name, performance.now() - started, outcomeOf(result)]);
  return result;
}

function compile({ name, schema }: HostileCase, options?: CompileOptions): CompiledSchema {
  const outcome = ({ error: fault }: CompiledSchema): string => fault?.code ?? "compiled";
  return timed(`compiling ${name}`, () => compileDeclared(schema(), options), outcome);
}

/** A table of cases. `npm test` checks every nth case of it. */
const some = (cases: readonly HostileCase[], every: number) =>
  eachOf(
    cases.map((each, i) => [each.name, each, i] as const),
    ([, , i]) => i % every === 0,
  );
/** Some cases have a smaller value, which uses up its smaller budget in the same way. */
const sampledText = ({ value, small = value }: HostileCase): string =>
  sample(small, small, value)();

/** How many checks to repeat: enough to show whether using a schema changes its state. */
const CHECKS = sample(2, 2, 3);

// Some of these cases use up their whole budget in each check.
describe("hostile schemas and values", { timeout: 120_000 }, () => {
  some(HOSTILE_CASES, 4)("gives the same result every time for %s", (name, each) => {
    const compiled = compile(each);
    const value = sampledText(each);
    const outcomes = new Set<string>();
    for (let i = 0; i < CHECKS; i += 1) {
      const check = timed(
        name,
        () => compiled.validateText(value, LIMITS),
        ({ outcome }) => outcome,
      );
      expect(check.outcome).toMatch(each.outcome);
      expect(check.valid).toBe(check.outcome === "pass");
      outcomes.add(check.outcome);
      timed(
        `telling a model of ${name}`,
        () => renderForModel(check),
        (text) => `${text.length} characters`,
      );
    }
    expect(outcomes.size).toBe(1);
  });
});

some(HOSTILE_FORMATS, 5)("%s", (_name, each) => {
  const compiled = compileDeclared(each.schema());
  expect(compiled.validateText(sampledText(each), LIMITS).outcome).toMatch(each.outcome);
});

describe("schemas that are refused early with a reason", () => {
  const many = (count: number, make: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => make(i));
  it.each<[string, unknown, CompileOptions, string, string]>([
    ["a long $id", { $id: `http://x/${"a".repeat(10_000)}` }, {}, "too_large", "8192"],
    [
      "long identifiers, each relative to the one around",
      { $id: `${"a".repeat(5_000)}/`, not: { $id: `${"b".repeat(5_000)}/` } },
      {},
      "too_large",
      "8192",
    ],
    [
      "references against a long base",
      {
        $id: `http://x/${"a".repeat(4_000)}/`,
        $defs: { b: { $id: "b" } },
        allOf: many(600, () => ({ $ref: "b" })),
      },
      {},
      "too_large",
      "2000000",
    ],
    [
      "patterns that are long together",
      { anyOf: many(300, (i) => ({ pattern: `${i}`.padStart(1_000, "a") })) },
      {},
      "too_large",
      "262144",
    ],
    ["a pattern of 15 KB", { pattern: "(a)".repeat(5_000) }, {}, "invalid_pattern", "8192"],
    [
      "thousands of Unicode properties",
      { pattern: "\\p{L}".repeat(1_000) },
      {},
      "invalid_pattern",
      "/pattern",
    ],
  ])("%s", (_name, schema, options, code, part) => {
    const { error: fault } = compileDeclared({ value: schema }, options);
    expect(fault?.code).toBe(code);
    expect(fault?.message).toContain(part);
  });

  it("do not include one that repeats a pattern", () => {
    const schema = { anyOf: many(500, () => ({ pattern: "a".repeat(1_000) })) };
    expect(compileDeclared({ value: schema }).error).toBeUndefined();
  });
});

it("handles a schema 100,000 deep, and a value 1,000,000 deep", () => {
  const schema = '{"items":'.repeat(100_000) + "{}".padEnd(100_002, "}");
  expect(compileDeclared({ text: schema }).error?.code).toBe("too_deep");
  const list = compileDeclared({ value: { items: {} } });
  expect(list.validateText("[".repeat(1_000_000), LIMITS).outcome).toBe("guard");
});

it("handles an enum of 10 MB", long, () => {
  const values = Array.from({ length: 1_000_000 }, (_, i) => `value ${i}`);
  const large = JSON.stringify({ enum: values });
  expect(compileDeclared({ text: large }).error?.code).toBe("too_large");
  const limits = { maxBytes: 64 * 1024 * 1024 };
  const allowed = compileDeclared({ text: large }, { limits });
  expect(allowed.validateText('"value 999999"').outcome).toMatch(/pass|budget|uncompilable/);
});

it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
  "unevaluatedProperties: false rejects %s",
  (name) => {
    const schema = { anyOf: [{ properties: { a: true } }, true], unevaluatedProperties: false };
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < CHECKS; i += 1)
      expect(compiled.validateText(`{"${name}":1}`).outcome).toBe("violation");
  },
);

afterAll(() => {
  const lines = took
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12)
    .map(([name, ms, outcome]) => `${ms.toFixed(1)} ms  ${outcome}  ${name}`);
  process.stdout.write(`slowest hostile cases:\n  ${lines.join("\n  ")}\n`);
});
