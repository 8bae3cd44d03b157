import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { sharedPath } from "../../../../../core/src/testing/shared.ts";
import { rewriteSchema } from "../../rewrite/rewrite-schema.ts";
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
/** Providers that refuse `additionalProperties` at the top. */
const NOT_CLOSED: ReadonlySet<ProviderName> = new Set(["gemini-openapi", "nova"]);

describe("lintFor", () => {
  it.each(PROVIDERS)("accepts a plain tool for %s", (provider) => {
    const a = { type: "array", items: { type: "string", description: "d" } };
    expect(
      found(
        provider,
        tool(
          object(
            { a },
            {
              required: ["a"],
              ...(NOT_CLOSED.has(provider) ? {} : { additionalProperties: false }),
            },
          ),
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    ["openai_strict", '"openai_strict"'],
    ["toString", '"toString"'],
    [undefined, "of type undefined"],
  ])("throws for the provider %s, and lists the known ones", (name, given) => {
    const names = [name as ProviderName];
    const message = `the provider ${given} is not known; name one of "openai", "openai-strict", "anthropic", "bedrock", "nova", "gemini", "gemini-openapi", "moonshot", "llama-cpp", "vscode"`;
    for (const run of [() => lintFor([], names), () => rewriteSchema({ type: "tuple" }, names)]) {
      expect(run).toThrow(new TypeError(message));
    }
  });

  it.each([null, undefined, "openai", { length: 1, 0: "openai" }, 5])(
    "throws for %j instead of a list of providers",
    (given) => {
      const names = given as unknown as ProviderName[];
      const message =
        'the providers are not a list; give an array of "openai", "openai-strict", "anthropic", "bedrock", "nova", "gemini", "gemini-openapi", "moonshot", "llama-cpp", "vscode"';
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
      "gemini-openapi",
      "keywords that it has no field for",
      tool(object({ a: { type: "string", const: "x", "x-a": 1 } })),
      [`error keyword ${A}/const`, `error keyword ${A}/x-a`],
    ],
    [
      "gemini-openapi",
      "types",
      tool(object({ a: { type: ["string", "null"] } })),
      [`error type-list ${A}/type`],
    ],
    [
      "gemini-openapi",
      "numbers to choose from",
      tool(object({ a: { type: "integer", enum: [1] } })),
      [`error enum-type ${A}/enum`],
    ],
    [
      "gemini-openapi",
      "a format",
      tool(
        object({ a: { type: "string", format: "uri" }, b: { type: "integer", format: "int32" } }),
      ),
      [`error format ${A}/format`],
    ],
    [
      "gemini-openapi",
      "an undeclared property",
      tool(object({ x: { type: "string" } }, { required: ["a"] })),
      ["error required-undeclared /inputSchema/required/0"],
    ],
    [
      "gemini-openapi",
      "properties of a string",
      tool(object({ a: { type: "string", properties: {} } })),
      [`error keyword-of-another-type ${A}/properties`],
    ],
    [
      "gemini-openapi",
      "no type",
      tool(object({ a: { description: "d" } })),
      [`warning type-missing ${A}`],
    ],
    [
      "gemini-openapi",
      "booleans for schemas",
      tool(object({ a: true })),
      [`error boolean-schema ${A}`],
    ],
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
      "gemini-openapi",
      "a description beside anyOf",
      tool(
        object({
          a: { anyOf: [{ type: "string" }, { type: "null" }], description: "d" },
          b: { anyOf: [{ type: "string", description: "d" }, { type: "null" }] },
        }),
      ),
      [`error any-of-alone ${A}/description`],
    ],
    [
      "gemini-openapi",
      "a long name",
      tool(object({ x: { type: "string" } }), { name: "a".repeat(64) }),
      [],
    ],
    [
      "gemini-openapi",
      "a name that is too long",
      tool(object({ x: { type: "string" } }), { name: "a".repeat(129) }),
      ["error tool-name /name"],
    ],
    [
      "gemini-openapi",
      "a name that begins with a digit",
      tool(object({ x: { type: "string" } }), { name: "1a" }),
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

  it.each(PROVIDERS)("reports duplicate names for %s", (provider) => {
    const closed = provider === "openai-strict" ? { additionalProperties: false } : {};
    const schema = object({ x: { type: "string" } }, { required: ["x"], ...closed });
    const tools = ["a", "b", "a", "A"].map((name) => tool(schema, { name }));
    const nameless = { description: "d", inputSchema: schema };
    expect(lintFor([...tools, nameless, nameless], [provider])).toMatchObject([
      { tool: "a", index: 2, path: "/name", rule: "duplicate-name", severity: "error" },
    ]);
  });

  it("reports nothing for a value that is not a list", () => {
    for (const tools of [undefined, null, {}, "tools", 5]) {
      expect(lintFor(tools, ["openai"])).toEqual([]);
    }
  });

  it("counts levels only through properties and items, whatever the names", () => {
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

  it("says what to do about each finding", () => {
    const findings = lintFor(
      [tool({ anyOf: [], properties: { "a b": { type: "array", const: 1 } } })],
      PROVIDERS,
    );
    expect(findings.length).toBeGreaterThan(5);
    for (const { message, fix, provider } of findings)
      expect([provider, message && fix]).not.toContain("");
  });

  it.each(["constructor", "__proto__", "toString"])(
    "suggests a fix for the keyword %s",
    (keyword) => {
      const property: unknown = JSON.parse(`{"type":"string","${keyword}":1}`);
      const inputSchema = { type: "object", properties: { a: property } };
      const fixes = lintFor([{ name: "t", inputSchema }], ["gemini-openapi"]).map(
        ({ fix }) => typeof fix,
      );
      expect(fixes).toEqual(["string"]);
    },
  );

  const folder = sharedPath("corpus", "tools-list");
  it.skipIf(folder === undefined)("reports the known problems of published servers", () => {
    const met = new Map<string, Set<string>>();
    for (const file of readdirSync(folder ?? "")) {
      const { tools } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
      for (const { provider, rule, severity } of lintFor(tools, PROVIDERS)) {
        if (severity !== "error") continue;
        const rules = met.get(provider) ?? new Set();
        met.set(provider, rules.add(rule));
      }
    }
    // The other providers accept such tools every day, so no rule may report an error for them.
    expect([...met.keys()].sort()).toEqual([
      "gemini-openapi",
      "llama-cpp",
      "moonshot",
      "nova",
      "openai-strict",
    ]);
    // One of the patterns contains `\d`.
    expect([...(met.get("llama-cpp") ?? [])]).toEqual(["pattern"]);
    expect([...(met.get("moonshot") ?? [])]).toEqual(["type-missing"]);
    expect([...(met.get("nova") ?? [])]).toEqual(["top-level"]);
    expect([...(met.get("gemini-openapi") ?? [])].sort()).toEqual([
      "any-of-alone",
      "format",
      "keyword",
      "type-list",
    ]);
  });
});

const a = (schema: JsonObject): JsonObject => tool(object({ a: schema }));
type Row = [ProviderName, string, JsonObject, readonly string[]];

describe("the forms of one provider, and providers with few rules", () => {
  const at = (keyword: string): string => `/inputSchema/${keyword}`;
  const either = [{ type: "string" }, { type: "integer" }];
  const text = { type: "string" };

  const PATTERN = [`error pattern ${A}/pattern`];
  const refers = (schema: JsonObject): JsonObject =>
    tool(object({ a: schema }, { $defs: { b: { type: "string" } } }));
  const $ref = "#/$defs/b";

  it.each<Row>([
    [
      "gemini",
      "plain JSON Schema",
      tool(
        object(
          { a: { const: 1, type: ["integer", "null"] }, b: { $ref: "#/$defs/b" } },
          {
            $schema: "http://json-schema.org/draft-07/schema#",
            additionalProperties: false,
            $defs: { b: { oneOf: either } },
          },
        ),
      ),
      [],
    ],
    ["gemini", "a name with a blank", tool(object({}), { name: "a b" }), ["error tool-name /name"]],
    ["gemini-openapi", "const", a({ ...text, const: "x" }), [`error keyword ${A}/const`]],
    [
      "nova",
      "$schema at the top",
      tool(object({}, { $schema: "https://json-schema.org/draft/2020-12/schema" })),
      [`error top-level ${at("$schema")}`],
    ],
    [
      "nova",
      "a closed object at the top",
      tool(object({}, { additionalProperties: false })),
      [`error top-level ${at("additionalProperties")}`],
    ],
    [
      "nova",
      "definitions",
      tool(object({}, { $defs: { a: text } })),
      [`error top-level ${at("$defs")}`],
    ],
    [
      "nova",
      "the same keywords below the top",
      a(object({}, { additionalProperties: false, description: "d" })),
      [],
    ],
    [
      "nova",
      "a bound beyond 32 bits",
      a({ type: "integer", maximum: 2 ** 40 }),
      [`warning number-range ${A}/maximum`],
    ],
    [
      "bedrock",
      "definitions",
      tool(object({}, { definitions: { a: text } })),
      [`info top-level ${at("definitions")}`],
    ],
    [
      "bedrock",
      "a closed object at the top",
      tool(object({}, { additionalProperties: false })),
      [],
    ],
    [
      "moonshot",
      "a type beside anyOf",
      a({ type: "string", anyOf: [{ minLength: 1 }] }),
      [`error any-of-type ${A}/type`],
    ],
    [
      "moonshot",
      "a type beside anyOf at the top",
      tool(object({}, { anyOf: [{ required: ["a"] }] })),
      [`error any-of-type ${at("type")}`],
    ],
    ["moonshot", "types in the branches of anyOf", a({ anyOf: either }), []],
    ["moonshot", "a property without a type", a({ description: "d" }), [`error type-missing ${A}`]],
    ["moonshot", "values without a type", a({ enum: ["x"] }), [`warning type-missing ${A}`]],
    ["moonshot", "a constant without a type", a({ const: "x" }), [`warning type-missing ${A}`]],
    ["moonshot", "a property that is composed", a({ oneOf: either }), []],
    [
      "moonshot",
      "other members of any type",
      tool(object({ a: object({}, { additionalProperties: {} }) })),
      [],
    ],
    [
      "moonshot",
      "a property that is true",
      tool(object({ a: true })),
      [`error boolean-schema ${A}`],
    ],
    [
      "moonshot",
      "a name that begins with a digit",
      tool(object({}), { name: "21st" }),
      ["error tool-name /name"],
    ],
    ["moonshot", "a reference", refers({ $ref }), []],
    ["moonshot", "a reference to the whole", tool(object({ a: { $ref: "#" } })), []],
    [
      "moonshot",
      "a reference with a description",
      refers({ $ref, description: "d" }),
      [`warning ref-alone ${A}/description`],
    ],
    [
      "moonshot",
      "a reference with a type and a length",
      refers({ $ref, type: "string", minLength: 1 }),
      [`error ref-alone ${A}/type`, `warning ref-alone ${A}/minLength`],
    ],
    [
      "moonshot",
      "a reference to old definitions",
      tool(object({ a: { $ref: "#/definitions/b" } }, { definitions: { b: text } })),
      [`error ref-target ${A}/$ref`],
    ],
    [
      "moonshot",
      "a reference into a property",
      tool(object({ a: { $ref: "#/properties/b" }, b: text })),
      [`error ref-target ${A}/$ref`],
    ],
    [
      "llama-cpp",
      "a pattern without anchors",
      a({ ...text, pattern: "[a-z]+" }),
      [`error pattern ${A}/pattern`],
    ],
    [
      "llama-cpp",
      "a pattern with one anchor",
      a({ ...text, pattern: "^a" }),
      [`error pattern ${A}/pattern`],
    ],
    ["llama-cpp", "an escaped dollar at the end", a({ ...text, pattern: "^a\\$" }), PATTERN],
    ...[
      "\\d",
      "\\D",
      "\\w+",
      "\\s*",
      "\\S",
      "a\\b",
      "\\/",
      "\\-",
      "\\p{L}",
      "\\u{61}",
      "\\x6",
      "\\cA",
      "\\0",
      "(a)\\1",
    ]
      .flatMap((piece) => [`^${piece}$`, `^(?:x|${piece})y$`])
      .map(
        (pattern): Row => ["llama-cpp", `an escape: ${pattern}`, a({ ...text, pattern }), PATTERN],
      ),
    ...[
      "[\\d]",
      "[^\\s]",
      "[\\w-]",
      "[a\\-z]",
      "[\\.]",
      "[\\^a]",
      "[\\/]",
      "[\\S\\s]",
      "[a\\]\\d]",
    ].map(
      (piece): Row => [
        "llama-cpp",
        `an escape in a class: ${piece}`,
        a({ ...text, pattern: `^${piece}+$` }),
        PATTERN,
      ],
    ),
    ...[
      "\\.",
      "\\(\\)",
      "\\[\\]",
      "\\{2\\}",
      "\\*\\+\\?",
      "\\|\\^\\$",
      "\\\\d",
      "\\n\\r\\t",
      "\\x61",
      "\\u0061b",
      "[\\]\\[\\\\]",
      "[^\\n]",
    ].map(
      (piece): Row => [
        "llama-cpp",
        `an escape that it reads: ${piece}`,
        a({ ...text, pattern: `^${piece}$` }),
        [],
      ],
    ),
    [
      "llama-cpp",
      "lookahead",
      a({ ...text, pattern: "^(?!x).*$" }),
      [`error pattern ${A}/pattern`],
    ],
    ["llama-cpp", "the characters of lookahead in a class", a({ ...text, pattern: "^[(?=]$" }), []],
    ["llama-cpp", "an anchored pattern", a({ ...text, pattern: "^[a-z]+$" }), []],
    ["llama-cpp", "2000 repetitions", a({ ...text, maxLength: 2000 }), []],
    [
      "llama-cpp",
      "more repetitions",
      a({ ...text, maxLength: 2001 }),
      [`warning number-range ${A}/maxLength`],
    ],
  ])("%s: %s", (provider, _, given, expected) => {
    expect(found(provider, given)).toEqual(expected);
  });

  it.each(["gemini", "gemini-openapi"] as const)("%s warns of names over 64 characters", (name) => {
    const named = (length: number): JsonObject => ({ ...a(text), name: "n".repeat(length) });
    const rules = (length: number, prefix?: string): string[] =>
      lintFor([named(length)], [name], prefix === undefined ? {} : { prefix }).map(
        ({ severity, rule }) => `${severity} ${rule}`,
      );
    expect(rules(64)).toEqual([]);
    expect(rules(65)).toEqual(["warning tool-name"]);
    expect(rules(128)).toEqual(["warning tool-name"]);
    expect(rules(129)).toEqual(["error tool-name"]);
    expect(rules(54, "mcp__a__")).toEqual([]);
    expect(rules(57, "mcp__a__")).toEqual(["warning tool-name"]);
  });

  it.each(["gemini", "gemini-openapi"] as const)("%s refuses more than 512 tools", (provider) => {
    const tools = Array.from({ length: 513 }, (_, at) => ({
      ...a(text),
      name: `t${at}`,
    }));
    expect(found(provider, ...tools)).toEqual(["error tool-count "]);
    expect(found(provider, ...tools.slice(1))).toEqual([]);
  });

  it("suggests no schema without a type for Moonshot", () => {
    const [finding] = lintFor([tool(object({ a: true }))], ["moonshot"]);
    expect(finding?.fix).toBe("Write a schema with a type instead.");
  });

  it.each([-9223372036854775808n, 9223372036854775807n])(
    "does not write other digits for the bound %s",
    (bound) => {
      const [{ message } = { message: "" }] = lintFor(
        [a({ type: "integer", minimum: Number(bound) })],
        ["anthropic"],
      );
      expect(message).toMatch(/minimum is not /);
      expect(message).not.toMatch(/922337/);
    },
  );

  it("rewrites the top for Nova", () => {
    const schema = object(
      { a: { $ref: "#/$defs/a" } },
      { $schema: "https://json-schema.org/draft/2020-12/schema", title: "T", $defs: { a: text } },
    );
    expect(rewriteSchema(schema, ["nova"]).schema).toEqual(object({ a: text }));
    // A closed object cannot be expressed without `additionalProperties`.
    const closed = object({ a: text }, { additionalProperties: false });
    expect(rewriteSchema(closed, ["nova"]).schema).toEqual(closed);
  });
});

describe("patterns", () => {
  const pattern = (source: string): JsonObject => a({ type: "string", pattern: source });

  it.each([
    ["what Python does not know", "^\\p{L}+$", "error", "error"],
    ["lookaround", "^(?!x).*$", "warning", "error"],
    ["lookbehind", "(?<=x)y", "warning", "error"],
    ["a bare bracket in a class", "[a[b]", "warning", "warning"],
  ])("are reported for OpenAI if they contain %s", (_, source, openai, strict) => {
    expect(found("openai", pattern(source))).toEqual([`${openai} pattern ${A}/pattern`]);
    const ofStrict = found("openai-strict", pattern(source));
    expect(ofStrict).toContain(`${strict} pattern ${A}/pattern`);
    for (const other of [
      "anthropic",
      "bedrock",
      "nova",
      "gemini",
      "gemini-openapi",
      "moonshot",
      "vscode",
    ] as const) {
      expect(found(other, pattern(source))).toEqual([]);
    }
  });

  it.each(["^[a-z]+$", "\\(?=x\\)", "[(?!]", "^https?:\\/\\/", "[\\[\\]]"])(
    "that every engine supports are accepted: %s",
    (source) => {
      expect(found("openai", pattern(source))).toEqual([]);
    },
  );

  it("that no engine supports are reported once per provider", () => {
    for (const provider of PROVIDERS) {
      const told = found(provider, pattern("[a-z")).filter((line) => line.includes("pattern"));
      expect(told).toEqual([`error pattern ${A}/pattern`]);
    }
  });

  it("are reported in patternProperties too", () => {
    const schema = { type: "object", properties: { x: {} }, patternProperties: { "\\p{L}": {} } };
    expect(found("openai", a(schema))).toEqual([`error pattern ${A}/patternProperties/\\p{L}`]);
  });
});

describe("gemini-openapi", () => {
  it("rejects an empty string in an enum", () => {
    const told = found("gemini-openapi", a({ type: "string", enum: ["x", ""] }));
    expect(told).toEqual([`error enum-empty ${A}/enum/1`]);
  });

  it("warns about an object without properties", () => {
    expect(found("gemini-openapi", a({ type: "object" }))).toEqual([`warning object-empty ${A}`]);
    const none = found("gemini-openapi", tool(object({})));
    expect(none).toEqual(["warning object-empty /inputSchema"]);
    expect(
      found("gemini-openapi", a({ type: "object", properties: { b: { type: "string" } } })),
    ).toEqual([]);
  });
});

describe("bedrock", () => {
  it.each([
    ["maximum", 2 ** 31 - 1, []],
    ["maximum", 2 ** 31, ["warning number-range"]],
    ["minimum", -(2 ** 31), []],
    ["minimum", -(2 ** 31) - 1, ["warning number-range"]],
    ["maxLength", Number.MAX_SAFE_INTEGER, ["warning number-range"]],
    ["maximum", 2 ** 63, ["error number-range"]],
    ["maximum", 1e300, []],
    ["maximum", 2 ** 40 + 0.5, []],
    ["default", 2 ** 40, []],
  ])("accepts bounds that fit into 32 bits: %s %d", (keyword, value, wanted) => {
    const told = found("bedrock", a({ type: "number", [keyword]: value }));
    expect(told).toEqual(wanted.map((each) => `${each} ${A}/${keyword}`));
  });

  it("rejects an empty description, but not a missing one", () => {
    const empty = tool(object({}), { description: "" });
    expect(found("bedrock", empty)).toEqual(["error description-empty /description"]);
    expect(found("anthropic", empty)).toEqual([]);
    expect(found("bedrock", { name: "t", inputSchema: object({}) })).toEqual([]);
  });
});

it("rejects integers for Anthropic that a double cannot hold", () => {
  const most = (maximum: number): JsonObject => a({ type: "integer", maximum });
  expect(found("anthropic", most(2 ** 63))).toEqual([`error number-range ${A}/maximum`]);
  expect(found("anthropic", most(Number.MAX_SAFE_INTEGER))).toEqual([]);
});

describe("tool names with a client's prefix", () => {
  const named = (length: number): JsonObject => ({
    ...tool(object({ x: {} })),
    name: "n".repeat(length),
  });

  it("cause a warning from 40 characters on", () => {
    for (const provider of ["openai", "anthropic", "bedrock"] as const) {
      expect(found(provider, named(39))).toEqual([]);
      expect(found(provider, named(40))).toEqual(["warning prefixed-name /name"]);
    }
    expect(found("vscode", named(60))).toEqual([]);
    expect(found("openai", named(65))).toEqual(["error tool-name /name"]);
  });

  it("are measured with the given prefix", () => {
    const rules = (length: number, prefix: string): string[] =>
      lintFor([named(length)], ["openai"], { prefix }).map(
        ({ rule, severity }) => `${severity} ${rule}`,
      );
    expect(rules(50, "mcp__github__")).toEqual([]);
    expect(rules(51, "mcp__github__")).toEqual([]);
    expect(rules(52, "mcp__github__")).toEqual(["error prefixed-name"]);
    const [{ message } = { message: "" }] = lintFor([named(20)], ["openai"], {
      prefix: "p".repeat(50),
    });
    expect(message).toMatch(/takes names of 64 characters; "p+n+" has 70/);
  });
});

describe("output schemas", () => {
  const output = (schema: JsonObject): JsonObject =>
    tool(object({ x: {} }), { outputSchema: { type: "object", ...schema } });

  it.each([
    ["http://json-schema.org/draft-07/schema#", ["warning output-schema /outputSchema/$schema"]],
    ["http://json-schema.org/draft-04/schema#", ["error output-schema /outputSchema/$schema"]],
    ["https://json-schema.org/draft/2020-12/schema", []],
    ["https://json-schema.org/draft/2020-12/schema#", []],
  ])("in the dialect %s", ($schema, wanted) => {
    expect(found("anthropic", output({ $schema }))).toEqual(wanted);
    expect(found("openai", output({ $schema }))).toEqual([]);
    // A client does not compile input schemas, so their dialect does not matter.
    expect(found("anthropic", tool(object({ x: {} }, { $schema })))).toEqual([]);
  });

  it("with unresolvable references are reported", () => {
    const told = found("anthropic", output({ properties: { a: { $ref: "#/$defs/None" } } }));
    expect(told).toEqual(["error output-schema /outputSchema/properties/a/$ref"]);
  });
});
