import { describe, expect, expectTypeOf, it } from "vitest";
import { compile, validate } from "./index.ts";

const SCHEMA = { type: "object", required: ["n"], properties: { n: { type: "integer" } } } as const;
const TEXT = JSON.stringify(SCHEMA);

describe("compile", () => {
  it.each([
    ["a value", SCHEMA],
    ["a text", TEXT],
    ["bytes", new TextEncoder().encode(TEXT)],
    ["a Buffer", Buffer.from(TEXT)],
  ])("takes %s", (_, schema) => {
    const compiled = compile(schema);
    expect(compiled.error).toBeUndefined();
    const both = (value: unknown) => [
      compiled.validate(value).valid,
      compiled.validateText(JSON.stringify(value)).valid,
      compiled.isValid(value),
      validate(schema, value).valid,
    ];
    expect(both({ n: 1 })).toEqual([true, true, true, true]);
    expect(both({ n: "1" })).toEqual([false, false, false, false]);
    expect(compiled.validateText(new TextEncoder().encode('{"n":1}')).valid).toBe(true);
  });

  it("takes the boolean schemas, as values and as texts", () => {
    expect([compile(true), compile("true")].map((schema) => schema.isValid(1))).toEqual([
      true,
      true,
    ]);
    expect([compile(false), compile("false")].map((schema) => schema.isValid(1))).toEqual([
      false,
      false,
    ]);
  });

  const wrong: readonly (readonly [string, unknown, string, RegExp])[] = [
    ["undefined", undefined, "not_a_schema", /undefined; pass the schema as an object/],
    ["null", null, "not_a_schema", /null; pass the schema as an object/],
    ["the text null", "null", "not_a_schema", /the text is null/],
    [
      "the text null with spaces",
      new TextEncoder().encode(" null\n"),
      "not_a_schema",
      /text is null/,
    ],
    ["an empty text", "", "invalid_json", /./],
    ["a text that is not JSON", "{type: object}", "invalid_json", /./],
    ["the name of a file", "schema.json", "invalid_json", /./],
    ["the text of a string", '"object"', "not_a_schema", /object or a boolean/],
    ["a number", 5, "not_a_schema", /object or a boolean/],
    ["a list", [SCHEMA], "not_a_schema", /./],
    ["a function", () => true, "not_a_schema", /a function is not a schema/],
    ["a promise", Promise.resolve(SCHEMA), "not_a_schema", /await it/],
    [
      "a compiled schema",
      compile(SCHEMA),
      "not_a_schema",
      /a compiled schema is not a JSON Schema/,
    ],
    ["a tool", { name: "add", inputSchema: SCHEMA }, "not_a_schema", /pass its inputSchema/],
    ["an ArrayBuffer", new ArrayBuffer(2), "not_a_schema", /./],
    ["a type that does not exist", { type: "objekt" }, "metaschema", /./],
  ];
  it.each(wrong)("returns an error for %s, and no value is valid", (_, given, code, message) => {
    const schema = compile(given as object);
    expect(schema.error?.code).toBe(code);
    expect(schema.error?.message).toMatch(message);
    for (const value of [{}, null, undefined, SCHEMA]) {
      expect(schema.isValid(value)).toBe(false);
      const check = schema.validate(value);
      expect([check.valid, check.outcome]).toEqual([false, "uncompilable"]);
      expect(check.errors[0]?.message).toContain(schema.error?.message.slice(0, 20));
    }
    expect(schema.validateText("{}").outcome).toBe("uncompilable");
    expect(schema["~standard"].validate({})).toHaveProperty("issues");
  });

  it("never throws for options that cannot be read", () => {
    const options = {
      get limits(): never {
        throw new Error("no");
      },
    };
    expect(compile({}, options).error?.message).toContain("options cannot be used");
  });

  it("copies bytes: a buffer that is filled again does not change the schema", () => {
    const bytes = new TextEncoder().encode('{"type":"string"}');
    const schema = compile(bytes);
    bytes.fill(0x20);
    expect([schema.isValid("a"), schema.isValid(1)]).toEqual([true, false]);
    expect(schema.hash).toBe(compile('{"type":"string"}').hash);
  });

  it("reads numbers of a text exactly", () => {
    const schema = compile('{"const":9007199254740993}');
    expect(schema.validateText("9007199254740993").valid).toBe(true);
    expect(schema.validateText("9007199254740992").valid).toBe(false);
  });
});

describe("isValid", () => {
  it("is a type guard for a literal schema", () => {
    const schema = compile({
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
    });
    const value: unknown = JSON.parse('{"n":1}');
    expect(schema.isValid(value)).toBe(true);
    if (schema.isValid(value)) expectTypeOf(value).toEqualTypeOf<{ n: number }>();
    const declared = compile(SCHEMA);
    if (declared.isValid(value)) expectTypeOf(value).toEqualTypeOf<{ n: number }>();
    const standard = schema["~standard"].types;
    expectTypeOf<NonNullable<typeof standard>["output"]>().toEqualTypeOf<{ n: number }>();
  });

  it("is a boolean for a schema that the compiler does not know", () => {
    const schema = compile(TEXT);
    const value: unknown = { n: "1" };
    const isValid: boolean = schema.isValid(value);
    expect(isValid).toBe(false);
    // A guard to `unknown` would make the value `never` here.
    if (!schema.isValid(value)) expectTypeOf(value).toEqualTypeOf<unknown>();
    // @ts-expect-error a tool may have no schema; the program decides what that means
    compile(undefined);
  });
});
