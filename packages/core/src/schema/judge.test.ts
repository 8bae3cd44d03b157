import { beforeAll, describe, expect, it } from "vitest";
import { type CompiledSchema, compileSchema } from "../compile.ts";
import { nodeDeadline } from "../node/deadline.ts";
import { checkTime, type Deadline, DeadlineError } from "./deadline.ts";
import { engineReady } from "./verdicts.ts";

beforeAll(engineReady);

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
    // More than for a small value.
    expect(runs).toEqual([expect.toSatisfy((time: number) => time > 40 && time < 5_160)]);
  });

  it("takes longer texts by a pattern where a deadline would end what it takes most", () => {
    const input = { value: { pattern: "^(a|b|ab)*[ab]{500}$" } };
    const value = "ab".repeat(20_000);
    const deadline: Deadline = { run: (_, task) => task() };
    expect(compileSchema(input, { deadline }).checkValue(value).outcome).toBe("pass");
    expect(compileSchema(input).checkValue(value).outcome).toBe("budget");
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

describe("the proof that patterns are linear", () => {
  const schemaOf = (source: string) => ({ type: "string", pattern: source });
  const counting = (): { readonly deadline: Deadline; runs: number } => {
    const counted = {
      runs: 0,
      deadline: {
        run: <T>(_milliseconds: number, task: () => T): T => {
          counted.runs += 1;
          return task();
        },
      },
    };
    return counted;
  };

  it.each<[string, string, number]>([
    ["of few characters is found outside of the deadline", "^[a-z]{1,20}$", 0],
    [
      "of many is found inside of the first check's, and none is needed after",
      `^${"ab".repeat(400)}`,
      1,
    ],
    ["that there is not leaves every check under one", `^(${"a?".repeat(400)})*b$`, 3],
  ])("%s", (_name, source, runs) => {
    const counted = counting();
    const compiled = compileSchema({ value: schemaOf(source) }, { deadline: counted.deadline });
    for (let i = 0; i < 3; i++) compiled.check('"a"');
    expect(counted.runs).toBe(runs);
  });

  it("ends with no proof, and the verdict stands, where time runs out after the check", () => {
    const late: Deadline = {
      run: (milliseconds, task) => {
        task();
        throw new DeadlineError(milliseconds);
      },
    };
    const schema = schemaOf(`^${"ab".repeat(400)}`);
    const compiled = compileSchema({ value: schema }, { deadline: late });
    expect(compiled.check('"x"').outcome).toBe("violation");
  });
});

describe("a check that is over its time", () => {
  const schema = { type: "string", pattern: `^(${"a?".repeat(400)})*b$` };

  it("is given more of it twice, and again after many that were in time", () => {
    const times: number[] = [];
    let late = true;
    const deadline: Deadline = {
      run: (milliseconds, task) => {
        times.push(milliseconds);
        if (late) throw new DeadlineError(milliseconds);
        return task();
      },
    };
    const compiled = compileSchema({ value: schema }, { deadline });
    const check = () => compiled.check('"a"').outcome;
    expect([check(), check(), check()]).toEqual(["budget", "budget", "budget"]);
    expect(times).toEqual([40, 120, 40, 120, 40]);
    late = false;
    for (let i = 0; i < 1_001; i += 1) compiled.check('"a"');
    late = true;
    times.length = 0;
    expect([check(), check()]).toEqual(["budget", "budget"]);
    expect(times).toEqual([40, 120, 40]);
  });
});

it.each([
  [0, 40],
  [1_023, 40],
  [1_048_576, 1_064],
  [5_242_880, 5_160],
])("gives the judging of %i bytes %i ms", (bytes, milliseconds) => {
  expect(checkTime(bytes)).toBe(milliseconds);
});
