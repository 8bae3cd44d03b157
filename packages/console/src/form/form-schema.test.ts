import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countFields, followRef, MAX_FIELDS } from "./field-count.ts";
import { BRANCH_AT, formSchema } from "./form-schema.ts";
import { HINT } from "./hint.ts";

const made = (schema: unknown) => {
  const form = formSchema(schema);
  if (!form.ok) throw new Error(form.why);
  return form.schema;
};

describe("formSchema", () => {
  it.each<[string, unknown, object]>([
    ["defaults, which are told and not filled in", { default: 1 }, { [HINT]: "default 1" }],
    ["formats, which are told", { format: "date" }, { [HINT]: "date" }],
    ["true", true, { [HINT]: "" }],
    ["several types", { type: ["string", "number"] }, { [HINT]: "" }],
    ["one type and null", { type: ["string", "null"] }, { type: ["string", "null"], [HINT]: "" }],
    ["const", { type: "string", const: "a" }, { enum: ["a"], [HINT]: "" }],
    [
      "tuples",
      { type: "array", prefixItems: [true], items: { type: "string" } },
      {
        type: "array",
        items: [{ [HINT]: "" }],
        additionalItems: { type: "string", [HINT]: "" },
        [HINT]: "",
      },
    ],
    [
      "dependentRequired",
      { dependentRequired: { a: ["b"] } },
      { dependencies: { a: ["b"] }, [HINT]: "" },
    ],
    [
      "objects of any shape",
      { type: "object" },
      { type: "object", additionalProperties: { [HINT]: "" }, [HINT]: "" },
    ],
    [
      "closed objects",
      { type: "object", additionalProperties: false },
      { type: "object", additionalProperties: false, [HINT]: "" },
    ],
    [
      "what the form's library would act upon",
      { $id: "NumberField", __rjsf_ref_cycle: true, __additional_property: 1, "ui:widget": "x" },
      { [HINT]: "" },
    ],
  ])("%s", (_what, schema, expected) => {
    expect(made(schema)).toEqual(expected);
  });

  it("tells of every branch where it stands in the schema", () => {
    const oneOf = [true, { anyOf: [{}] }];
    const { items, properties, dependencies, $defs } = made({
      prefixItems: [{ oneOf }],
      properties: { "a/b": { oneOf } },
      dependentSchemas: { c: { oneOf } },
      $defs: { d: { oneOf } },
    });
    const at = JSON.stringify([items, properties, dependencies, $defs]).matchAll(
      new RegExp(`"${BRANCH_AT}":"(.*?)"`, "g"),
    );
    const places = ["/prefixItems/0", "/properties/a~1b", "/dependentSchemas/c", "/$defs/d"];
    expect([...at].map(([, pointer]) => pointer)).toEqual(
      places.flatMap((place) => ["0", "1/anyOf/0", "1"].map((each) => `${place}/oneOf/${each}`)),
    );
  });

  it("keeps properties that are named like keywords", () => {
    const schema = JSON.parse('{"properties":{"default":{},"$ref":{},"__proto__":{}}}');
    expect(Object.keys(made(schema).properties ?? {})).toEqual(["default", "$ref", "__proto__"]);
  });

  it.each<[string, object, string]>([
    ["remote references", { $ref: "https://example.com/a" }, "cannot follow"],
    ["anchors", { $ref: "#a" }, "cannot follow"],
    ["references to nothing", { properties: { a: { $ref: "#/$defs/no" } } }, "cannot follow"],
    ["references to what is inherited", { $ref: "#/constructor" }, "cannot follow"],
    ["broken references", { $ref: "#/%" }, "cannot follow"],
    ["dynamic references", { items: { $dynamicRef: "#a" } }, "depend on where"],
    ["circles", { anyOf: [{ $ref: "#" }] }, "in a circle"],
    ["an identity inside", { items: { $id: "a" } }, "identity inside"],
  ])("has no form for %s", (_what, schema, why) => {
    expect(formSchema(schema)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it("has no form for what opens to billions of fields, and says so at once", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const $ref = `#/$defs/d${i + 1}`;
        return [`d${i}`, { properties: { a: { $ref }, b: { $ref } } }];
      }),
    );
    const schema = { $ref: "#/$defs/d0", $defs: { ...$defs, d40: { type: "string" } } };
    expect(formSchema(schema)).toMatchObject({ ok: false, why: expect.stringContaining("500") });
  });

  it("takes any JSON", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void formSchema(value)));
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = { not: { items: deep } };
    expect(formSchema(deep).ok).toBe(true);
  });
});

describe("countFields", () => {
  it("ends at a schema that holds itself", () => {
    const node = { properties: { next: { $ref: "#/$defs/node" } } };
    expect(countFields({ $ref: "#/$defs/node", $defs: { node } })).toBe(3);
    expect(countFields({ properties: { a: { $ref: "#" } } })).toBe(2);
  });

  it("stops counting behind the limit", () => {
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, {}]));
    expect(countFields({ properties })).toBe(MAX_FIELDS + 1);
  });
});

describe("followRef", () => {
  it.each([
    ["#", { "a/b": { "%": 1 } }],
    ["#/a~1b/%25", 1],
    ["#/toString", undefined],
  ])("%s", (ref, value) => {
    expect(followRef({ "a/b": { "%": 1 } }, ref)).toEqual(value);
  });
});
