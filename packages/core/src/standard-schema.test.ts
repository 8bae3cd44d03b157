import { describe, expect, it } from "vitest";
import { compileDeclared } from "./compile.ts";

const standard = (schema: unknown) => compileDeclared({ value: schema })["~standard"];

describe("~standard", () => {
  const list = standard({ type: "object", properties: { a: { items: { type: "string" } } } });

  it("returns the value itself, synchronously", () => {
    const value = { a: ["x"] };
    expect(list).toMatchObject({ version: 1, vendor: "touchstone" });
    expect(list.validate(value)).toEqual({ value });
  });

  it("reports issues with keys as strings and array indexes as numbers", () => {
    expect(list.validate({ a: ["x", 1] })).toEqual({
      issues: [{ message: "must be string", path: ["a", 1] }],
    });
    expect(standard({ required: ["a/b"] }).validate({})).toEqual({
      issues: [{ message: "must have required property 'a/b'", path: ["a/b"] }],
    });
    expect(standard({ properties: { "1": false } }).validate({ "1": 0 })).toMatchObject({
      issues: [{ path: ["1"] }],
    });
  });

  it("never throws, however late a getter of the value throws", () => {
    const deep = standard({ properties: { a: { properties: { b: { type: "string" } } } } });
    for (let answers = 0; answers < 12; answers++) {
      let left = answers;
      const value = {
        get a() {
          if (left-- === 0) throw new Error("no more");
          return { b: 1 };
        },
      };
      const { issues } = deep.validate(value) as { issues: readonly { path: unknown }[] };
      expect([[], ["a", "b"]]).toContainEqual(issues[0]?.path);
    }
  });

  it("rejects every value and has no JSON Schema if the schema is unusable", () => {
    const broken = standard({ type: "strin" });
    expect(broken.validate({})).toMatchObject({ issues: [{ path: [] }] });
    expect(() => broken.jsonSchema.input({ target: "draft-2020-12" })).toThrow(TypeError);
  });

  it("returns the author's schema in its own dialect, and any schema in 2020-12", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const old = { $schema, items: [{ type: "string" }], additionalItems: false };
    const { jsonSchema } = standard(old);
    expect(jsonSchema.input({ target: "draft-07" })).toEqual(old);
    const modern = jsonSchema.output({ target: "draft-2020-12" });
    expect(modern).toMatchObject({ prefixItems: [{ type: "string" }], items: false });
    const again = compileDeclared({ value: modern });
    expect([["a"], [1], ["a", "b"], []].map((value) => again.validate(value).valid)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(() => jsonSchema.input({ target: "openapi-3.0" })).toThrow(/draft-2020-12/);
  });

  it("does not expose its own schema to changes", () => {
    const { jsonSchema, validate } = standard({ properties: { a: { type: "string" } } });
    const given = jsonSchema.input({ target: "draft-2020-12" });
    (given["properties"] as Record<string, unknown>)["a"] = false;
    expect(validate({ a: "x" })).toMatchObject({ value: { a: "x" } });
    expect(jsonSchema.input({ target: "draft-2020-12" })).toEqual({
      properties: { a: { type: "string" } },
    });
  });
});
