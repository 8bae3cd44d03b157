import { describe, expect, it } from "vitest";
import { nodeDeadline } from "../node/deadline.ts";
import { type CompiledSchema, compileSchema } from "./compile.ts";
import type { Deadline } from "./deadline.ts";

function warm(schema: unknown, deadline: Deadline = nodeDeadline): CompiledSchema {
  const compiled = compileSchema({ value: schema }, { deadline });
  for (let i = 0; i < 5; i++) compiled.isValid(undefined);
  return compiled;
}

/** A value whose parts are shared, so that it has 2^levels places. */
function doubled(levels: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < levels; i++) value = { a: value, b: value };
  return value;
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
}

const TREE = { properties: { a: { $ref: "#" }, b: { $ref: "#" } } };
const LENGTH = 1_000_000;

describe("a verdict on a value that is not measured", () => {
  it.each<[string, unknown, unknown]>([
    ["shared parts under a recursive schema", TREE, doubled(60)],
    ["a cycle under a recursive schema", TREE, cycle()],
    ["a million levels under a recursive schema", TREE, nested(1_000_000)],
    ["shared items", { items: { $ref: "#" } }, shared(60)],
    ["shared parts that are compared", { uniqueItems: true }, [doubled(60), doubled(60)]],
    ["shared members", { additionalProperties: { $ref: "#" } }, doubled(60)],
    ["shared members by pattern", { patternProperties: { "": { $ref: "#" } } }, doubled(60)],
  ])("ends with false: %s", (_name, schema, value) => {
    expect(warm(schema).isValid(value)).toBe(false);
    expect(compileSchema({ value: schema }).isValid(value)).toBe(false);
  });

  it.each<[string, unknown, unknown]>([
    ["many items", { items: { type: "integer" } }, new Array(LENGTH).fill(1)],
    [
      "many members",
      { additionalProperties: { required: Array.from({ length: 50 }, (_, i) => `r${i}`) } },
      Object.fromEntries(Array.from({ length: LENGTH / 10 }, (_, i) => [`n${i}`, 1])),
    ],
  ])("falls back on the deadline where it is large: %s", (_name, schema, value) => {
    const runs: number[] = [];
    const passing: Deadline = {
      run: (milliseconds, task) => {
        runs.push(milliseconds);
        return task();
      },
    };
    const compiled = warm(schema, passing);
    runs.length = 0;
    expect(compiled.isValid(value)).toBe(true);
    expect(runs).toEqual([50]);
  });

  it("needs no deadline where it is small, and has no limit on nesting", () => {
    const runs: number[] = [];
    const compiled = warm(
      { ...TREE, pattern: "^[a-z]+$" },
      {
        run: (milliseconds, task) => {
          runs.push(milliseconds);
          return task();
        },
      },
    );
    runs.length = 0;
    expect(compiled.isValid(nested(200))).toBe(true);
    expect(compiled.isValid("abc")).toBe(true);
    expect(compiled.isValid("ABC")).toBe(false);
    expect(runs).toEqual([]);
    expect(compiled.checkValue(nested(200)).outcome).toBe("guard");
  });

  it("is not confused by a getter that asks again", () => {
    const compiled = warm({ properties: { a: { pattern: "^x" }, b: { pattern: "^y" } } });
    const value = {
      get a() {
        return compiled.isValid({ a: "x", b: "y" }) ? "x" : "z";
      },
      b: "y",
    };
    expect(compiled.isValid(value)).toBe(true);
    expect(compiled.checkValue(value).valid).toBe(true);
  });
});

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value["a"] = value;
  return value;
}

function shared(levels: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < levels; i++) value = [value, value];
  return value;
}
