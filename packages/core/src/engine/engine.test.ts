import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { eachOf } from "../testing/sample.ts";

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

describe("isValid on a value that is not measured first", () => {
  eachOf<[string, unknown, unknown]>(
    [
      ["shared parts under a recursive schema", TREE, doubled(60)],
      ["a cycle under a recursive schema", TREE, cycle()],
      ["a million levels under a recursive schema", TREE, nested(1_000_000)],
      ["shared items", { items: { $ref: "#" } }, shared(60)],
      ["shared parts that are compared", { uniqueItems: true }, [doubled(60), doubled(60)]],
      ["shared members", { additionalProperties: { $ref: "#" } }, doubled(60)],
      ["shared members by pattern", { patternProperties: { "": { $ref: "#" } } }, doubled(60)],
    ],
    2,
  )("returns false in the end: %s", (_name, schema, value) => {
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < 3; i++) expect(compiled.isValid(value)).toBe(false);
  });

  it.each<[string, unknown, unknown]>([
    ["many items", { items: { type: "integer" } }, new Array(LENGTH).fill(1)],
    [
      "many members",
      { additionalProperties: { required: Array.from({ length: 50 }, (_, i) => `r${i}`) } },
      Object.fromEntries(
        Array.from({ length: LENGTH / 100 }, (_, i) => [
          `n${i}`,
          Object.fromEntries(Array.from({ length: 50 }, (_each, r) => [`r${r}`, 1])),
        ]),
      ),
    ],
  ])("gets a budget that fits its size: %s", (_name, schema, value) => {
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < 3; i++) expect(compiled.isValid(value)).toBe(true);
  });

  it("does not limit nesting", () => {
    const compiled = compileDeclared({ value: { ...TREE, pattern: "^[a-z]+$" } });
    expect(compiled.isValid(nested(200))).toBe(true);
    expect(compiled.isValid("abc")).toBe(true);
    expect(compiled.isValid("ABC")).toBe(false);
    expect(compiled.validate(nested(200)).outcome).toBe("guard");
  });

  it("is not disturbed by a getter that calls it again", () => {
    const compiled = compileDeclared({
      value: { properties: { a: { pattern: "^x" }, b: { pattern: "^y" } } },
    });
    const value = {
      get a() {
        return compiled.isValid({ a: "x", b: "y" }) ? "x" : "z";
      },
      b: "y",
    };
    expect(compiled.isValid(value)).toBe(true);
    expect(compiled.validate(value).valid).toBe(true);
  });
});

describe("references without other keywords", () => {
  const chain = (length: number, end: unknown): Record<string, unknown> => ({
    ...Object.fromEntries(
      Array.from({ length }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
    ),
    [`d${length}`]: end,
  });

  it.each<[string, object, unknown, string]>([
    ["a chain", { $ref: "#/$defs/d0", $defs: chain(5_000, { type: "string" }) }, 1, "violation"],
    [
      "many ways into a chain",
      {
        anyOf: Array.from({ length: 2_000 }, (_, i) => ({ $ref: `#/$defs/d${i}` })),
        $defs: chain(2_000, { type: "string" }),
      },
      1,
      "violation",
    ],
    ["a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#" } } }, 1, "uncompilable"],
    [
      "a circle of branches",
      { anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { $ref: "#" } } },
      1,
      "budget",
    ],
    [
      "a way into a circle",
      {
        items: { $ref: "#/$defs/a" },
        $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      },
      [1],
      "budget",
    ],
  ])("finish: %s", (_name, schema, value, outcome) => {
    const compiled = compileDeclared({ value: schema });
    for (let i = 0; i < 2; i++) expect(compiled.validate(value).outcome).toBe(outcome);
  });

  it("report a boolean schema as such", () => {
    const compiled = compileDeclared({
      value: { additionalProperties: { $ref: "#/$defs/no" }, $defs: { no: false } },
    });
    expect(compiled.validate({ a: 1 }).errors).toMatchObject([
      { keyword: "false schema", instancePath: "/a", message: "boolean schema is false" },
    ]);
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
