import { describe, expect, expectTypeOf, it } from "vitest";
import {
  component,
  componentsOf,
  constant,
  count,
  either,
  flag,
  limited,
  list,
  members,
  oneOf,
  orNull,
  partial,
  record,
  ref,
  type Static,
  text,
} from "./json-schema.ts";

const PART = component("Part", members({ name: text("Its name."), size: orNull(count()) }));
const WHOLE = members(
  {
    kind: either(members({ a: constant("x") }), members({ b: flag })),
    mode: oneOf(["off", "on"]),
    parts: list(ref(PART)),
    counts: record(count()),
    more: partial({ note: limited(text(), { maxLength: 3 }) }),
  },
  "more",
);

describe("schemas with types", () => {
  it("have the type of their values", () => {
    expectTypeOf<Static<typeof PART>>().toEqualTypeOf<{
      readonly name: string;
      readonly size: number | null;
    }>();
    expectTypeOf<Static<typeof WHOLE>>().toEqualTypeOf<{
      readonly kind: { readonly a: "x" } | { readonly b: boolean };
      readonly mode: "off" | "on";
      readonly parts: readonly { readonly name: string; readonly size: number | null }[];
      readonly counts: Readonly<Record<string, number>>;
      readonly more?: { readonly note?: string | undefined } | undefined;
    }>();
    // @ts-expect-error a member that may be absent has to exist
    members({ a: text() }, "b");
  });

  it("are JSON Schemas", () => {
    expect(WHOLE).toEqual({
      type: "object",
      required: ["kind", "mode", "parts", "counts"],
      properties: {
        kind: {
          oneOf: [
            {
              type: "object",
              required: ["a"],
              properties: { a: { const: "x" } },
              additionalProperties: false,
            },
            {
              type: "object",
              required: ["b"],
              properties: { b: { type: "boolean" } },
              additionalProperties: false,
            },
          ],
        },
        mode: { type: "string", enum: ["off", "on"] },
        parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
        counts: { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
        more: {
          type: "object",
          properties: { note: { type: "string", maxLength: 3 } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    });
    expect(componentsOf([PART])).toEqual({
      Part: {
        type: "object",
        required: ["name", "size"],
        properties: {
          name: { type: "string", description: "Its name." },
          size: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }] },
        },
        additionalProperties: false,
      },
    });
  });
});
