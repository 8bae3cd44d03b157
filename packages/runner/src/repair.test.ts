import { compileDeclared } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { applyOperation } from "../../core/src/repair/patch.ts";
import { checked, type RepairKind, type RepairReceipt, ToolInputError } from "./index.ts";

const ALL: readonly RepairKind[] = [
  "parse-json-strings",
  "coerce-scalars",
  "drop-nulls",
  "fill-defaults",
];

const schema = {
  type: "object",
  properties: {
    n: { type: "integer", minimum: 1 },
    on: { type: "boolean" },
    text: { type: "string" },
    list: { type: "array", items: { type: "integer" } },
    inner: {
      type: "object",
      properties: { size: { type: "integer", default: 7 }, tag: { type: "string" } },
      required: ["size"],
    },
    "a/b": { $ref: "#/$defs/unit" },
  },
  required: ["n"],
  additionalProperties: false,
  $defs: { unit: { enum: ["c", "f"] } },
};

interface Tried {
  readonly value: unknown;
  readonly receipt: RepairReceipt | undefined;
}

function mend(value: unknown, repair: readonly RepairKind[] = ALL, input: unknown = schema): Tried {
  const onRepair = vi.fn();
  const before = JSON.stringify(value);
  try {
    const given = checked((args: unknown) => args, { name: "t", input, repair, onRepair })(value);
    return { value: given, receipt: onRepair.mock.calls[0]?.[0] };
  } finally {
    expect(JSON.stringify(value)).toBe(before);
  }
}

describe("repair", () => {
  it("does nothing by default", () => {
    expect(() => mend({ n: "1" }, [])).toThrow(ToolInputError);
  });

  it("returns valid arguments unchanged, as the same object", () => {
    const value = { n: 1 };
    const { value: given, receipt } = mend(value);
    expect(given).toBe(value);
    expect(receipt).toBeUndefined();
  });

  it.each<[RepairKind, object, object, object[]]>([
    [
      "parse-json-strings",
      { n: 1, list: "[1,2]" },
      { n: 1, list: [1, 2] },
      [{ op: "replace", path: "/list", value: [1, 2] }],
    ],
    ["coerce-scalars", { n: "5" }, { n: 5 }, [{ op: "replace", path: "/n", value: 5 }]],
    [
      "coerce-scalars",
      { n: 1, on: "true" },
      { n: 1, on: true },
      [{ op: "replace", path: "/on", value: true }],
    ],
    [
      "coerce-scalars",
      { n: 1, text: 5 },
      { n: 1, text: "5" },
      [{ op: "replace", path: "/text", value: "5" }],
    ],
    [
      "coerce-scalars",
      { n: 1, text: false },
      { n: 1, text: "false" },
      [{ op: "replace", path: "/text", value: "false" }],
    ],
    ["drop-nulls", { n: 1, "a/b": null }, { n: 1 }, [{ op: "remove", path: "/a~1b" }]],
    [
      "fill-defaults",
      { n: 1, inner: {} },
      { n: 1, inner: { size: 7 } },
      [{ op: "add", path: "/inner/size", value: 7 }],
    ],
  ])("%s: %j", (kind, value, mended, patch) => {
    expect(mend(value, [kind])).toEqual({
      value: mended,
      receipt: { tool: "t", patch, repairs: [kind] },
    });
    expect(() =>
      mend(
        value,
        ALL.filter((other) => other !== kind),
      ),
    ).toThrow(ToolInputError);
  });

  const unit = { type: "string", default: "c" };
  const needs = { required: ["a"] };
  it.each<[string, object, unknown]>([
    [
      "a reference",
      { ...needs, properties: { a: { $ref: "#/$defs/unit" } }, $defs: { unit } },
      "c",
    ],
    [
      "references in a row",
      {
        ...needs,
        properties: { a: { $ref: "#/$defs/b" } },
        $defs: { b: { $ref: "#/$defs/c~1d" }, "c/d": unit },
      },
      "c",
    ],
    [
      "a reference, while it needs defaults itself",
      {
        ...needs,
        properties: { a: { $ref: "#/$defs/box" } },
        $defs: { box: { default: {}, properties: { n: { default: 1 } }, required: ["n"] } },
      },
      { n: 1 },
    ],
    [
      "the root's reference",
      { $ref: "#/$defs/all", $defs: { all: { ...needs, properties: { a: unit } } } },
      "c",
    ],
    [
      "a name",
      { ...needs, properties: { a: { $ref: "#u" } }, $defs: { unit: { ...unit, $anchor: "u" } } },
      "c",
    ],
    [
      "a document of its own, whose references begin there",
      {
        $ref: "own",
        $defs: {
          own: {
            $id: "https://example.com/own",
            ...needs,
            properties: { a: { $ref: "#/$defs/unit" } },
            $defs: { unit },
          },
          unit: { default: "wrong" },
        },
        $id: "https://example.com/all",
      },
      "c",
    ],
    ["allOf", { ...needs, properties: { a: { allOf: [unit] } } }, "c"],
    ["another part of allOf", { ...needs, allOf: [{ properties: { a: unit } }] }, "c"],
    [
      "a reference, beside a default of its own",
      { ...needs, properties: { a: { $ref: "#/$defs/unit", default: "f" } }, $defs: { unit } },
      "f",
    ],
  ])("fills in a default behind %s", (_where, input, filled) => {
    const { value, receipt } = mend({}, ["fill-defaults"], input);
    expect(value).toEqual({ a: filled });
    expect(replay({}, receipt)).toEqual(value);
  });

  it("fills in nothing for circular references", () => {
    const $defs = { b: { $ref: "#/$defs/c" }, c: { $ref: "#/$defs/b" } };
    const input = { ...needs, properties: { a: { $ref: "#/$defs/b" } }, $defs };
    expect(() => mend({}, ALL, input)).toThrow();
  });

  it("continues inside repaired values", () => {
    const { value, receipt } = mend({ n: "1", inner: '{"tag":5}' });
    expect(value).toEqual({ n: 1, inner: { tag: "5", size: 7 } });
    expect(receipt?.repairs).toEqual(["coerce-scalars", "parse-json-strings", "fill-defaults"]);
    expect(replay({ n: "1", inner: '{"tag":5}' }, receipt)).toEqual(value);
  });

  it("parses arguments that are a JSON string", () => {
    const { value, receipt } = mend('{"n":"1"}');
    expect(value).toEqual({ n: 1 });
    expect(replay('{"n":"1"}', receipt)).toEqual(value);
  });

  it.each([
    ["the whole does not become valid", { n: "5", on: 5 }],
    ["what it would become breaks a bound", { n: "0" }],
    ["a number would change", { n: "9007199254740993" }],
    ["it is not a number of JSON", { n: "0x10" }],
    ["it is not a number of JSON", { n: " 5 " }],
    ["it is not a boolean of JSON", { n: 1, on: "yes" }],
    ["it is not a boolean of JSON", { n: 1, on: "True" }],
    ["a number inside of a string would change", { n: 1, list: "[9007199254740993]" }],
    ["a key stands twice inside of a string", { n: 1, inner: '{"tag":"a","tag":"b"}' }],
    ["a string nests too deep", { n: 1, list: "[".repeat(9_000) + "]".repeat(9_000) }],
    ["a string is cut off", { n: 1, list: "[1" }],
    ["the string stands in a list", { n: 1, inner: ['{"size":1}'] }],
    ["an item of a list is null", { n: 1, list: [null] }],
    ["a required property is null", { n: null }],
    ["a property is unknown", { n: 1, x: 1 }],
    ["it is not an object", "5"],
  ])("leaves arguments unchanged if %s: %j", (_why, value) => {
    expect(() => mend(value)).toThrow(ToolInputError);
  });

  it.each([Number("725653563933458432"), -9007199254740992, 1e21, 0.1 + 0.2, 1 / 3, Infinity, NaN])(
    "does not turn %d into a string, because its digits may be lost",
    (number) => {
      expect(() => mend({ n: 1, text: number })).toThrow(ToolInputError);
    },
  );

  it.each([
    [9007199254740991, "9007199254740991"],
    [-5, "-5"],
    [19.99, "19.99"],
    [0.000001, "0.000001"],
  ])("writes %d as %j", (number, text) => {
    expect(mend({ n: 1, text: number }).value).toEqual({ n: 1, text });
  });

  it("does not parse invalid JSON", () => {
    const cyclic: Record<string, unknown> = { n: "1" };
    cyclic["self"] = cyclic;
    const date = { n: "1", text: new Date(0) };
    const throwing = { n: "1", toJSON: () => expect.unreachable() };
    for (const value of [cyclic, date, throwing, { n: "1", text: 10n }]) {
      const run = (args: unknown) => expect.unreachable(String(args));
      const judge = checked(run, { name: "t", input: schema, repair: ALL });
      expect(() => judge(value)).toThrow(ToolInputError);
    }
  });

  it("does not change values that JSON cannot hold", () => {
    const input = { properties: { n: { type: "integer" } } };
    const value = { n: "1", big: 10n, none: undefined, list: [Infinity, -0], call: () => 1 };
    const given = checked((args: unknown) => args, { name: "t", input, repair: ALL })(value);
    expect(given).toEqual({ ...value, n: 1 });
    expect(value.n).toBe("1");
    const instance = { n: "1", at: new Date(0) };
    expect(() => mend(instance, ALL, input)).toThrow(ToolInputError);
  });

  it("repairs each place once, according to its value", () => {
    const input = { properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] } } };
    const { value, receipt } = mend({ a: 5.5 }, ALL, input);
    expect(value).toEqual({ a: "5.5" });
    expect(receipt?.patch).toHaveLength(1);
  });

  it("stops if two repairs undo each other", () => {
    const anyOf = [
      { type: "string", maxLength: 0 },
      { type: "integer", minimum: 10 },
    ];
    expect(() => mend({ a: "5" }, ALL, { properties: { a: { anyOf } } })).toThrow(ToolInputError);
  });

  it("goes eight levels deep into nested strings", () => {
    const input = {
      $ref: "#/$defs/box",
      $defs: { box: { type: "object", properties: { in: { $ref: "#/$defs/box" } } } },
    };
    const boxed = (times: number): object => {
      let value: object = {};
      for (let i = 0; i < times; i++) value = { in: JSON.stringify(value) };
      return value;
    };
    expect(mend(boxed(8), ALL, input).receipt?.patch).toHaveLength(8);
    expect(() => mend(boxed(9), ALL, input)).toThrow(ToolInputError);
  });

  it("never changes a prototype", () => {
    const input = { additionalProperties: { type: "integer" } };
    const { value: given } = mend(JSON.parse('{"__proto__":"5"}'), ALL, input);
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect(JSON.stringify(given)).toBe('{"__proto__":5}');
  });

  it("copies the default for each call", () => {
    const input = { properties: { a: { type: "array", default: [] } }, required: ["a"] };
    const first = mend({}, ALL, input).value as { a: unknown };
    (first.a as unknown[]).push(1);
    first.a = 2;
    expect(mend({}, ALL, input).value).toEqual({ a: [] });
  });
});

function replay(value: unknown, receipt: RepairReceipt | undefined): unknown {
  let root: unknown = JSON.parse(JSON.stringify(value));
  for (const operation of receipt?.patch ?? []) {
    const applied = applyOperation(root, JSON.parse(JSON.stringify(operation)));
    expect(applied).toBeDefined();
    root = applied?.value;
  }
  return root;
}

it("returns only valid values, which the patch reproduces from the original", () => {
  const odd = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom(null, "1e400", "[", "{}"));
  const of = (...values: unknown[]) =>
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: odd });
  const members = {
    n: of(1, "5", 7),
    on: of(true, "true", "false", null),
    text: of("x", 5, false, null),
    list: of([1], "[1,2]", ["3"], null),
    inner: of({}, "{}", '{"size":"3","tag":null}', { size: null }),
    "a/b": of("c", null),
    ["__proto__"]: of(null, "5"),
  };
  const object = fc.record(members, { requiredKeys: ["n"] });
  const kinds = fc.subarray([...ALL]);
  const compiled = compileDeclared({ value: schema });
  let repaired = 0;
  fc.assert(
    fc.property(object, kinds, (raw, repair) => {
      const value: unknown = JSON.parse(JSON.stringify(raw));
      try {
        const { value: given, receipt } = mend(value, repair);
        expect(compiled.validate(given).valid).toBe(true);
        expect(replay(value, receipt)).toEqual(given);
        if (receipt !== undefined) repaired += 1;
        expect(receipt?.repairs.every((kind) => repair.includes(kind)) ?? true).toBe(true);
      } catch (error) {
        if (!(error instanceof ToolInputError)) throw error;
      }
    }),
    { numRuns: 200 },
  );
  expect(repaired).toBeGreaterThan(0);
});
