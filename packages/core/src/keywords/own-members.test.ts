import fc from "fast-check";
import { afterEach, describe, expect, it, test } from "vitest";
import { compileDeclared } from "../compile.ts";

/** The verdict alone, and that of a check with its issues. */
function answers(schema: unknown, value: unknown): readonly [verdict: boolean, check: boolean] {
  const compiled = compileDeclared({ value: schema });
  return [compiled.isValid(value), compiled.validate(value).valid];
}

const PROTOTYPE_NAMES = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];

class Heir {
  own = 1;
  get inherited(): number {
    return 1;
  }
}

describe("only own properties count", () => {
  it.each(PROTOTYPE_NAMES)(
    "treats %s as missing in {} and as present in an object that has it",
    (name) => {
      const has = JSON.parse(`{"${name}":"x"}`);
      const bare = Object.assign(Object.create(null), { a: 1 });
      for (const schema of [
        { required: [name] },
        { minProperties: 1, properties: { a: false }, propertyNames: { const: name } },
      ]) {
        expect(answers(schema, {})).toEqual([false, false]);
        expect(answers(schema, bare)).toEqual([false, false]);
        expect(answers(schema, has)).toEqual([true, true]);
      }
      const typed = JSON.parse(`{"properties":{"${name}":{"type":"integer"}}}`);
      expect(answers(typed, {})).toEqual([true, true]);
      expect(answers(typed, has)).toEqual([false, false]);
      const closed = JSON.parse(`{"properties":{"${name}":true},"additionalProperties":false}`);
      expect(answers(closed, has)).toEqual([true, true]);
      expect(answers({ additionalProperties: false }, has)).toEqual([false, false]);
    },
  );

  it.each([
    ["a getter of its class", new Heir()],
    ["its prototype", Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } })],
    ["a proxy's target's class", new Proxy(new Heir(), {})],
  ])("ignores members of %s", (_name, value) => {
    expect(answers({ required: ["inherited"] }, value)).toEqual([false, false]);
    expect(answers({ required: ["own"] }, value)).toEqual([true, true]);
    expect(answers({ properties: { inherited: false } }, value)).toEqual([true, true]);
    const closed = { properties: { own: true }, additionalProperties: false };
    expect(answers(closed, value)).toEqual([true, true]);
  });

  describe("if a program has extended Object.prototype", () => {
    afterEach(() => {
      Reflect.deleteProperty(Object.prototype, "city");
    });

    it("ignores what was added after the schema was compiled", () => {
      const required = compileDeclared({ value: { required: ["city"] } });
      const optional = compileDeclared({ value: { properties: { city: false } } });
      const closed = compileDeclared({ value: { additionalProperties: false } });
      Object.defineProperty(Object.prototype, "city", {
        value: "x",
        enumerable: true,
        configurable: true,
        writable: true,
      });
      expect([required, optional, closed].map((schema) => schema.isValid({}))).toEqual([
        false,
        true,
        true,
      ]);
      expect(answers({ required: ["city"] }, {})).toEqual([false, false]);
      expect(required.isValid(JSON.parse('{"city":1}'))).toBe(true);
      expect(optional.isValid(JSON.parse('{"city":1}'))).toBe(false);
    });
  });
});

test("isValid and check agree about members", () => {
  const names = fc.constantFrom("a", "b", "c", "", "0", "x y", "\u{1f600}", ...PROTOTYPE_NAMES);
  const child = fc.constantFrom<unknown>(true, false, {}, { type: "integer" }, { required: ["a"] });
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, true]));
  const schemas = fc.record(
    {
      required: fc.uniqueArray(names, { maxLength: 3 }),
      properties: fc
        .dictionary(names, child, { maxKeys: 4 })
        .chain((named) => fc.constantFrom(named, { ...named, ...many })),
      patternProperties: fc.constantFrom({}, { "^n": { type: "integer" } }, { o: true }),
      additionalProperties: child,
      minProperties: fc.constantFrom(0, 2),
    },
    { requiredKeys: [] },
  );
  const values = fc.dictionary(
    fc.oneof(names, fc.constantFrom("n1", "n11", "n12")),
    fc.constantFrom<unknown>(1, "x", {}, { a: 1 }, null),
    { maxKeys: 4 },
  );
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      // A value from JSON.parse, which makes "__proto__" an own member.
      const plain: unknown = JSON.parse(JSON.stringify(value));
      const [verdict, check] = answers(schema, plain);
      expect(check).toBe(verdict);
    }),
    { numRuns: 300 },
  );
});

test("required also applies next to unevaluatedProperties", () => {
  const schema = { properties: { b: true }, required: ["b"], unevaluatedProperties: false };
  expect(answers(schema, {})).toEqual([false, false]);
  expect(answers(schema, { b: 1 })).toEqual([true, true]);
});
