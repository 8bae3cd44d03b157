import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { scanJson } from "../json/scan.ts";
import { DIALECTS } from "../keywords/dialect.ts";
import { sample } from "../testing/sample.ts";
import { allErrorsOf } from "./testing/ajv.ts";
import { jsonSchema, jsonValue } from "./testing/arbitrary.ts";

const text = { type: "string" };
const city = { properties: { city: text } };

/** Returns the pointers to undeclared members, and checks that nothing else is wrong. */
function undeclared(schema: object | boolean, value: unknown, deep = false): readonly string[] {
  const options = { undeclared: { treat: "violation", deep }, maxIssues: 10_000 } as const;
  const { errors } = compileDeclared({ value: schema }).validateText(
    JSON.stringify(value),
    options,
  );
  return errors.filter(({ keyword }) => keyword === "undeclared").map(({ path }) => path);
}

describe("undeclared members", () => {
  it.each<[string, object | boolean, unknown, readonly string[]]>([
    ["of a plain schema", city, { city: "", town: 1 }, ["/town"]],
    [
      "in the order of their names",
      city,
      { z: 1, y: 1, "10": 1, "9": 1 },
      ["/10", "/9", "/y", "/z"],
    ],
    [
      "through allOf and $ref",
      { allOf: [city, { $ref: "#/$defs/a" }], $defs: { a: { properties: { b: {} } } } },
      { city: "", b: 1, c: 1 },
      ["/c"],
    ],
    [
      "through anyOf, of the branches that hold",
      { anyOf: [city, { properties: { n: text } }] },
      { city: "", n: 1 },
      ["/n"],
    ],
    [
      "through anyOf of which no branch holds",
      {
        anyOf: [
          { ...city, required: ["x"] },
          { properties: { n: {} }, required: ["y"] },
        ],
      },
      { city: "", n: 1, o: 1 },
      ["/o"],
    ],
    [
      "through oneOf of which no branch holds",
      { oneOf: [{ ...city, required: ["x"] }, { type: "null" }] },
      { city: "", o: 1 },
      ["/o"],
    ],
    ["through if", { if: city, else: { properties: { b: {} } } }, { city: 1, b: 1 }, ["/city"]],
    ["through if that holds", { if: city }, { city: "", b: 1 }, ["/b"]],
    [
      "through dependentSchemas",
      { ...city, dependentSchemas: { city: { properties: { b: {} } } } },
      { city: "", b: 1, c: 1 },
      ["/c"],
    ],
    [
      "but not through not",
      { properties: { a: {} }, not: { properties: { b: text }, required: ["b"] } },
      { b: 1 },
      ["/b"],
    ],
    ["by pattern", { patternProperties: { "^x-": {} } }, { "x-a": 1, y: 1 }, ["/y"]],
    ["whose value breaks its schema", city, { city: 1, town: 1 }, ["/town"]],
    [
      "beside what else is wrong",
      { ...city, required: ["zip"], maxProperties: 0 },
      { town: 1 },
      ["/town"],
    ],
    [
      "of a schema that declares nothing",
      { type: "object", required: ["a"], properties: {} },
      { a: 1, b: 1 },
      [],
    ],
    ["of no schema", true, { a: 1 }, []],
    ["with additionalProperties: true", { ...city, additionalProperties: true }, { town: 1 }, []],
    [
      "with additionalProperties of a type",
      { ...city, additionalProperties: text },
      { town: 1 },
      [],
    ],
    [
      "with additionalProperties: false, which says so",
      { ...city, additionalProperties: false },
      { town: 1 },
      [],
    ],
    ["with unevaluatedProperties", { ...city, unevaluatedProperties: {} }, { town: 1 }, []],
    [
      "with additionalProperties in a branch that holds",
      { ...city, anyOf: [{ additionalProperties: true }] },
      { town: 1 },
      [],
    ],
    ["of an object further down", { properties: { at: city } }, { at: { town: 1 } }, []],
    ["of an array", { items: city, properties: { a: {} } }, [{ town: 1 }], []],
    [
      "with names of the prototype",
      city,
      JSON.parse('{"__proto__":1,"toString":2}'),
      ["/__proto__", "/toString"],
    ],
  ])("are found %s", (_name, schema, value, expected) => {
    expect(undeclared(schema, value)).toEqual(expected);
  });

  it.each<[string, object, unknown, readonly string[]]>([
    [
      "in members",
      { properties: { at: city } },
      { at: { town: 1 }, x: 1 },
      ["/at/town", "/x"].toSorted(),
    ],
    [
      "in items",
      { properties: { l: { items: city } } },
      { l: [{ city: "" }, { town: 1 }] },
      ["/l/1/town"],
    ],
    ["of an array", { items: city }, [{ town: 1 }], ["/0/town"]],
    [
      "declared by schemas that do not know of one another",
      {
        allOf: [{ properties: { at: city } }, { properties: { at: { properties: { zip: {} } } } }],
      },
      { at: { city: "", zip: 1, town: 1 } },
      ["/at/town"],
    ],
    [
      "declared in an if",
      { properties: { at: {} }, if: { properties: { at: city } } },
      { at: { city: "", town: 1 } },
      ["/at/town"],
    ],
    [
      "declared for items that contains finds",
      { properties: { l: { contains: { ...city, required: ["city"] } } } },
      { l: [{ city: "", town: 1 }, { town: 1 }, { city: "a", x: 1 }] },
      ["/l/0/town", "/l/2/x"],
    ],
    [
      "but not where nothing is declared",
      { properties: { at: { type: "object" }, m: true } },
      { at: { a: 1 }, m: { b: 1 } },
      [],
    ],
    [
      "but not inside what is undeclared",
      { properties: { at: city } },
      { more: { city: 1 } },
      ["/more"],
    ],
    [
      "but not where additionalProperties says more",
      { properties: { at: { ...city, additionalProperties: text } } },
      { at: { town: "" } },
      [],
    ],
    [
      "in a branch, when all fail",
      { properties: { u: { anyOf: [{ ...city, required: ["q"] }, { type: "null" }] } } },
      { u: { city: "", town: 1 } },
      ["/u/town"],
    ],
  ])("are found at any level %s", (_name, schema, value, expected) => {
    expect(undeclared(schema, value, true)).toEqual(expected);
  });

  it.each(DIALECTS)("are found alike in %s", (dialect) => {
    const schema = {
      properties: { a: { $ref: "#/definitions/p" }, city: text },
      allOf: [{ anyOf: [{ properties: { b: {} } }] }],
      patternProperties: { "^x": {} },
      dependencies: { a: { properties: { c: {} } } },
      definitions: { p: { properties: { q: {} } } },
    };
    const value = JSON.stringify({ a: { q: 1, r: 1 }, b: 1, c: 1, x1: 1, d: 1 });
    const deep = { undeclared: { treat: "violation", deep: true } } as const;
    const { errors } = compileDeclared({ value: schema }, { dialect }).validateText(value, deep);
    expect(errors.map(({ path }) => path)).toEqual(["/a/r", "/d"]);
  });

  it("count as configured, or by place, regardless of their class's rule", () => {
    const check = compileDeclared({ value: city }).validateText('{"towm":1,"b":1,"c":1}', {
      undeclared: { treat: "warning" },
      rules: { extra: "ignore", "/b": "violation", "/c": "ignore" },
    });
    expect(check.treated).toMatchObject({ violation: 1, warning: 1, ignore: 1 });
    expect(check.counts).toEqual({ extra: 3 });
    expect(check.errors[0]).toEqual({
      path: "/b",
      instancePath: "",
      rule: "extra",
      keyword: "undeclared",
      schemaPath: "#",
      message: "must NOT have undeclared properties",
      params: { unevaluatedProperty: "b" },
    });
  });

  it("come with a suggested name", () => {
    const check = compileDeclared({ value: city }).validateText('{"citty":1}', {
      undeclared: { treat: "violation" },
    });
    expect(check.suggestions).toEqual([{ path: "/citty", message: 'did you mean "city"?' }]);
  });

  it("do not affect a value without any, in memory or as text", () => {
    const schema = compileDeclared({ value: { ...city, required: ["city"] } });
    const options = { undeclared: { treat: "violation", deep: true } } as const;
    for (const value of [{ city: "" }, {}, { city: 1 }]) {
      const plain = schema.validateText(JSON.stringify(value));
      for (const check of [
        schema.validateText(JSON.stringify(value), options),
        schema.validate(value, options),
      ]) {
        expect({ ...check, treated: undefined }).toEqual({ ...plain, treated: undefined });
      }
    }
  });

  it.each<[string, object]>([
    ["a closed schema", { ...city, additionalProperties: false }],
    [
      "a closed one behind a reference",
      { $ref: "#/$defs/a", $defs: { a: { ...city, additionalProperties: false } } },
    ],
    ["a closed one in a part", { properties: { a: city }, additionalProperties: false }],
    [
      "a closed one with patterns",
      { ...city, patternProperties: { a: city }, additionalProperties: false },
    ],
    [
      "one that closes if it may",
      { ...city, if: { required: ["b"] }, else: { additionalProperties: false } },
    ],
    ["an open one", { ...city, additionalProperties: city }],
  ])("are found alike in a text and in the bytes of a message: %s", (_what, schema) => {
    const compiled = compileDeclared({ value: schema });
    for (const deep of [false, true]) {
      const options = { undeclared: { treat: "warning", deep } } as const;
      for (const value of [
        { city: "" },
        { a: { city: "", town: 1 } },
        { b: { town: 1 } },
        { town: 1 },
        [],
      ]) {
        const text = JSON.stringify(value);
        const message = new TextEncoder().encode(`${" ".repeat(1000)}${text}`);
        const bytes = message.subarray(1000);
        const within = scanJson(message, { exact: true, unique: true });
        expect(within.unique).toBe(true);
        expect(compiled.validateText(bytes, { ...options, within })).toEqual(
          compiled.validateText(text, options),
        );
      }
    }
  });

  it("spend steps, and take no more than the budget", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, {}]));
    const { counts, outcome } = compileDeclared({ value: city }).validateText(
      JSON.stringify(many),
      {
        undeclared: { treat: "violation", deep: true },
      },
    );
    expect([outcome, counts]).toEqual(["violation", { extra: 50_000 }]);
  });

  it("equal those that unevaluatedProperties: false finds, in Ajv too", () => {
    const schemas = jsonSchema({ proto: false, unevaluated: false, full: false });
    // Ajv counts names of the object prototype as evaluated.
    const name = fc.constantFrom("a", "b", "c", "1", "é/~%");
    const objects = fc.dictionary(name, jsonValue, { maxKeys: 4 });
    const seen = { none: 0, some: 0, others: 0 };
    const around = (schema: object) => {
      const { $defs, ...rest } = schema as { $defs: unknown };
      return { ...rest, $defs, unevaluatedProperties: false };
    };
    fc.assert(
      fc.property(schemas, fc.array(objects, { minLength: 8, maxLength: 12 }), (schema, values) => {
        const compiled = compileDeclared({ value: schema });
        const wrapped = compileDeclared({ value: around(schema as object) });
        if (compiled.openness !== "open" || JSON.stringify(schema).includes('"$ref":"#"')) return;
        let validate: ReturnType<typeof allErrorsOf>;
        try {
          validate = allErrorsOf(around(schema as object));
        } catch {
          return;
        }
        for (const value of values) {
          if (compiled.validate(value).outcome !== "pass") continue;
          const options = { undeclared: { treat: "violation" } } as const;
          const found = compiled.validate(value, options).errors.map(({ params }) => params);
          let errors: ReturnType<typeof validate>;
          try {
            errors = validate(value);
          } catch {
            continue;
          }
          const names = (all: readonly unknown[]) =>
            all.map((one) => JSON.stringify(one)).toSorted();
          const expected = errors.filter(({ keyword }) => keyword === "unevaluatedProperties");
          const own = wrapped.validate(value).errors;
          expect(names(found)).toEqual(names(own.map(({ params }) => params)));
          seen[found.length === 0 ? "none" : "some"]++;
          const byAjv = names(expected.map(({ params }) => params));
          if (byAjv.join() !== names(found).join()) seen.others++;
        }
      }),
      { numRuns: sample(50, 200) },
    );
    // Ajv also counts names of failed branches as evaluated, and overlooks names in an `if` or beside
    // `dependentSchemas`.
    expect(seen.others).toBeLessThan((seen.none + seen.some) / 5);
    expect(seen.none).toBeGreaterThan(sample(1, 10));
    expect(seen.some).toBeGreaterThan(sample(1, 10));
  });
});

describe("openness", () => {
  it.each([
    [city, "open"],
    [{ ...city, additionalProperties: false }, "decided"],
    [{ ...city, additionalProperties: true }, "decided"],
    [{ allOf: [city, { unevaluatedProperties: false }] }, "decided"],
    [{ anyOf: [{ ...city, additionalProperties: false }] }, "open"],
    [{ properties: { at: { ...city, additionalProperties: false } } }, "open"],
    [{ type: "object", properties: {} }, "empty"],
    [{ $defs: { city }, not: city, propertyNames: city }, "empty"],
    [{ patternProperties: { a: {} } }, "open"],
    [{ type: 1 }, undefined],
  ])("for %j is %s", (value, expected) => {
    expect(compileDeclared({ value }).openness).toBe(expected);
  });
});
