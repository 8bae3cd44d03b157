import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { SchemaCache } from "./cache.ts";
import { compileDeclared } from "./compile.ts";
import type { SchemaInput } from "./document/source.ts";
import type { Dialect } from "./keywords/dialect.ts";

const text = (value: string): SchemaInput => ({ text: value });
const value = (schema: unknown): SchemaInput => ({ value: schema });

describe("missing and boolean schemas", () => {
  it.each<[string, SchemaInput]>([
    ["null", null],
    ["undefined", undefined],
    ["a null value", value(null)],
    ["an undefined value", value(undefined)],
    ["the text null", text("null")],
    ["true", value(true)],
    ["{}", value({})],
  ])("%s accepts everything", (_name, schema) => {
    const compiled = compileDeclared(schema);
    expect(compiled.error).toBeUndefined();
    expect(compiled.validateText("[1]")).toMatchObject({ valid: true, outcome: "pass" });
  });

  it("false accepts nothing", () => {
    expect(compileDeclared(text("false")).validateText("1").errors).toMatchObject([
      { path: "", keyword: "false schema", rule: "value", message: "boolean schema is false" },
    ]);
  });
});

describe("a schema compiled without the metaschema check", () => {
  const options = { metaschema: false } as const;
  const schemas: unknown[] = [
    { type: "object", properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { enum: [1] } } },
    { type: 5 },
    { properties: [] },
    { properties: { a: 5 } },
    { required: "a" },
    { enum: {} },
    { pattern: 5 },
    { pattern: "(" },
    { $ref: "#/nowhere" },
    { minimum: "1" },
    { allOf: {} },
    { items: 5 },
  ];

  it.each(schemas)("never throws, and gives the usual result if it is valid: %j", (schema) => {
    const [quick, usual] = [
      compileDeclared(value(schema), options),
      compileDeclared(value(schema)),
    ];
    for (const tried of [{ a: 1 }, { a: 2 }, [1], "a", 1, null]) {
      const check = quick.validate(tried);
      if (usual.error === undefined) expect(check).toEqual(usual.validate(tried));
      quick.isValid(tried);
    }
  });

  it("is cached apart from one that was checked", () => {
    const cache = new SchemaCache();
    const broken = value({ type: 5 });
    cache.get(broken, options);
    expect(cache.get(broken).error?.code).toBe("metaschema");
  });
});

describe("an input without a form", () => {
  const given: [string, unknown, string][] = [
    ["a text", '{"type":"string"}', "a string"],
    ["a schema", { type: "string" }, "such an object"],
    ["a boolean", false, "a boolean"],
    ["a text of another type", { text: { type: "string" } }, "such a text"],
    ["an empty object", {}, "such an object"],
    ["an array", [{ value: {} }], "such an object"],
  ];

  it.each(given)("is an error, not a schema that accepts everything: %s", (_name, input, what) => {
    const cache = new SchemaCache();
    for (const compile of [compileDeclared, (given: SchemaInput) => cache.get(given)]) {
      const compiled = compile(input as SchemaInput);
      expect(compiled.error).toMatchObject({
        code: "not_a_schema",
        message: `a schema is given as { text }, its JSON text, or as { value }; ${what} is neither`,
      });
      expect(compiled.validate(1)).toMatchObject({ valid: false, outcome: "uncompilable" });
    }
  });
});

it("reports options that throw", () => {
  const trap = (): never => {
    throw new Error("trap");
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const limits = Object.defineProperty({}, "maxBytes", { get: trap });
  for (const options of [Object.defineProperty({}, "limits", { get: trap }), { limits }, proxy]) {
    const compiled = compileDeclared(value({ type: "string" }), options);
    expect(compiled.error?.message).toMatch(/^the schema's options cannot be used: .+/);
    expect(compiled.validateText('"a"')).toMatchObject({ valid: false, outcome: "uncompilable" });
  }
});

it.each([
  ["draft7", '"draft7"'],
  ["http://json-schema.org/draft-07/schema#", '"http://json-schema.org/draft-07/schema#"'],
  [null, "null"],
  [Symbol("a"), "a symbol"],
])("lists the known dialects if %j is requested", (dialect, given) => {
  const schemas = [{ type: "string" }, { $schema: "http://json-schema.org/draft-07/schema#" }];
  for (const schema of schemas) {
    const compiled = compileDeclared(value(schema), { dialect: dialect as Dialect });
    expect(compiled.error).toEqual({
      code: "uncompilable",
      message: `the schema's options cannot be used: "dialect" is ${given}; it must be one of "draft-04", "draft-06", "draft-07", "2019-09", "2020-12"`,
      path: "",
    });
    expect(compiled.validateText('"a"')).toMatchObject({ valid: false, outcome: "uncompilable" });
  }
});

it("hashes the original text", () => {
  const written = '{ "type": "string" }';
  const hash = `sha256:${createHash("sha256").update(written).digest("hex")}`;
  expect(compileDeclared(text(written)).hash).toBe(hash);
  const bytes = new TextEncoder().encode(written);
  const compiled = compileDeclared({ text: bytes });
  // The bytes belong to the caller, who may overwrite them before the hash is read.
  bytes.fill(0x20);
  expect(compiled.hash).toBe(hash);
  expect(compileDeclared(text("")).hash).toBe(
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});

it("warns once about each unknown format", () => {
  const schema = {
    properties: { a: { format: "uint32" }, b: { format: "uint32" }, c: { format: "email" } },
  };
  const compiled = compileDeclared(value(schema));
  expect(compiled.warnings).toMatchObject([
    { path: expect.stringMatching(/^\/properties\/[ab]\/format$/), rule: "format" },
  ]);
  expect(compiled.validateText('{"a":1,"c":"no"}')).toMatchObject({
    errors: [{ rule: "format" }],
    warnings: [],
  });
  const off = compileDeclared(value(schema), { formats: false });
  expect(off.warnings).toEqual([]);
  expect(off.validateText('{"c":"no"}').valid).toBe(true);
});

it("keeps schemas with the same $id apart", () => {
  const first = compileDeclared(value({ $id: "http://x/a", type: "string" }));
  const second = compileDeclared(value({ $id: "http://x/a", type: "number" }));
  const third = compileDeclared(value({ $ref: "http://x/a" }));
  expect(first.validateText('"a"').valid).toBe(true);
  expect(second.validateText("1").valid).toBe(true);
  expect(third.error?.code).toBe("unresolved_reference");
});

it.each(["http://x/root.json", "root.json", "root.json#/$defs/a", "#/$defs/a", "#a", "#"])(
  "resolves %s inside the document",
  ($ref) => {
    const schema = {
      $id: "http://x/root.json",
      type: "object",
      $defs: { a: { $anchor: "a", type: "object" } },
      properties: { c: { $ref } },
    };
    const compiled = compileDeclared(value(schema));
    expect(compiled.error).toBeUndefined();
    expect(compiled.validateText('{"c":1}').errors).toMatchObject([
      { path: "/c", keyword: "type" },
    ]);
  },
);

test("compiling and checking never throw, for any input", () => {
  const cycle: Record<string, unknown> = {};
  cycle["properties"] = { a: cycle };
  const hostile: unknown[] = [
    cycle,
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    ),
    {
      get type(): never {
        throw new Error("getter");
      },
    },
    {
      toJSON: () => {
        throw new Error("toJSON");
      },
    },
    Symbol("s"),
    new Date(Number.NaN),
    { $ref: "#/" },
    { $id: "http://[" },
    { $id: "\u0000", $ref: "%" },
    {
      properties: Object.fromEntries(
        Array.from({ length: 6000 }, (_, i) => [`p${i}`, { type: "string" }]),
      ),
    },
  ];
  for (const schema of hostile) {
    const compiled = compileDeclared(value(schema));
    expect(compiled.validateText("{}").outcome).toMatch(/pass|uncompilable|budget/);
  }
  for (const input of [
    1,
    "x",
    { text: 5 },
    { text: {} },
    [],
    new Proxy(
      {},
      {
        has: () => {
          throw new Error("trap");
        },
      },
    ),
  ]) {
    expect(typeof compileDeclared(input as never).hash).toBe("string");
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (schema, data) => {
      const compiled = compileDeclared(value(schema));
      expect(compiled.validateText(JSON.stringify(data)).outcome).toMatch(
        /pass|violation|uncompilable|budget/,
      );
    }),
  );
});
