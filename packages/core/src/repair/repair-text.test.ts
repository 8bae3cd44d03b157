import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../compile.ts";
import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import { REPAIR_KINDS, type RepairKind, repairsNamed } from "./operation.ts";
import { applyOperation } from "./patch.ts";
import { type RepairedText, repairText } from "./repair-text.ts";

function repair(
  declared: unknown,
  text: string,
  kinds: readonly RepairKind[] = REPAIR_KINDS,
): RepairedText | undefined {
  const schema = compileSchema({ value: declared });
  const bytes = encodeUtf8(text);
  return repairText({ schema, declared, bytes, check: schema.check(bytes), repair: kinds });
}

const textOf = (repaired: RepairedText | undefined): string | undefined =>
  repaired && decodeUtf8(repaired.bytes);

const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});
const TOOL = object(
  {
    n: { type: "integer" },
    x: { type: "number" },
    on: { type: "boolean" },
    text: { type: "string" },
    list: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    inner: object({ size: { type: "integer" }, tag: { type: "string" } }),
    maybe: { type: ["string", "null"] },
    either: { type: ["integer", "boolean"] },
    "a/b~c": { type: "integer" },
    any: {},
  },
  { required: ["n"] },
);
const CITY = object(
  { city: { type: "string" }, maxDepth: { type: "integer", default: 3 }, units: { enum: ["c"] } },
  { required: ["city"] },
);

describe("a text that models send wrong becomes", () => {
  it.each<[string, object, string, string | undefined]>([
    // Numbers and booleans in quotes.
    ["a number", TOOL, '{"n":"5"}', '{"n":5}'],
    ["a negative number", TOOL, '{"n":"-5"}', '{"n":-5}'],
    ["a number with an exponent", TOOL, '{"n":1,"x":"1.5e3"}', '{"n":1,"x":1.5e3}'],
    ["a number, with the digits that were sent", TOOL, '{"n":1,"x":"1.50"}', '{"n":1,"x":1.50}'],
    ["an integer beyond doubles", TOOL, '{"n":"9007199254740993"}', '{"n":9007199254740993}'],
    ["an integer of 30 digits", TOOL, `{"n":"${"1".repeat(30)}"}`, `{"n":${"1".repeat(30)}}`],
    ["an integer that has a fraction of 0", TOOL, '{"n":"5.0"}', '{"n":5.0}'],
    ["true", TOOL, '{"n":1,"on":"true"}', '{"n":1,"on":true}'],
    ["false", TOOL, '{"n":1,"on":"false"}', '{"n":1,"on":false}'],
    ["one of several types", TOOL, '{"n":1,"either":"7"}', '{"n":1,"either":7}'],
    ["the other one of several types", TOOL, '{"n":1,"either":"true"}', '{"n":1,"either":true}'],
    ["numbers in a list", TOOL, '{"n":1,"ids":["1",2,"3"]}', '{"n":1,"ids":[1,2,3]}'],
    ["a number inside", TOOL, '{"n":1,"inner":{"size":"2"}}', '{"n":1,"inner":{"size":2}}'],
    ["a number at an odd name", TOOL, '{"n":1,"a/b~c":"2"}', '{"n":1,"a/b~c":2}'],
    ["nothing: not all is a number", TOOL, '{"n":"5 apples"}', undefined],
    ["nothing: white space", TOOL, '{"n":" 5"}', undefined],
    ["nothing: a plus", TOOL, '{"n":"+5"}', undefined],
    ["nothing: hexadecimal", TOOL, '{"n":"0x5"}', undefined],
    ["nothing: a leading zero", TOOL, '{"n":"05"}', undefined],
    ["nothing: an empty text", TOOL, '{"n":""}', undefined],
    ["nothing: a fraction", TOOL, '{"n":"5.5"}', undefined],
    ["nothing: yes is not true", TOOL, '{"n":1,"on":"yes"}', undefined],
    ["nothing: True is not true", TOOL, '{"n":1,"on":"True"}', undefined],
    ["nothing: 1 is not true", TOOL, '{"n":1,"on":1}', undefined],
    // Texts without quotes.
    ["a text", TOOL, '{"n":1,"text":5}', '{"n":1,"text":"5"}'],
    ["a text, with the digits sent", TOOL, '{"n":1,"text":1.50}', '{"n":1,"text":"1.50"}'],
    [
      "a text of an id beyond doubles",
      TOOL,
      '{"n":1,"text":72565356393345840012}',
      '{"n":1,"text":"72565356393345840012"}',
    ],
    ["a text of a boolean", TOOL, '{"n":1,"text":true}', '{"n":1,"text":"true"}'],
    ["texts in a list", TOOL, '{"n":1,"list":[1,"b",false]}', '{"n":1,"list":["1","b","false"]}'],
    ["nothing: null is no text", TOOL, '{"n":1,"list":[null]}', undefined],
    ["nothing: an object is no text", TOOL, '{"n":1,"text":{}}', undefined],
    // JSON in a text.
    ["a list", TOOL, '{"n":1,"list":"[\\"a\\",\\"b\\"]"}', '{"n":1,"list":["a","b"]}'],
    ["an empty list", TOOL, '{"n":1,"list":"[]"}', '{"n":1,"list":[]}'],
    ["a list, spaces as sent", TOOL, '{"n":1,"ids":"[ 1, 2 ]"}', '{"n":1,"ids":[ 1, 2 ]}'],
    [
      "a list on one line, as what follows a line feed could be taken for a message",
      TOOL,
      '{\n"n":1,"list":"[\\r\\n\\"a\\",\\n\\"b\\\\n\\"]"}',
      '{\n"n":1,"list":[  "a", "b\\n"]}',
    ],
    ["an object", TOOL, '{"n":1,"inner":"{\\"size\\":2}"}', '{"n":1,"inner":{"size":2}}'],
    [
      "an object whose values are wrong, too",
      TOOL,
      '{"n":1,"inner":"{\\"size\\":\\"2\\"}"}',
      '{"n":1,"inner":{"size":2}}',
    ],
    [
      "a list of texts that hold numbers",
      TOOL,
      '{"n":1,"ids":"[\\"1\\",\\"2\\"]"}',
      '{"n":1,"ids":[1,2]}',
    ],
    [
      "a list with an integer beyond doubles",
      TOOL,
      '{"n":1,"ids":"[9007199254740993]"}',
      '{"n":1,"ids":[9007199254740993]}',
    ],
    ["the arguments themselves", TOOL, '"{\\"n\\":1}"', '{"n":1}'],
    ["the arguments, wrong inside", TOOL, '"{\\"n\\":\\"1\\"}"', '{"n":1}'],
    ["the arguments, as text of a text: nothing", TOOL, '"\\"{}\\""', undefined],
    [
      "nothing: a key twice in the text",
      TOOL,
      '{"n":1,"inner":"{\\"size\\":1,\\"size\\":2}"}',
      undefined,
    ],
    ["nothing: a list by commas", TOOL, '{"n":1,"list":"a,b"}', undefined],
    ["nothing: Python's quotes", TOOL, `{"n":1,"list":"['a']"}`, undefined],
    ["nothing: cut off", TOOL, '{"n":1,"list":"[1,"}', undefined],
    ["nothing: an object where a list is wanted", TOOL, '{"n":1,"list":"{}"}', undefined],
    // Null for absent.
    ["without the first", TOOL, '{"text":null,"n":1}', '{"n":1}'],
    ["without the last", TOOL, '{"n":1,"text":null}', '{"n":1}'],
    ["without one between", TOOL, '{"n":1, "text":null, "on":true}', '{"n":1, "on":true}'],
    ["without several", TOOL, '{"on":null,"n":1,"text":null,"x":null}', '{"n":1}'],
    ["without one inside", TOOL, '{"n":1,"inner":{"tag":null}}', '{"n":1,"inner":{}}'],
    ["nothing: it is required", TOOL, '{"n":null}', undefined],
    ["what it was: null is allowed", TOOL, '{"n":"1","maybe":null}', '{"n":1,"maybe":null}'],
    // Defaults.
    [
      "with the default",
      object({ a: { type: "integer", default: 7 } }, { required: ["a"] }),
      "{}",
      '{"a":7}',
    ],
    [
      "with the default after others",
      object({ a: { type: "integer", default: 7 }, b: {} }, { required: ["a"] }),
      '{ "b": 1 }',
      '{ "b": 1,"a":7 }',
    ],
    ["nothing: no default", CITY, "{}", undefined],
    // Names.
    ["spelt right", CITY, '{"citty":"Oslo"}', '{"city":"Oslo"}'],
    ["spelt right, spaces as sent", CITY, '{ "citty" : "Oslo" }', '{ "city" : "Oslo" }'],
    ["in camel case", CITY, '{"city":"Oslo","max_depth":2}', '{"city":"Oslo","maxDepth":2}'],
    ["in lower case", CITY, '{"City":"Oslo"}', '{"city":"Oslo"}'],
    ["spelt right, and a number", CITY, '{"city":"a","maxdepth":"2"}', '{"city":"a","maxDepth":2}'],
    [
      "spelt right where others are allowed",
      { type: "object", properties: { city: {} }, required: ["city"] },
      '{"citty":"Oslo","more":1}',
      '{"city":"Oslo","more":1}',
    ],
    ["nothing: the name is used", CITY, '{"city":"Oslo","citty":"Rome"}', undefined],
    ["nothing: two may be meant", CITY, '{"citty":"Oslo","ciyt":"Rome"}', undefined],
    [
      "nothing: it is as near to two",
      object({ name1a: {}, name1b: {} }),
      '{"name1c":1}',
      undefined,
    ],
    ["nothing: far from all", CITY, '{"city":"Oslo","verbose":true}', undefined],
    // Unions.
    [
      "as the branch that fits",
      { anyOf: [object({ a: { type: "integer" } }), object({ b: { type: "string" } })] },
      '{"a":"1"}',
      '{"a":1}',
    ],
    [
      "as the branch of its constant",
      {
        oneOf: [
          object({ k: { const: "x" }, v: { type: "integer" } }),
          object({ k: { const: "y" }, v: { type: "boolean" } }),
        ],
      },
      '{"k":"x","v":"1"}',
      '{"k":"x","v":1}',
    ],
    [
      "nothing: two branches fit",
      object({
        v: {
          anyOf: [
            object({ a: { type: "string" }, b: { type: "string" } }),
            object({ a: { type: "integer" }, b: { type: "integer" } }),
          ],
        },
      }),
      '{"v":{"a":"1","b":2}}',
      undefined,
    ],
    [
      "nothing: a not",
      { type: "object", properties: { a: { not: { type: "null" } } } },
      '{"a":null}',
      undefined,
    ],
    // The rest stays.
    [
      "what it was, but for one value",
      TOOL,
      '{\n  "any": 1.00,\n  "n" : "5",\t"x":1E2 , "list":[ "\\u0041" ]\n}',
      '{\n  "any": 1.00,\n  "n" : 5,\t"x":1E2 , "list":[ "\\u0041" ]\n}',
    ],
    ["nothing: a number beyond all doubles", TOOL, '{"n":1,"x":"1e999"}', undefined],
    ["nothing: a key twice", TOOL, '{"n":"5","n":"6"}', undefined],
    ["nothing: one place cannot be repaired", TOOL, '{"n":"5","on":"maybe"}', undefined],
  ])("%s", (_what, schema, text, repaired) => {
    expect(textOf(repair(schema, text))).toBe(repaired);
  });
});

describe("a repair", () => {
  /** Each branch wants one repair; only the first and the last are then valid. */
  const union = (count: number): object => ({
    anyOf: Array.from({ length: count }, (_, i) => {
      if (i === count - 1) return { properties: { v: { type: "string" }, w: { type: "string" } } };
      return { properties: { v: { type: "integer", ...(i > 0 && { minimum: 100 }) } } };
    }),
  });

  it.each([2, 8, 9, 15, 40])(
    "is none if the first and the last of %i branches fit alike",
    (count) => {
      expect(textOf(repair(union(count), '{"v":"5","w":6}'))).toBeUndefined();
    },
  );

  it("is the same whether its check was made here or came from a thread", () => {
    const tools: readonly [object, string, string][] = [
      [CITY, '{"citty":"Oslo"}', '{"city":"Oslo"}'],
      [
        {
          anyOf: [
            object({ n: { type: "integer" }, m: { type: "string" } }),
            object({ n: { type: "boolean" }, m: { type: "integer" } }),
          ],
        },
        '{"n":"5","m":"7"}',
        '{"n":5,"m":"7"}',
      ],
    ];
    for (const [declared, text, repaired] of tools) {
      const schema = compileSchema({ value: declared });
      const bytes = encodeUtf8(text);
      const check = schema.check(bytes);
      for (const given of [check, structuredClone(check)]) {
        const options = { schema, declared, bytes, check: given, repair: REPAIR_KINDS };
        expect(textOf(repairText(options))).toBe(repaired);
      }
    }
  });
});

describe("what was done", () => {
  it("is told by kind and place, and as a patch with every digit", () => {
    const text = '{"n":"9007199254740993","inner":{"Tag":5},"text":null}';
    const { repairs, patch } = repair(TOOL, text) ?? {};
    expect(repairs).toEqual([
      { kind: "coerce-scalars", path: "/n" },
      { kind: "drop-nulls", path: "/text" },
      { kind: "rename-properties", path: "/inner/Tag" },
      { kind: "coerce-scalars", path: "/inner/tag" },
    ]);
    expect(patch).toBe(
      '[{"op":"replace","path":"/n","value":9007199254740993},' +
        '{"op":"remove","path":"/text"},' +
        '{"op":"move","from":"/inner/Tag","path":"/inner/tag"},' +
        '{"op":"replace","path":"/inner/tag","value":"5"}]',
    );
  });

  it.each<[RepairKind, string]>([
    ["parse-json-strings", '{"n":1,"list":"[]"}'],
    ["coerce-scalars", '{"n":"1"}'],
    ["drop-nulls", '{"n":1,"text":null}'],
    ["rename-properties", '{"n":1,"Text":"a"}'],
  ])("is nothing without %s", (kind, text) => {
    expect(repair(TOOL, text, [kind])).toBeDefined();
    const others = REPAIR_KINDS.filter((other) => other !== kind);
    expect(repair(TOOL, text, others)).toBeUndefined();
  });

  it("reads no more than a few megabytes to find its places", () => {
    const filled = (length: number): string =>
      `{"n":1,"text":"${"x".repeat(length)}","ids":[${Array.from({ length: 40 }, () => '"1"').join(",")}]}`;
    expect(textOf(repair(TOOL, filled(50_000)))).toContain('"ids":[1,1,');
    expect(repair(TOOL, filled(150_000))).toBeUndefined();
  });

  it("is nothing to a valid text, a long one, or what is not JSON", () => {
    expect(repair(TOOL, '{"n":1}')).toBeUndefined();
    expect(repair(TOOL, `{"n":"1","text":"${"x".repeat(262_144)}"}`)).toBeUndefined();
    expect(repair(TOOL, '{"n":"1"')).toBeUndefined();
    expect(repair(TOOL, "")).toBeUndefined();
  });
});

it.each([
  [[], []],
  [["safe"], REPAIR_KINDS.slice(0, 3)],
  [["all"], REPAIR_KINDS],
  [
    ["rename-properties", "safe", "drop-nulls", "none"],
    [...REPAIR_KINDS.slice(0, 3), "rename-properties"],
  ],
])("the names %j stand for kinds in the order in which they are tried", (names, kinds) => {
  expect(repairsNamed(names)).toEqual(kinds);
});

const names = fc.constantFrom(
  "n",
  "x",
  "on",
  "text",
  "list",
  "inner",
  "size",
  "tag",
  "N",
  "lst",
  "/",
);
const scalars = fc.oneof(
  fc.constantFrom("5", "1.50", "true", "9007199254740993", "[]", '{"size":"1"}', '["a"]', ""),
  fc.string(),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const types = fc.constantFrom("string", "integer", "number", "boolean", "null");
const schemas = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    types.map((type) => ({ type })),
    fc.tuple(types, types).map(([a, b]) => ({ type: [...new Set([a, b])] })),
    tie("schema").map((items) => ({ type: "array", items })),
    fc
      .record({
        properties: fc.dictionary(names, tie("schema"), { maxKeys: 4 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        closed: fc.boolean(),
      })
      .map(({ properties, required, closed }) => ({
        type: "object",
        properties,
        required,
        ...(closed && { additionalProperties: false }),
      })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
    tie("schema").map((schema) => ({ not: schema })),
    fc.tuple(tie("schema"), fc.jsonValue()).map(([schema, value]) => ({
      ...(schema as object),
      default: value,
    })),
  ),
})).schema;

/** One for all: making it costs more than all else in a case. */
const ajv = new Ajv2020({ strict: false, ownProperties: true });

/** Whether Ajv finds a value valid, whose numbers are doubles; undefined if it does not take the schema. */
function byAjv(schema: unknown, value: unknown): boolean | undefined {
  try {
    return ajv.compile(schema as object)(value);
  } catch {
    return undefined;
  } finally {
    ajv.removeSchema(schema as object);
  }
}

describe("whatever the schema and the text, a repair", () => {
  it("is valid, is what its patch makes of what came, and is found again", () => {
    fc.assert(
      fc.property(schemas, values, fc.boolean(), (declared, value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const repaired = repair(declared, text);
        if (repaired === undefined) return;
        const schema = compileSchema({ value: declared });
        expect(schema.check(text).valid).toBe(false);
        expect(schema.check(repaired.bytes)).toMatchObject({ valid: true });
        expect(byAjv(declared, JSON.parse(decodeUtf8(repaired.bytes)))).not.toBe(false);
        let patched: unknown = JSON.parse(text);
        for (const operation of JSON.parse(repaired.patch)) {
          patched = applyOperation(patched, operation)?.value;
        }
        expect(JSON.parse(decodeUtf8(repaired.bytes))).toEqual(patched);
        expect(repair(declared, text)).toEqual(repaired);
      }),
    );
  });

  it("leaves every byte outside the edited values, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: 1 }), (items) => {
        const written = items.map(([quoted, n]) => (quoted ? `"${n}"` : `${n}`));
        const text = `{ "ids" : [ ${written.join(" ,\t")} ],"n":1 }`;
        const wanted = `{ "ids" : [ ${items.map(([, n]) => n).join(" ,\t")} ],"n":1 }`;
        const isValid = items.every(([quoted]) => !quoted);
        expect(textOf(repair(TOOL, text))).toBe(isValid ? undefined : wanted);
      }),
    );
  });
});
