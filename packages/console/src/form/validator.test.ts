import { describe, expect, it } from "vitest";
import { FormValidator } from "./validator.ts";

const root = {
  $defs: { name: { type: "string" as const, minLength: 2 } },
  properties: { n: { type: "integer" as const } },
};

describe("FormValidator", () => {
  it.each([
    [{ $ref: "#/$defs/name" }, "ab", true],
    [{ $ref: "#/$defs/name" }, "a", false],
    [{ properties: { x: { $ref: "#/properties/n" } } }, { x: 1.5 }, false],
    [{ properties: { x: { $ref: "#/properties/n" } } }, { x: 1 }, true],
    [{ $ref: "#/$defs/none" }, 1, false],
    [root, { n: 1 }, true],
    [root, { n: "1" }, false],
  ])("%j and %j: %s", (schema, value, expected) => {
    expect(new FormValidator().isValid(schema, value, root)).toBe(expected);
  });

  it("tells two roots apart that hold the same part", () => {
    const validator = new FormValidator();
    const part = { $ref: "#/$defs/a" };
    expect(validator.isValid(part, 1, { $defs: { a: { type: "string" } } })).toBe(false);
    expect(validator.isValid(part, 1, { $defs: { a: { type: "number" } } })).toBe(true);
  });

  it("gives errors in the library's shape", () => {
    const { errors, errorSchema } = new FormValidator().validateFormData({ n: "x" }, root);
    expect(errors).toEqual([
      { property: ".n", message: "must be integer", name: "type", stack: "must be integer" },
    ]);
    expect(errorSchema).toEqual({ n: { __errors: ["must be integer"] } });
    expect(new FormValidator().rawValidation(root, { n: 1 })).toEqual({ errors: [] });
  });
});
