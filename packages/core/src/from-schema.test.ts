import { describe, expectTypeOf, it } from "vitest";
import type { FromSchema } from "./from-schema.ts";

type Infer<S> = FromSchema<S>;

describe("the type of a literal schema", () => {
  it("is that of its values", () => {
    expectTypeOf<Infer<{ type: "string" }>>().toEqualTypeOf<string>();
    expectTypeOf<Infer<{ type: "integer" }>>().toEqualTypeOf<number>();
    expectTypeOf<Infer<{ type: ["string", "null"] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<Infer<{ enum: readonly ["a", 1, null] }>>().toEqualTypeOf<"a" | 1 | null>();
    expectTypeOf<Infer<{ const: { readonly a: 1 } }>>().toEqualTypeOf<{ a: 1 }>();
    expectTypeOf<Infer<{ type: "array"; items: { type: "number" } }>>().toEqualTypeOf<number[]>();
    expectTypeOf<Infer<{ type: "array" }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Infer<{ type: "object"; additionalProperties: { type: "boolean" } }>>().toExtend<
      Record<string, boolean>
    >();
    expectTypeOf<Infer<true>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<false>>().toEqualTypeOf<never>();
  });

  it("has optional members, which may be undefined", () => {
    type City = Infer<{
      type: "object";
      properties: { city: { type: "string" }; days: { type: "integer" } };
      required: readonly ["city", "other"];
    }>;
    expectTypeOf<City>().toEqualTypeOf<{
      city: string;
      days?: number | undefined;
      other: unknown;
    }>();
  });

  it("is a tuple that may be shorter for prefixItems", () => {
    type Pair = Infer<{
      type: "array";
      prefixItems: readonly [{ type: "string" }, { type: "number" }];
      items: false;
    }>;
    expectTypeOf<[]>().toExtend<Pair>();
    expectTypeOf<["a", 1]>().toExtend<Pair>();
    expectTypeOf<[1]>().not.toExtend<Pair>();
  });

  it("is a union by anyOf and oneOf, and an intersection by allOf", () => {
    expectTypeOf<
      Infer<{ anyOf: readonly [{ type: "string" }, { type: "number" }] }>
    >().toEqualTypeOf<string | number>();
    expectTypeOf<
      Infer<{
        type: "object";
        properties: { a: { type: "string" } };
        required: readonly ["a"];
        allOf: readonly [{ type: "object"; properties: { b: { type: "null" } } }];
      }>
    >().toExtend<{ a: string; b?: null | undefined }>();
    // The branches here do not restrict the type.
    expectTypeOf<
      Infer<{
        type: "object";
        properties: { a: { type: "string" } };
        anyOf: readonly [{ required: ["a"] }, { required: ["b"] }];
      }>
    >().toEqualTypeOf<{ a?: string | undefined }>();
  });

  it("follows references, also of a schema to itself", () => {
    type Tree = Infer<{
      type: "object";
      properties: {
        name: { $ref: "#/$defs/name" };
        children: { type: "array"; items: { $ref: "#" } };
      };
      required: readonly ["name"];
      $defs: { name: { type: "string" } };
    }>;
    expectTypeOf<Tree["name"]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Tree["children"]>[number]["name"]>().toEqualTypeOf<string>();
    expectTypeOf<Infer<{ $ref: "https://a.example/" }>>().toEqualTypeOf<unknown>();
  });

  it("is unknown for what the compiler does not know", () => {
    expectTypeOf<Infer<{ type: string }>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<Record<string, unknown>>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<string>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<Uint8Array>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<object>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<{ properties: { a: { type: "string" } } }>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<{ minimum: 1 }>>().toEqualTypeOf<unknown>();
  });
});
