import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";

/** Schema, value, keyword, rule, path and path in the style of the engine. */
const CASES: readonly (readonly [object, unknown, string, string, string, string])[] = [
  [{ type: "string" }, 1, "type", "type", "", ""],
  [{ required: ["a/b~c"] }, {}, "required", "required", "/a~1b~0c", ""],
  [{ required: ["constructor"] }, {}, "required", "required", "/constructor", ""],
  [{ required: ["__proto__"] }, {}, "required", "required", "/__proto__", ""],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "dependentRequired", "required", "/b", ""],
  [{ dependencies: { a: ["b"] } }, { a: 1 }, "dependencies", "required", "/b", ""],
  [{ additionalProperties: false }, { "": 1 }, "additionalProperties", "extra", "/", ""],
  [{ unevaluatedProperties: false }, { "x~": 1 }, "unevaluatedProperties", "extra", "/x~0", ""],
  [{ unevaluatedItems: false }, [1], "unevaluatedItems", "extra", "", ""],
  [{ prefixItems: [{}], items: false }, [1, 2], "items", "value", "", ""],
  [{ enum: [1] }, 2, "enum", "value", "", ""],
  [{ const: { a: 1 } }, {}, "const", "value", "", ""],
  [{ minimum: 3 }, 2, "minimum", "value", "", ""],
  [{ pattern: "^a" }, "b", "pattern", "value", "", ""],
  [{ uniqueItems: true }, [1, 1], "uniqueItems", "value", "", ""],
  [{ not: {} }, 1, "not", "value", "", ""],
  [{ format: "email" }, "a", "format", "format", "", ""],
  [{ properties: { a: { minLength: 2 } } }, { a: "x" }, "minLength", "value", "/a", "/a"],
  [{ properties: { a: false } }, { a: 1 }, "false schema", "value", "/a", "/a"],
];

describe("the engine's errors as issues", () => {
  it.each(CASES)("%j on %j: %s is %s at %j", (schema, value, keyword, rule, path, instance) => {
    const compiled = compileDeclared({ value: schema });
    const check = compiled.validateText(JSON.stringify(value));
    expect(check.errors).toMatchObject([{ keyword, rule, path, instancePath: instance }]);
    expect(check.counts).toEqual({ [rule]: 1 });
    expect(check.errors[0]?.schemaPath).toMatch(/^#/);
    const plain = compiled.validateText(JSON.stringify(value), { paths: "instance" });
    expect(plain.errors).toMatchObject([{ keyword, rule, path: instance }]);
  });

  it("points at a property with a forbidden name, also in the issue about the name itself", () => {
    const compiled = compileDeclared({ value: { propertyNames: { maxLength: 1 } } });
    const check = compiled.validateText('{"a":1,"bc":2}');
    expect(check.errors).toMatchObject([
      { keyword: "maxLength", rule: "extra", path: "/bc", instancePath: "" },
      { keyword: "propertyNames", rule: "extra", path: "/bc", instancePath: "" },
    ]);
    expect(check.counts).toEqual({ extra: 2 });
  });

  it.each([
    [{ type: ["string", "null"] }, 1, "must be string,null", { type: ["string", "null"] }],
    [{ required: ["city"] }, {}, "must have required property 'city'", { missingProperty: "city" }],
    [{ multipleOf: 0.01 }, 0.005, "must be multiple of 0.01", { multipleOf: 0.01 }],
    [{ exclusiveMinimum: 0 }, 0, "must be > 0", { comparison: ">", limit: 0 }],
    [{ const: { a: 1 } }, 1, "must be equal to constant", { allowedValue: { a: 1 } }],
    [{ enum: [[]] }, 1, "must be equal to one of the allowed values", { allowedValues: [[]] }],
    [
      { uniqueItems: true },
      ["a", "b", "a"],
      "must NOT have duplicate items (items ## 0 and 2 are identical)",
      { i: 2, j: 0 },
    ],
    [
      { unevaluatedProperties: false },
      { a: 1 },
      "must NOT have unevaluated properties",
      { unevaluatedProperty: "a" },
    ],
  ])("%j on %j reports %s", (schema, value, message, params) => {
    const compiled = compileDeclared({ value: schema });
    expect(compiled.validate(value).errors).toMatchObject([{ message, params }]);
    // A number elsewhere that no double can hold makes the check use exact numbers.
    const beside = compileDeclared({ value: { prefixItems: [schema] } });
    const check = beside.validateText(`[${JSON.stringify(value)},1e400]`);
    expect(check.errors).toMatchObject([{ message, params, instancePath: "/0" }]);
  });
});
