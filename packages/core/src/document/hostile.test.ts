import { afterAll, describe, expect, it } from "vitest";
import { type CompiledSchema, compileSchema } from "../compile.ts";
import { renderForModel } from "../report/render/model.ts";
import { sample } from "../testing/sample.ts";
import type { CompileOptions } from "./options.ts";
import {
  HOSTILE_CASES,
  HOSTILE_FORMATS,
  type HostileCase,
  HOSTILE_LIMITS as LIMITS,
} from "./testing/hostile.ts";

/** How long each step took, for a reader: nothing is asserted of it. */
const took: [string, number, string][] = [];

function timed<T>(name: string, run: () => T, outcomeOf: (result: T) => string): T {
  const started = performance.now();
  const result = run();
  took.push([name, performance.now() - started, outcomeOf(result)]);
  return result;
}

function compile({ name, schema }: HostileCase, options?: CompileOptions): CompiledSchema {
  const outcome = ({ fault }: CompiledSchema): string => fault?.code ?? "compiled";
  return timed(`compiling ${name}`, () => compileSchema(schema(), options), outcome);
}

const some = (cases: readonly HostileCase[], every: number) =>
  cases.filter((_each, i) => i % every === 0).map((each, i) => [each.name, each, i] as const);
/** Some cases have a smaller value, which uses up its smaller budget alike. */
const textOf = ({ value, small = value }: HostileCase): string => sample(small, small, value)();

/** Enough checks for a schema whose state changed with its use to show it. */
const CHECKS = sample(2, 2, 3);
/** In `npm test`, every fifth case is checked again. */
const checksOf = (at: number): number => (sample(at % 5 === 0, true) ? CHECKS : 1);

// Some of them use up their whole budget in each of three checks.
describe("hostile schemas and values", { timeout: 120_000 }, () => {
  it.each(some(HOSTILE_CASES, 1))("gives the same result every time for %s", (name, each, at) => {
    const compiled = compile(each);
    const value = textOf(each);
    const outcomes = new Set<string>();
    for (let i = 0; i < checksOf(at); i += 1) {
      const check = timed(
        name,
        () => compiled.check(value, LIMITS),
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

it.each(some(HOSTILE_FORMATS, sample(4, 4, 1)))("%s", (_name, each) => {
  const compiled = compileSchema(each.schema());
  expect(compiled.check(each.value(), LIMITS).outcome).toMatch(each.outcome);
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
    const { fault } = compileSchema({ value: schema }, options);
    expect(fault?.code).toBe(code);
    expect(fault?.message).toContain(part);
  });

  it("do not include one that repeats a pattern", () => {
    const schema = { anyOf: many(500, () => ({ pattern: "a".repeat(1_000) })) };
    expect(compileSchema({ value: schema }).fault).toBeUndefined();
  });
});

it("handles a schema 100,000 deep, a value 1,000,000 deep, and an enum of 10 MB", () => {
  const schema = '{"items":'.repeat(100_000) + "{}".padEnd(100_002, "}");
  expect(compileSchema({ text: schema }).fault?.code).toBe("too_deep");
  const list = compileSchema({ value: { items: {} } });
  expect(list.check("[".repeat(1_000_000), LIMITS).outcome).toBe("guard");
  const values = Array.from({ length: 1_000_000 }, (_, i) => `value ${i}`);
  const large = JSON.stringify({ enum: values });
  expect(compileSchema({ text: large }).fault?.code).toBe("too_large");
  const limits = { maxBytes: 64 * 1024 * 1024 };
  const allowed = compileSchema({ text: large }, { limits });
  expect(allowed.check('"value 999999"').outcome).toMatch(/pass|budget|uncompilable/);
});

it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
  "unevaluatedProperties: false rejects %s",
  (name) => {
    const schema = { anyOf: [{ properties: { a: true } }, true], unevaluatedProperties: false };
    const compiled = compileSchema({ value: schema });
    for (let i = 0; i < CHECKS; i += 1)
      expect(compiled.check(`{"${name}":1}`).outcome).toBe("violation");
  },
);

afterAll(() => {
  const lines = took
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12)
    .map(([name, ms, outcome]) => `${ms.toFixed(1)} ms  ${outcome}  ${name}`);
  process.stdout.write(`slowest hostile cases:\n  ${lines.join("\n  ")}\n`);
});
