import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileDeclared, isObject, type JsonObject, runSteps } from "@touchstone/core/advanced";
import { lintFor, lintTools } from "@touchstone/protocol/lint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { sharedPath } from "../../../../core/src/testing/shared.ts";
import { randomFrom, sampleInstance } from "../../../../protocol/src/inclusion/sample.ts";
import { type AdvertisedTool, advertiseSteps } from "./advertise.ts";

const advertise = (...given: Parameters<typeof advertiseSteps>): AdvertisedTool =>
  runSteps(advertiseSteps(...given));

const shown = (tool: object, schema: JsonObject, secrets: readonly string[] = []) =>
  advertise(Buffer.from(JSON.stringify(tool)), { schema, secrets });
const tool = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: "t",
  description: "Reads.",
  inputSchema: { type: "object", properties, ...more },
});
/** The definition as clients get it. */
function merged(given: JsonObject, schema: JsonObject, secrets?: readonly string[]): JsonObject {
  const { text } = shown(given, schema, secrets);
  return text === undefined ? given : JSON.parse(text);
}
const inputOf = (given: JsonObject): JsonObject => given["inputSchema"] as JsonObject;
const propertyOf = (given: JsonObject, name = "a"): JsonObject =>
  (inputOf(given)["properties"] as JsonObject)[name] as JsonObject;
const POLICY = "This gateway's policy:";

describe("a property of an advertised tool", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["a bound", { type: "integer" }, { maximum: 9 }, { maximum: 9, type: "integer" }],
    ["the stricter bound", { minimum: 1 }, { minimum: 5 }, { minimum: 5 }],
    ["the stricter bound of the server", { minimum: 5 }, { minimum: 1 }, { minimum: 5 }],
    ["the stricter length", { maxLength: 9 }, { maxLength: 5 }, { maxLength: 5 }],
    ["values", { type: "string" }, { enum: ["x", "y"] }, { enum: ["x", "y"], type: "string" }],
    ["one value", { type: "string" }, { const: "x" }, { enum: ["x"], type: "string" }],
    ["texts without a type", {}, { enum: ["x"] }, { enum: ["x"] }],
    ["values of the type", { type: "string" }, { enum: [1, "y"] }, { enum: ["y"], type: "string" }],
    ["values of both", { enum: ["x", "y"] }, { enum: ["y", "z"] }, { enum: ["y"] }],
    ["values that match", { enum: ["ax", "b"] }, { pattern: "^a" }, { enum: ["ax"] }],
    ["values in a folder", { enum: ["/a/b", "/c"] }, { within: ["/a"] }, { enum: ["/a/b"] }],
    ["a pattern", { type: "string" }, { pattern: "^a" }, { pattern: "^a", type: "string" }],
    [
      "a format",
      { type: "string" },
      { format: "date-time" },
      { format: "date-time", type: "string" },
    ],
    ["a type", {}, { type: "string" }, { type: "string" }],
    ["the common type", { type: ["string", "null"] }, { type: "string" }, { type: "string" }],
    ["whole numbers", { type: "number" }, { type: "integer" }, { type: "integer" }],
    ["what annotates", { type: "string" }, { description: "x", default: "y" }, { type: "string" }],
    [
      "items",
      { type: "array", items: { type: "string" } },
      { items: { maxLength: 3 }, maxItems: 2 },
      { maxItems: 2, type: "array", items: { maxLength: 3, type: "string" } },
    ],
    [
      "an object",
      { type: "object", properties: { b: { type: "string" } }, additionalProperties: true },
      { properties: { b: { minLength: 1 } }, required: ["b"], additionalProperties: false },
      {
        required: ["b"],
        type: "object",
        additionalProperties: false,
        properties: { b: { minLength: 1, type: "string" } },
      },
    ],
  ])("has %s from the tool and the policy", (_, own, more, expected) => {
    const given = tool({ a: own });
    expect(propertyOf(merged(given, { properties: { a: more } }))).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ["a folder", {}, { within: ["/a", "/b"] }, 'must be an absolute path inside "/a" or "/b"'],
    ["a long folder", {}, { within: { folders: ["C:\\a"], ignore_case: true } }, "must be an"],
    ["a host", {}, { hosts: ["a.example"] }, 'must be a URL (http or https) of the host "a.exam'],
    ["a long host", {}, { hosts: { names: ["a.example"], schemes: ["wss"] } }, "URL (wss)"],
    ["what is negated", {}, { not: { const: 1 } }, '{"not":{"const":1}}'],
    ["branches", {}, { anyOf: [{ const: 1 }] }, '{"anyOf":[{"const":1}]}'],
    ["a second pattern", { pattern: "a" }, { pattern: "b" }, '{"pattern":"b"}'],
    ["a slow pattern", {}, { pattern: "(a+)+$" }, '{"pattern":"(a+)+$"}'],
    ["no common type", { type: "string" }, { type: "integer" }, '{"type":"integer"}'],
    ["no common value", { enum: ["x"] }, { enum: ["y"] }, '{"enum":["y"]}'],
    ["another keyword than the server's", {}, { exclusiveMinimum: 1 }, '{"exclusiveMinimum":1}'],
    ["values that are not texts", {}, { enum: [1, 2] }, '{"enum":[1,2]}'],
    ["what is beside branches", { anyOf: [{}] }, { maxLength: 1 }, '{"maxLength":1}'],
    ["which members it may have", {}, { additionalProperties: false }, "must be empty"],
    ["a format that some providers refuse", {}, { format: "uri" }, '{"format":"uri"}'],
    ["an array of anything", {}, { type: "array" }, '{"type":"array"}'],
    ["a reference", { $ref: "#/$defs/s" }, { maxLength: 1 }, '{"maxLength":1}'],
    ["what OpenAPI calls nullable", { nullable: true }, { enum: [1] }, '{"enum":[1]}'],
    [
      "the rest of the items",
      { prefixItems: [{}], items: {} },
      { items: { minLength: 1 } },
      '"ite',
    ],
    ["first items", { items: {} }, { prefixItems: [{}], items: { minLength: 1 } }, '"prefixItems'],
    ["items that are not told", { type: "array" }, { items: { maxLength: 1 } }, '"items":{"maxL'],
    [
      "each item",
      { type: "array", items: { type: "string" } },
      { items: { within: ["/a"] } },
      'each item must be an absolute path inside "/a"',
    ],
  ])("mentions in its description %s", (_, own, more, said) => {
    const given = tool({ a: { ...own, description: "The \u00e9 path." } }, { $defs: { s: {} } });
    const { description, ...rest } = propertyOf(merged(given, { properties: { a: more } }));
    expect(rest).toEqual(own);
    expect(description).toMatch(/^The é path\. This gateway's policy: .*\.$/);
    expect(description).toContain(said);
  });

  it("says that it must not be set", () => {
    const given = tool({ a: { type: "string" }, b: {}, c: {} }, { additionalProperties: {} });
    const made = merged(given, {
      properties: { a: { maxLength: 1 }, b: false },
      additionalProperties: false,
    });
    expect(inputOf(made)["additionalProperties"]).toBe(false);
    expect(propertyOf(made)).toEqual({ type: "string", maxLength: 1 });
    for (const name of ["b", "c"]) {
      expect(propertyOf(made, name)).toEqual({ description: `${POLICY} must not be set.` });
    }
  });

  it("hides secrets", () => {
    const given = tool({ a: { type: "string" }, b: { enum: ["s3cret", "x"] } });
    const narrow = { properties: { a: { enum: ["s3cret", "y"] }, b: { const: "s3cret" } } };
    const { text = "", reason } = shown(given, narrow, ["s3cret"]);
    expect(JSON.parse(text).inputSchema.properties).toEqual({
      a: {
        type: "string",
        description: `${POLICY} must match the JSON Schema {"enum":["[redacted]","y"]}.`,
      },
      b: {
        enum: ["s3cret", "x"],
        description: `${POLICY} must match the JSON Schema {"const":"[redacted]"}.`,
      },
    });
    expect(reason).not.toContain("s3cret");
  });
});

describe("an advertised tool", () => {
  it("describes rules that concern none of its properties", () => {
    const given = tool({ a: { type: "string" } });
    const made = merged(given, {
      properties: { path: { within: ["/a"] }, a: true },
      required: ["path", "a"],
      additionalProperties: false,
      minProperties: 1,
    });
    expect(inputOf(made)).toEqual({
      required: ["a"],
      minProperties: 1,
      ...inputOf(given),
    });
    expect(made["description"]).toBe(
      'Reads. This gateway\'s policy for the arguments: must have no members but "path", "a"; ' +
        'must match the JSON Schema {"properties":{"path":{"within":["/a"]}},"required":["path"]}.',
    );
  });

  it("changes no byte except to state the policy", () => {
    const text =
      '{ "name":"t" ,"inputSchema" :{"type":"object", "x":1.0 ,"properties":{ "p\\u0061th" : {"type" :"string","description":"\\u00e9" } , "n":{ } } },"y":"\\u0031"}';
    const schema = {
      properties: { path: { within: ["/a"], maxLength: 9 }, n: { type: "integer" } },
      required: ["path"],
    };
    const made = advertise(Buffer.from(text), { schema, secrets: [] });
    expect(made).toEqual({
      text: '{ "name":"t" ,"inputSchema" :{"required":["path"],"type":"object", "x":1.0 ,"properties":{ "p\\u0061th" : {"maxLength":9,"type" :"string","description":"\\u00e9. This gateway\'s policy: must be an absolute path inside \\"/a\\"." } , "n":{"type":"integer" } } },"y":"\\u0031"}',
      reason:
        "shows what policy allows in /inputSchema/properties/path/maxLength, /inputSchema/properties/n/type, /inputSchema/required, /inputSchema/properties/path/description",
    });
  });

  it.each<[string, string, RegExp]>([
    ["no schema", '{"name":"t"}', /it has no schema/],
    [
      "a key twice",
      '{"name":"t","inputSchema":{"type":"object","type":"object"}}',
      /a duplicate key/,
    ],
    ["large numbers", '{"inputSchema":{"minimum":12345678901234567890}}', /numbers/],
    ["too long a text", `{"inputSchema":{},"x":"${"x".repeat(131_072)}"}`, /131\d+ bytes/],
    ["no JSON", '{"inputSchema":', /it has no schema/],
  ])("stays unchanged with %s", (_, text, why) => {
    const made = advertise(Buffer.from(text), { schema: { required: ["a"] }, secrets: [] });
    expect(made).toEqual({ reason: expect.stringMatching(why) });
  });

  it("stays unchanged if the schema of narrow is very long", () => {
    const schema = { enum: Array.from({ length: 4_000 }, (_, i) => i) };
    expect(shown(tool({}), schema)).toEqual({ reason: expect.stringMatching(/narrow has 18\d+/) });
  });

  it("does not grow too long for models", () => {
    const given = tool({ a: { type: "string" } });
    const long = { ...given, description: "x".repeat(16_384 - JSON.stringify(given).length) };
    const made = shown(long, { properties: { a: { within: ["/a"] } } });
    expect(made).toEqual({ reason: expect.stringMatching(/too long/) });
    const shorter = { ...long, description: long.description.slice(20) };
    const both = shown(shorter, { properties: { a: { within: ["/a"], maxLength: 5 } } });
    expect(JSON.parse(both.text ?? "").inputSchema.properties.a).toEqual({
      type: "string",
      maxLength: 5,
    });
  });

  it.each([
    ["leads to itself", { a: { type: "string" }, b: { $ref: "#" } }, {}],
    ["leads to a property", { a: { type: "string" }, b: { $ref: "#/properties/a" } }, {}],
    ["leads to a name", { a: { type: "string", $anchor: "x" }, b: { $ref: "#x" } }, {}],
    ["is of draft-04", { a: {} }, { $schema: "http://json-schema.org/draft-04/schema#" }],
  ])("changes only its description if its schema %s", (_, properties, more) => {
    const given = tool(properties, more);
    const made = merged(given, { properties: { a: { maxLength: 3 } } });
    expect(made["inputSchema"]).toEqual(given["inputSchema"]);
    expect(made["description"]).toContain('{"properties":{"a":{"maxLength":3}}}');
  });
});

/** Schemas of a property with one to three keywords, as servers and operators write them. */
const keyword = fc.oneof(
  fc.constantFrom<JsonObject>(
    ...["string", "integer", "number", ["string", "null"], "array"].map((type) => ({ type })),
    ...[
      ["a", "abc"],
      ["/x/y", "/z"],
      [1, "a", null],
      ["a", "b", "abcd"],
    ].map((list) => ({
      enum: list,
    })),
    ...["a", 1].map((only) => ({ const: only })),
    ...["^a", "b", "^\\d+$"].map((pattern) => ({ pattern })),
    { uniqueItems: true },
    { multipleOf: 2 },
  ),
  ...["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"].map((name) =>
    fc.integer({ min: -2, max: 5 }).map((bound) => ({ [name]: bound })),
  ),
  ...["minLength", "maxLength", "minItems", "maxItems"].map((name) =>
    fc.integer({ min: 0, max: 4 }).map((bound) => ({ [name]: bound })),
  ),
);
const keywords = fc
  .array(keyword, { minLength: 1, maxLength: 3 })
  .map((list): JsonObject => Object.assign({}, ...list));
const objects = (inside: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.record(
    {
      type: fc.constant("object"),
      properties: fc.record({ a: inside, b: inside, c: inside }, { requiredKeys: ["a"] }),
      required: fc.subarray(["a", "b"]),
      additionalProperties: fc.constantFrom(true, false),
    },
    { requiredKeys: ["properties"] },
  );
const deep = (more: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> => {
  const leaf = fc.oneof({ weight: 3, arbitrary: keywords }, more);
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: objects(leaf) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("array"), items: leaf }) },
  );
};
const servers = objects(
  deep(
    fc.constantFrom<JsonObject>(
      { $ref: "#/$defs/d" },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
      { type: "object", patternProperties: { "^a": {} }, additionalProperties: false },
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "integer" } },
    ),
  ),
);
const policies = objects(
  deep(
    fc.constantFrom<JsonObject>(
      { within: ["/x"] },
      { not: { const: "a" } },
      { type: "array", prefixItems: [{ const: "a" }], items: { type: "string" } },
      { if: { type: "string" }, else: { maximum: 1 } },
    ),
  ),
);

describe("a merged schema", () => {
  it("accepts what both schemas accept, and reports what it leaves out", () => {
    let [whole, accepted] = [0, 0];
    fc.assert(
      fc.property(servers, policies, fc.integer(), (own, narrow, seed) => {
        const given = { ...tool({}), inputSchema: { ...own, $defs: { d: { type: "string" } } } };
        const made = merged(given, narrow);
        const server = compileDeclared({ value: given.inputSchema });
        const policy = compileDeclared({ value: narrow }, { dialect: "policy" });
        const both = compileDeclared({ value: made["inputSchema"] });
        expect(both.error).toEqual(server.error);
        const isWhole = !JSON.stringify(made).includes("This gateway's policy");
        whole += Number(isWhole);
        const random = randomFrom(seed);
        for (let i = 0; i < 60; i += 1) {
          const [first, second] = i % 2 === 0 ? [own, narrow] : [inputOf(made), own];
          const { value } = sampleInstance(first, random, second);
          // Arguments are always an object.
          if (!isObject(value)) continue;
          const [ofServer, ofPolicy] = [server.isValid(value), policy.isValid(value)];
          const ofBoth = both.isValid(value);
          const about = JSON.stringify([value, made["inputSchema"]]);
          if (ofServer && ofPolicy) expect(ofBoth, about).toBe(true);
          if (ofBoth) expect(ofServer, about).toBe(true);
          if (ofBoth && isWhole) expect(ofPolicy, about).toBe(true);
          accepted += Number(ofServer && ofPolicy);
        }
      }),
      {
        numRuns: sample(80, 400, 5_000),
        // Few of the random pairs can be merged as a whole.
        examples: [
          [{ properties: { a: { type: "string" } } }, { properties: { a: { minLength: 1 } } }, 1],
        ],
      },
    );
    expect(whole).toBeGreaterThan(0);
    expect(accepted).toBeGreaterThan(0);
  }, 120_000);

  it("has no new composite keyword and no keyword of the gateway's own", () => {
    const count = (value: unknown): number =>
      JSON.stringify(value).match(/"(?:allOf|anyOf|oneOf|not|within|hosts|if)":/g)?.length ?? 0;
    fc.assert(
      fc.property(servers, policies, (own, narrow) => {
        const given = { ...tool({}), inputSchema: own };
        expect(count(inputOf(merged(given, narrow)))).toBe(count(own));
      }),
      { numRuns: sample(50, 300) },
    );
  });
});

const folder = sharedPath("corpus", "tools-list");

describe.skipIf(folder === undefined)("tools of published servers", () => {
  const lists = folder === undefined ? [] : readdirSync(folder);

  /** Schemas of `narrow` for a tool, of all kinds that an operator may write. */
  function policiesFor(given: JsonObject): readonly JsonObject[] {
    const { properties = {}, required = [] } = inputOf(given);
    const names = Object.keys(Object(properties));
    const each = (schema: JsonObject): JsonObject =>
      Object.fromEntries(names.map((name) => [name, schema]));
    return [
      { properties: each({ within: ["/srv/notes"] }), required: names.slice(0, 2) },
      { properties: each({ hosts: ["docs.example"] }), additionalProperties: false },
      { properties: each({ enum: ["a", 1, true] }), additionalProperties: false },
      { properties: each({ pattern: "^[a-z]+$", maxLength: 9, minLength: 1, maximum: 5 }) },
      { properties: each({ type: "string", format: "uri", not: { const: "x" } }), required },
      { properties: { path: { within: ["/"] } }, required: ["path"], additionalProperties: false },
      { properties: each({ items: { maxLength: 3 }, maxItems: 3, uniqueItems: true }) },
      { properties: each({ anyOf: [{ type: "array" }, { type: "null" }] }), maxProperties: 3 },
      { properties: each({ pattern: "(x+x+)+y" }), minProperties: 1 },
      { additionalProperties: false },
    ];
  }

  /** The findings of lint, with errors of providers, except for those of a mode that requires schemas of its own. */
  function findingsOf(given: JsonObject): readonly string[] {
    const found = lintFor([given], ["openai", "anthropic", "bedrock", "gemini-openapi", "vscode"]);
    const refused = found.filter(
      // A description is refused beside "anyOf", and what an operator says of another type. "adapt" removes both.
      ({ severity, rule }) =>
        severity === "error" && rule !== "any-of-alone" && rule !== "keyword-of-another-type",
    );
    // A constraint may refuse the tool's own default, or all values: finding that is up to the operator.
    const BY_POLICY = ["refused-default", "never-satisfied", "only-empty"];
    const own = lintTools([given]).filter(({ rule }) => !BY_POLICY.includes(rule));
    return [...own, ...refused].map(({ rule, path }) => `${rule} ${path}`);
  }

  it.each(lists)("of %s get no additional lint finding", (file) => {
    const { tools } = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"));
    let changed = 0;
    for (const given of sample(tools.slice(0, 3), tools.slice(0, 12), tools) as JsonObject[]) {
      const before = new Set(findingsOf(given));
      for (const schema of policiesFor(given)) {
        const { text } = shown(given, schema);
        if (text === undefined) continue;
        changed += 1;
        const more = findingsOf(JSON.parse(text)).filter((found) => !before.has(found));
        expect(more, `${given["name"]}: ${text}`).toEqual([]);
      }
    }
    expect(changed).toBeGreaterThan(0);
  });
});
