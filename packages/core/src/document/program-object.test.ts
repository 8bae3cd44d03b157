import { runInNewContext } from "node:vm";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { SchemaCache } from "../cache.ts";
import { compileDeclared } from "../compile.ts";

const THEN = "then";
const validate = (): unknown => ({});
const standard = (vendor: string, jsonSchema?: unknown): object => ({
  version: 1,
  vendor,
  validate,
  ...(jsonSchema === undefined ? {} : { jsonSchema }),
});

/** An instance whose members are mostly hidden, like a schema of Zod 4. */
class ZodString {
  readonly type = "string";
  parse(): void {}

  get "~standard"(): object {
    return standard("zod");
  }
}
const zod = Object.defineProperty(new ZodString(), "_zod", { value: {} });

class Builder {
  readonly type = "object";
  build(): void {}
}

describe("a value that is not JSON", () => {
  it.each<[string, unknown, string]>([
    ["a Zod schema", zod, "a Zod schema is not a JSON Schema; pass what z.toJSONSchema(schema) r"],
    ["a schema of Zod 3", new ZodString(), "zodToJsonSchema(schema)"],
    [
      "a schema that is converted",
      { kind: "schema", type: "string", "~standard": standard("x\n", { input: validate }) },
      'library "x\\n" is not a JSON Schema; pass what its ["~standard"].jsonSchema.input(',
    ],
    [
      "a schema that is not",
      { type: "string", "~standard": standard("valibot"), run: validate },
      'library "valibot" is not a JSON Schema; pass what the library converts it to',
    ],
    [
      "a function that is a schema",
      Object.assign(() => 1, { "~standard": standard("arktype") }),
      'library "arktype"',
    ],
    ["a compiled schema", compileDeclared({ value: {} }), "a compiled schema is not a"],
    ["what it is as a Standard Schema", { "~standard": standard("touchstone") }, "a compiled"],
    ["a validator function", Object.assign(() => true, { schema: {} }), "is in its `schema`"],
    ["a function", validate, "a function is not a schema; a schema is an object or a boolean"],
    ["a promise", Promise.resolve({}), "a promise is not a schema; await it"],
    [
      "what is awaited like one",
      Object.fromEntries([[THEN, validate]]),
      "a promise is not a schema; await it",
    ],
    ["a map", new Map([["type", "string"]]), 'an object of class "Map" is not a JSON Schema'],
    ["a set", new Set(), '"Set"'],
    ["an error", new TypeError("x"), '"TypeError"'],
    ["a regular expression", /a/, '"RegExp"'],
    ["bytes", new Uint8Array(2), '"Uint8Array"'],
    ["an object with methods", new Builder(), '"Builder"'],
    ["a number that JSON lacks", Number.NaN, "a number is not a schema; a schema is an object"],
    ["an infinite number", -Infinity, "a number is not a schema; a schema is an object"],
    ["a date that is none", new Date(Number.NaN), "an object that is nothing in JSON is not a sch"],
    ["an object that says it is null", { toJSON: () => null }, "an object that is nothing in JSON"],
    ["an object that says nothing", { toJSON: () => undefined }, "an object that is nothing in J"],
    [
      "an object that holds a schema",
      { jsonSchema: { type: "string" }, validate },
      'an object with the function "validate" is not a JSON Schema; pass the JSON Schema that it',
    ],
  ])("is an error, not a schema that accepts everything: %s", (_, value, message) => {
    const cache = new SchemaCache();
    // The cache already knows a schema with the same JSON text.
    cache.get({ text: JSON.stringify(value) ?? "{}" });
    for (const compiled of [compileDeclared({ value }), cache.get({ value })]) {
      expect(compiled.error).toMatchObject({ code: "not_a_schema", path: "" });
      expect(compiled.error?.message).toContain(message);
      expect(compiled.validate(1)).toMatchObject({ valid: false, outcome: "uncompilable" });
    }
  });
});

class Plain {
  readonly type = "string";
}

describe("a value that is JSON", () => {
  it.each<[string, unknown]>([
    ["an object", { type: "string" }],
    ["without a prototype", Object.assign(Object.create(null), { type: "string" })],
    ["of another realm", runInNewContext('({ type: "string" })')],
    ["of a class without methods", new Plain()],
    ["that says what its JSON is", { toJSON: () => ({ type: "string" }) }],
    [
      "that Zod made",
      Object.defineProperty({ type: "string" }, "~standard", { value: standard("zod") }),
    ],
    ["that TypeBox made", Type.String()],
    ["with a keyword of that name", { type: "string", "~standard": { validate: true } }],
    ["with `then`", JSON.parse('{"type":"string","if":true,"then":true}')],
  ])("is accepted as a schema: an object %s", (_, value) => {
    for (const compiled of [compileDeclared({ value }), new SchemaCache().get({ value })]) {
      expect(compiled.error).toBeUndefined();
      expect([compiled.isValid("a"), compiled.isValid(1)]).toEqual([true, false]);
    }
  });
});
