import type { JsonObject } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import type { ProviderName } from "../lint/providers/provider.ts";
import { rewriteSchema } from "./rewrite-schema.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const property = (schema: JsonObject, provider: ProviderName): unknown => {
  const { properties } = rewriteSchema(object({ a: schema }), [provider]).schema;
  return (properties as { a: unknown }).a;
};

describe("rewriteSchema", () => {
  it.each<[string, ProviderName, JsonObject, JsonObject]>([
    ["an array of anything", "vscode", { type: "array" }, { type: "array", items: {} }],
    ["an array of true", "vscode", { type: "array", items: true }, { type: "array", items: {} }],
    [
      "properties that are booleans",
      "gemini-openapi",
      { type: "object", properties: { a: true, properties: false } },
      { type: "object", properties: { a: {}, properties: false } },
    ],
    [
      "an array of a tuple",
      "openai",
      { type: "array", prefixItems: [{}] },
      { type: "array", prefixItems: [{}], items: {} },
    ],
    [
      "a constant",
      "gemini-openapi",
      { type: "string", const: "x" },
      { type: "string", enum: ["x"] },
    ],
    ["a constant without type", "openai-strict", { const: "x" }, { type: "string", const: "x" }],
    ["a constant without type", "gemini-openapi", { const: "x" }, { type: "string", enum: ["x"] }],
    [
      "types",
      "gemini-openapi",
      { type: ["string", "null"], minLength: 2, description: "d" },
      {
        anyOf: [
          { type: "string", minLength: 2, description: "d" },
          { type: "null", description: "d" },
        ],
      },
    ],
    [
      "what describes an anyOf",
      "gemini-openapi",
      {
        type: "object",
        properties: {
          a: {
            title: "A",
            description: "Outer.",
            default: null,
            anyOf: [{ type: "string", title: "B", description: "Inner." }, { type: "null" }],
          },
        },
      },
      {
        type: "object",
        properties: {
          a: {
            anyOf: [
              { type: "string", title: "B", description: "Outer. Inner." },
              { type: "null", title: "A", description: "Outer." },
            ],
          },
        },
      },
    ],
    [
      "types with values",
      "gemini-openapi",
      { type: ["string", "null"], enum: ["a", null] },
      {
        anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }],
      },
    ],
    [
      "an open bound",
      "gemini-openapi",
      { type: "integer", exclusiveMinimum: 0 },
      { type: "integer", minimum: 1 },
    ],
    [
      "open bounds that are not whole numbers",
      "gemini-openapi",
      { type: "integer", exclusiveMinimum: 0.5, exclusiveMaximum: 2.5, minimum: 0 },
      { type: "integer", minimum: 1, maximum: 2 },
    ],
    [
      "names of any text",
      "gemini-openapi",
      object({}, { propertyNames: { type: "string" } }),
      object({}),
    ],
    ["a map of anything", "gemini-openapi", object({}, { additionalProperties: {} }), object({})],
    [
      "branches that are apart",
      "gemini-openapi",
      { oneOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
    ],
    [
      "branches with values of their own",
      "gemini-openapi",
      { oneOf: [{ enum: ["a", "a2"] }, { enum: ["b"] }, { const: "c" }] },
      {
        anyOf: [
          { enum: ["a", "a2"], type: "string" },
          { enum: ["b"], type: "string" },
          { enum: ["c"], type: "string" },
        ],
      },
    ],
    [
      "objects told apart by a constant",
      "gemini-openapi",
      {
        oneOf: [
          object({ k: { type: "string", const: "a" } }, { required: ["k"] }),
          object({ k: { type: "string", const: "b" } }, { required: ["k"] }),
        ],
      },
      {
        anyOf: [
          object({ k: { type: "string", enum: ["a"] } }, { required: ["k"] }),
          object({ k: { type: "string", enum: ["b"] } }, { required: ["k"] }),
        ],
      },
    ],
    [
      "parts",
      "gemini-openapi",
      { allOf: [object({ x: { type: "string" } }), { required: ["x"] }] },
      object({ x: { type: "string" } }, { required: ["x"] }),
    ],
    [
      "parts that describe",
      "gemini-openapi",
      {
        title: "Outer",
        description: "One.",
        allOf: [
          object({ x: { type: "string" } }, { title: "Inner", description: "Two.", default: {} }),
          { required: ["x"], examples: [{ x: "y" }] },
        ],
      },
      object(
        { x: { type: "string" } },
        { title: "Outer", description: "One. Two.", default: {}, required: ["x"] },
      ),
    ],
    [
      "keywords of objects",
      "gemini-openapi",
      { type: "string", properties: {} },
      { type: "string" },
    ],
  ])("rewrites %s for %s", (_, provider, from, to) => {
    expect(property(from, provider)).toEqual(to);
  });

  it.each<[string, ProviderName, JsonObject]>([
    ["a closed object", "gemini-openapi", object({}, { additionalProperties: false })],
    ["an open bound of any number", "gemini-openapi", { type: "number", exclusiveMinimum: 0 }],
    [
      "branches that overlap",
      "gemini-openapi",
      { oneOf: [{ type: "number" }, { type: "integer" }] },
    ],
    [
      "branches with a value in common",
      "gemini-openapi",
      {
        oneOf: [
          { type: "string", enum: ["a", "b"] },
          { type: "string", enum: ["c", "a"] },
        ],
      },
    ],
    ["a format", "gemini-openapi", { type: "string", format: "uri" }],
    [
      "parts beside a closed object",
      "gemini-openapi",
      { type: "object", additionalProperties: false, allOf: [object({ x: { type: "string" } })] },
    ],
    [
      "parts with two defaults",
      "gemini-openapi",
      { default: { x: 1 }, allOf: [{ default: { x: 2 } }] },
    ],
    [
      "parts that declare the same",
      "gemini-openapi",
      { allOf: [object({ x: { type: "string" } }), object({ x: { minLength: 1 } })] },
    ],
    [
      "an optional property",
      "openai-strict",
      object({ x: { type: "string" } }, { additionalProperties: false }),
    ],
  ])("leaves %s unchanged for %s", (_, provider, schema) => {
    expect(property(schema, provider)).toEqual(schema);
  });

  it("inlines references, and leaves a recursive schema unchanged", () => {
    const plain = object(
      {
        a: { $ref: "#/$defs/x~1y", description: "mine" },
        b: { type: "array", items: { $ref: "#/properties/a" } },
      },
      { $defs: { "x/y": { type: "string", description: "theirs" } } },
    );
    const a = { type: "string", description: "mine" };
    expect(rewriteSchema(plain, ["gemini-openapi"]).schema).toEqual(
      object({ a, b: { type: "array", items: a } }),
    );
    const endless = object({ a: { $ref: "#" } });
    expect(rewriteSchema(endless, ["gemini-openapi"]).schema).toEqual(endless);
  });

  it("limits the size of the result", () => {
    const twice = (name: string): JsonObject =>
      object({ l: { $ref: `#/$defs/${name}` }, r: { $ref: `#/$defs/${name}` } });
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`d${i}`, i === 29 ? {} : twice(`d${i + 1}`)]),
    );
    const bomb = object({ a: { $ref: "#/$defs/d0" } }, { $defs });
    expect(rewriteSchema(bomb, ["gemini-openapi"]).schema).toEqual(bomb);
  });

  const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

  it("converts an older dialect to 2020-12, and leaves what it cannot convert", () => {
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: { minimum: 1 } };
    const old = object(
      { a: tuple, b: { $ref: "#/definitions/b", minLength: 9 } },
      {
        $schema: DRAFT_07,
        definitions: { b: { $ref: "#/definitions/c" }, c: { type: "string" } },
        dependencies: { a: ["b"], b: { minProperties: 1 } },
      },
    );
    const modern = object(
      {
        a: { type: "array", prefixItems: [{ type: "string" }], items: { minimum: 1 } },
        b: { $ref: "#/$defs/b" },
      },
      {
        $defs: { b: { $ref: "#/$defs/c" }, c: { type: "string" } },
        dependentRequired: { a: ["b"] },
        dependentSchemas: { b: { minProperties: 1 } },
      },
    );
    expect(rewriteSchema(old, ["anthropic"])).toMatchObject({ schema: modern, refused: [] });
    expect(rewriteSchema(old, ["anthropic"]).schema).toEqual(modern);
    expect(rewriteSchema(object({}, { $schema: DRAFT_07 }), ["gemini-openapi"]).schema).toEqual(
      object({}),
    );
    const anchored = object(
      { a: { $id: "#a", items: [{}] }, b: { $ref: "#a" } },
      { $schema: DRAFT_07 },
    );
    expect(rewriteSchema(anchored, ["anthropic"]).schema).toEqual(anchored);
  });

  it("converts draft-04's boolean bounds to numbers", () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const a = { type: "number", minimum: 1, exclusiveMinimum: true };
    const b = { type: "number", maximum: 1, exclusiveMaximum: false };
    expect(rewriteSchema(object({ a, b }, { $schema, id: "urn:x" }), ["anthropic"]).schema).toEqual(
      object({ a: { type: "number", exclusiveMinimum: 1 }, b: { type: "number", maximum: 1 } }),
    );
  });

  it.each<[string, string, JsonObject]>([
    ["dependentRequired", "draft-07", { dependentRequired: { b: ["c"] } }],
    ["unevaluatedProperties", "draft-07", { unevaluatedProperties: { type: "string" } }],
    ["const", "draft-04", { const: 5 }],
    ["if", "draft-06", { if: { type: "string" }, else: false }],
    ["prefixItems", "2019-09", { prefixItems: [false] }],
  ])("removes %s, which has no meaning in %s", (keyword, dialect, schema) => {
    const $schema = dialect.startsWith("draft")
      ? `http://json-schema.org/${dialect}/schema#`
      : `https://json-schema.org/draft/${dialect}/schema`;
    const made = rewriteSchema(object({ a: schema }, { $schema }), ["gemini-openapi"]);
    expect(made.refused).toEqual([]);
    expect(made.schema).not.toHaveProperty("$schema");
    expect(made.schema).not.toHaveProperty(`properties.a.${keyword}`);
    const known = rewriteSchema(object({ a: schema }), ["gemini-openapi"]);
    expect(known.refused).toEqual([]);
  });

  it.each<[string, ProviderName, JsonObject]>([
    ["properties", "gemini-openapi", { additionalProperties: true, unevaluatedProperties: false }],
    ["items", "openai", { type: "array", unevaluatedItems: false }],
  ])(
    "keeps the annotations of evaluated %s if a keyword depends on them",
    (_, provider, schema) => {
      let deep = object({ a: schema });
      // Nests deeper than the values with which rewrites are tried.
      for (let i = 0; i < 8; i++) deep = object({ a: deep });
      const made = rewriteSchema(deep, [provider]);
      expect(made.schema).toEqual(deep);
      expect(made.refused).toEqual([]);
    },
  );

  it("keeps a huge number as an integer's value", () => {
    const { properties } = rewriteSchema(
      object({ a: { type: ["integer", "null"], enum: [Number.POSITIVE_INFINITY, null] } }),
      ["gemini-openapi"],
    ).schema;
    expect((properties as JsonObject)["a"]).toMatchObject({
      anyOf: [{ type: "integer", enum: [Number.POSITIVE_INFINITY] }, { type: "null" }],
    });
  });

  it("keeps definitions where references find them when it splits types", () => {
    const list = { type: ["object", "null"], properties: { next: { $ref: "#/$defs/list" } } };
    const schema = { type: ["object", "null"], properties: list.properties, $defs: { list } };
    const made = rewriteSchema(schema, ["gemini-openapi"]);
    expect(made.refused).toEqual([]);
    expect(made.schema).toMatchObject({ anyOf: [{ type: "object" }, { type: "null" }], $defs: {} });
  });

  it.each(["__proto__", "__defineGetter__"])(
    "rewrites the rest of a schema with the keyword %s",
    (keyword) => {
      const a: unknown = JSON.parse(`{"const":"x","${keyword}":1}`);
      const { changes } = rewriteSchema(object({ a }), ["gemini-openapi"]);
      expect(changes).toContainEqual({
        step: "const-to-enum",
        kind: "same",
        did: "const is written as enum",
        evidence: "proof",
      });
    },
  );

  it("reports what it could not rewrite, and rewrites the rest", () => {
    const a = { $ref: "https://a.test/s#/$defs/b" };
    const schema = object(
      { a, c: true },
      { $id: "https://a.test/s", $defs: { b: { title: "t" } } },
    );
    const made = rewriteSchema(schema, ["gemini-openapi"]);
    expect(made.refused).toEqual([
      { step: "drop-annotations", value: expect.stringContaining("leads to nothing") },
    ]);
    expect(made.schema).toEqual({ ...schema, properties: { a, c: {} } });
    expect(made.changes).toHaveLength(1);
  });

  it("reports the weakest evidence of a step that was taken in two rounds", () => {
    const $schema = "https://json-schema.org/draft/2019-09/schema";
    const schema = object({
      a: { $schema, enum: [6, "foo", [], true, { foo: 12 }] },
      b: { type: ["string", "null"] },
    });
    const takers = ["gemini-openapi", "openai-strict", "anthropic"] as const;
    const alone = rewriteSchema(object({ b: { type: ["string", "null"] } }), takers);
    const evidenceIn = ({ changes }: typeof alone): unknown =>
      changes.find(({ step }) => step === "split-types")?.evidence;
    expect(evidenceIn(alone)).toBe("proof");
    expect(evidenceIn(rewriteSchema(schema, takers))).toEqual({ tried: expect.any(Number) });
  });

  it("does not report as refused what a later round did", () => {
    const $schema = "https://json-schema.org/draft/2019-09/schema";
    const schema = { $schema, examples: [{ type: "string" }], $ref: "#/examples/0" };
    const made = rewriteSchema(schema, ["gemini-openapi", "openai-strict", "anthropic"], {
      kinds: ["same", "wider"],
      ofArguments: true,
      isPatient: false,
    });
    expect(made.changes.map(({ step }) => step)).toContain("drop-annotations");
    expect(made.refused.map(({ step }) => step)).not.toContain("drop-annotations");
  });
});
