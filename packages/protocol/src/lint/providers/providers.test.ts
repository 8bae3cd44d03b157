import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { rewriteSchema } from "../rewrite/rewrite-schema.ts";
import { lintFor } from "./lint-for.ts";
import { PROVIDERS, type ProviderName } from "./provider.ts";

const tool = (inputSchema: unknown, more: JsonObject = {}): JsonObject => ({
  name: "t",
  description: "d",
  inputSchema,
  ...more,
});
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const found = (provider: ProviderName, ...tools: unknown[]): string[] =>
  lintFor(tools, [provider]).map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);
const A = "/inputSchema/properties/a";

describe("lintFor", () => {
  it.each(PROVIDERS)("has nothing against a plain tool for %s", (provider) => {
    const a = { type: "array", items: { type: "string", description: "d" } };
    expect(
      found(
        provider,
        tool(
          object(
            { a },
            { required: ["a"], ...(provider === "gemini" ? {} : { additionalProperties: false }) },
          ),
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    ["openai_strict", '"openai_strict"'],
    ["toString", '"toString"'],
    [undefined, "of type undefined"],
  ])("throws for the provider %s, and tells which are known", (name, given) => {
    const names = [name as ProviderName];
    const message = `the provider ${given} is not known; name one of "openai", "openai-strict", "anthropic", "gemini", "vscode"`;
    for (const run of [() => lintFor([], names), () => rewriteSchema({ type: "tuple" }, names)]) {
      expect(run).toThrow(new TypeError(message));
    }
  });

  it.each([null, undefined, "openai", { length: 1, 0: "openai" }, 5])(
    "throws for %j in the place of a list of providers",
    (given) => {
      const names = given as unknown as ProviderName[];
      const message =
        'the providers are no list; give an array of "openai", "openai-strict", "anthropic", "gemini", "vscode"';
      for (const run of [() => lintFor([], names), () => rewriteSchema({}, names)]) {
        expect(run).toThrow(new TypeError(message));
      }
    },
  );

  it.each<[ProviderName, string, unknown, string[]]>([
    [
      "openai",
      "anyOf at the top",
      tool(object({}, { anyOf: [{}] })),
      ["error top-level /inputSchema/anyOf"],
    ],
    [
      "openai",
      "an array without items",
      tool(object({ a: { type: "array" } })),
      [`error array-items ${A}`],
    ],
    [
      "openai",
      "an array deep inside",
      tool(object({ a: { anyOf: [{ type: "array" }, { type: "null" }] } })),
      [`error array-items ${A}/anyOf/0`],
    ],
    [
      "openai",
      "a tuple",
      tool(object({ a: { type: "array", prefixItems: [{}] } })),
      [`error array-items ${A}`],
    ],
    ["openai", "no properties", tool({ type: "object" }), ["error object-properties /inputSchema"]],
    ["openai", "a name with a dot", tool(object({}), { name: "a.b" }), ["error tool-name /name"]],
    [
      "openai",
      "a long name",
      tool(object({}), { name: "a".repeat(65) }),
      ["error tool-name /name"],
    ],
    [
      "openai",
      "a long description",
      tool(object({}), { description: "a".repeat(1025) }),
      ["warning description-length /description"],
    ],
    ["openai", "no object", tool({ type: "array", items: {} }), ["error top-level /inputSchema"]],
    ["openai-strict", "an open object", tool(object({})), ["error closed-objects /inputSchema"]],
    [
      "openai-strict",
      "an optional property with a default",
      tool(object({ a: { type: "string", default: "x" } }, { additionalProperties: false })),
      [`error required-all ${A}`, `error keyword ${A}/default`],
    ],
    [
      "openai-strict",
      "a format",
      tool(
        object(
          { a: { type: "string", format: "uri" } },
          { additionalProperties: false, required: ["a"] },
        ),
      ),
      [`error format ${A}/format`],
    ],
    [
      "anthropic",
      "allOf at the top",
      tool(object({}, { allOf: [] })),
      ["error schema /inputSchema/allOf", "error top-level /inputSchema/allOf"],
    ],
    [
      "anthropic",
      "a long description",
      tool(object({}), { description: "a".repeat(2049) }),
      ["warning description-length /description"],
    ],
    ["anthropic", "oneOf below", tool(object({ a: { oneOf: [{}] } })), []],
    [
      "anthropic",
      "a property with a space",
      tool(object({ "a b": {} })),
      ["error property-name /inputSchema/properties/a b"],
    ],
    [
      "anthropic",
      "a tuple of draft 7",
      tool(
        object(
          { a: { type: "array", items: [{}] } },
          { $schema: "http://json-schema.org/draft-07/schema#" },
        ),
      ),
      [`error not-2020-12 ${A}/items`],
    ],
    [
      "anthropic",
      "a bound of draft 4",
      tool(
        object(
          { a: { minimum: 1, exclusiveMinimum: true } },
          { $schema: "http://json-schema.org/draft-04/schema#" },
        ),
      ),
      [`error not-2020-12 ${A}/exclusiveMinimum`],
    ],
    [
      "gemini",
      "keywords that it has no field for",
      tool(object({ a: { type: "string", const: "x", "x-a": 1 } })),
      [`error keyword ${A}/const`, `error keyword ${A}/x-a`],
    ],
    [
      "gemini",
      "types",
      tool(object({ a: { type: ["string", "null"] } })),
      [`error type-list ${A}/type`],
    ],
    [
      "gemini",
      "numbers to choose from",
      tool(object({ a: { type: "integer", enum: [1] } })),
      [`error enum-type ${A}/enum`],
    ],
    [
      "gemini",
      "a format",
      tool(
        object({ a: { type: "string", format: "uri" }, b: { type: "integer", format: "int32" } }),
      ),
      [`error format ${A}/format`],
    ],
    [
      "gemini",
      "an undeclared property",
      tool(object({}, { required: ["a"] })),
      ["error required-undeclared /inputSchema/required/0"],
    ],
    [
      "gemini",
      "properties of a string",
      tool(object({ a: { type: "string", properties: {} } })),
      [`error keyword-of-another-type ${A}/properties`],
    ],
    ["gemini", "no type", tool(object({ a: { description: "d" } })), [`warning type-missing ${A}`]],
    ["gemini", "booleans for schemas", tool(object({ a: true })), [`error boolean-schema ${A}`]],
    [
      "anthropic",
      "booleans for schemas",
      tool(object({ a: object({ properties: false }) })),
      [`warning boolean-schema ${A}/properties/properties`],
    ],
    [
      "openai-strict",
      "booleans for schemas, and none",
      tool(
        object(
          {
            a: true,
            b: { description: "d" },
            c: { enum: [1] },
            d: { anyOf: [{ minimum: 1 }] },
            e: { const: "x" },
          },
          { additionalProperties: false, required: ["a", "b", "c", "d", "e"] },
        ),
      ),
      [
        `error boolean-schema ${A}`,
        "error type-missing /inputSchema/properties/b",
        "error type-missing /inputSchema/properties/d/anyOf/0",
        "error type-missing /inputSchema/properties/e",
      ],
    ],
    ["openai", "booleans for schemas", tool(object({ a: true })), []],
    ["vscode", "null for a schema", tool(null), ["error top-level /inputSchema"]],
    ["anthropic", "true for a schema", tool(true), ["error top-level /inputSchema"]],
    ["openai", "no schema", { name: "t", description: "d" }, ["error top-level "]],
    [
      "gemini",
      "a description beside anyOf",
      tool(
        object({
          a: { anyOf: [{ type: "string" }, { type: "null" }], description: "d" },
          b: { anyOf: [{ type: "string", description: "d" }, { type: "null" }] },
        }),
      ),
      [`error any-of-alone ${A}/description`],
    ],
    ["gemini", "a long name", tool(object({}), { name: "a".repeat(128) }), []],
    [
      "gemini",
      "a name that is too long",
      tool(object({}), { name: "a".repeat(129) }),
      ["error tool-name /name"],
    ],
    [
      "gemini",
      "a name that begins with a digit",
      tool(object({}), { name: "1a" }),
      ["error tool-name /name"],
    ],
    [
      "vscode",
      "an array without items",
      tool(object({ a: { type: ["array", "null"] } })),
      [`error array-items ${A}`],
    ],
    [
      "vscode",
      "what others refuse",
      tool(object({ a: { const: 1 } }, { oneOf: [{}] }), { name: "a b" }),
      [],
    ],
  ])("%s: %s", (provider, _, value, expected) => {
    expect(found(provider, value).sort()).toEqual([...expected].sort());
  });

  it.each(PROVIDERS)("finds names that stand twice, for %s", (provider) => {
    const schema = object({}, provider === "openai-strict" ? { additionalProperties: false } : {});
    const tools = ["a", "b", "a", "A"].map((name) => tool(schema, { name }));
    const nameless = { description: "d", inputSchema: schema };
    expect(lintFor([...tools, nameless, nameless], [provider])).toMatchObject([
      { tool: "a", index: 2, path: "/name", rule: "duplicate-name", severity: "error" },
    ]);
  });

  it("tells nothing of what is no list", () => {
    for (const tools of [undefined, null, {}, "tools", 5]) {
      expect(lintFor(tools, ["openai"])).toEqual([]);
    }
  });

  it("counts levels by properties and items alone, whatever names look like", () => {
    const told = (schema: JsonObject): string | undefined =>
      lintFor([tool(schema)], ["openai-strict"]).find(({ rule }) => rule === "nesting")?.message;
    const wrapped = (times: number, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
      let schema: JsonObject = { type: "string" };
      for (let i = 0; i < times; i += 1) schema = wrap(schema);
      return schema;
    };
    expect(told(object({ a: wrapped(9, (items) => ({ type: "array", items })) }))).toMatch(
      /are 11$/,
    );
    expect(told(object({ a: wrapped(8, (items) => ({ type: "array", items })) }))).toBeUndefined();
    const named = wrapped(8, (inner) => object({ properties: inner }));
    expect(told(object({ items: named }))).toBeUndefined();
    expect(told(object({ a: wrapped(20, (inner) => ({ anyOf: [inner] })) }))).toBeUndefined();
  });

  it("counts tools, levels, properties and values", () => {
    const many = Array.from({ length: 129 }, (_, i) => tool(object({}), { name: `t${i}` }));
    expect(found("vscode", ...many)).toEqual(["warning tool-count "]);
    let deep: JsonObject = { type: "string" };
    for (let i = 0; i < 12; i += 1)
      deep = object({ a: deep }, { required: ["a"], additionalProperties: false });
    expect(found("openai-strict", tool(deep))).toEqual(["error nesting /inputSchema"]);
    const values = { type: "string", enum: Array.from({ length: 1001 }, (_, i) => `v${i}`) };
    const strict = { required: ["a"], additionalProperties: false };
    expect(found("openai-strict", tool(object({ a: values }, strict)))).toEqual([
      "error enum-count /inputSchema",
    ]);
    const long = (count: number, length: number) => ({
      type: "string",
      enum: Array.from({ length: count }, (_, i) => `${i}`.padStart(length, "v")),
    });
    expect(found("openai-strict", tool(object({ a: long(251, 60) }, strict)))).toEqual([
      `error text-length ${A}/enum`,
    ]);
    expect(found("openai-strict", tool(object({ a: long(250, 400) }, strict)))).toEqual([]);
    const named = Object.fromEntries(
      Array.from({ length: 61 }, (_, i) => [`${i}`.padEnd(2000), { type: "string" }]),
    );
    const closed = { required: Object.keys(named), additionalProperties: false };
    expect(found("openai-strict", tool(object(named, closed)))).toEqual([
      "error text-length /inputSchema",
    ]);
  });

  it("tells what to do about each", () => {
    const findings = lintFor(
      [tool({ anyOf: [], properties: { "a b": { type: "array", const: 1 } } })],
      PROVIDERS,
    );
    expect(findings.length).toBeGreaterThan(5);
    for (const { message, fix, provider } of findings)
      expect([provider, message && fix]).not.toContain("");
  });

  it.each(["constructor", "__proto__", "toString"])("has a fix for the keyword %s", (keyword) => {
    const property: unknown = JSON.parse(`{"type":"string","${keyword}":1}`);
    const inputSchema = { type: "object", properties: { a: property } };
    const fixes = lintFor([{ name: "t", inputSchema }], ["gemini"]).map(({ fix }) => typeof fix);
    expect(fixes).toEqual(["string"]);
  });

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)("says of published servers what their users have met", () => {
    const met = new Map<string, Set<string>>();
    for (const file of readdirSync(folder ?? "")) {
      const { tools } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
      for (const { provider, rule, severity } of lintFor(tools, PROVIDERS)) {
        if (severity !== "error") continue;
        const rules = met.get(provider) ?? new Set();
        met.set(provider, rules.add(rule));
      }
    }
    // They are served to these every day.
    expect([...met.keys()].sort()).toEqual(["gemini", "openai-strict"]);
    expect([...(met.get("gemini") ?? [])].sort()).toEqual([
      "any-of-alone",
      "format",
      "keyword",
      "type-list",
    ]);
  });
});
