import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { decodeUtf8, encodeUtf8 } from "../json/text.ts";
import { runSteps } from "../json/walk.ts";
import { REPAIR_KINDS, type RepairKind, repairsNamed } from "./operation.ts";
import { applyOperation } from "./patch.ts";
import { type RepairedText, repairText, repairTextSteps } from "./repair-text.ts";

function repair(
  declared: unknown,
  text: string,
  kinds: readonly RepairKind[] = REPAIR_KINDS,
): RepairedText | undefined {
  const schema = compileDeclared({ value: declared });
  const bytes = encodeUtf8(text);
  return repairText({ schema, declared, bytes, check: schema.validateText(bytes), repair: kinds });
}

const repairedText = (repaired: RepairedText | undefined): string | undefined =>
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
    unit: { enum: ["celsius", "kelvin"] },
    any: {},
  },
  { required: ["n"] },
);
const CITY = object(
  { city: { type: "string" }, maxDepth: { type: "integer", default: 3 }, units: { enum: ["c"] } },
  { required: ["city"] },
);

const CHOICES = object({
  format: { enum: ["markdown", "json", "Json5"] },
  mode: { const: "Fast" },
  size: { enum: ["S", "s", "M", 5, null] },
  tags: { type: "array", items: { type: "string", enum: ["bug", "ui"] } },
  either: { anyOf: [{ const: "On" }, { enum: ["Off"] }, { type: "integer" }] },
  name: { type: "string", enum: ["a"], maxLength: 5 },
  free: { type: "string" },
});

describe("a malformed text from a model", () => {
  it.each<[string, object, string, string | undefined]>([
    // Cases with numbers and booleans in quotes.
    ["becomes a number", TOOL, '{"n":"5"}', '{"n":5}'],
    ["becomes a negative number", TOOL, '{"n":"-5"}', '{"n":-5}'],
    ["becomes a number with an exponent", TOOL, '{"n":1,"x":"1.5e3"}', '{"n":1,"x":1.5e3}'],
    ["becomes a number with the digits unchanged", TOOL, '{"n":1,"x":"1.50"}', '{"n":1,"x":1.50}'],
    [
      "becomes an integer beyond doubles",
      TOOL,
      '{"n":"9007199254740993"}',
      '{"n":9007199254740993}',
    ],
    [
      "becomes an integer of 30 digits",
      TOOL,
      `{"n":"${"1".repeat(30)}"}`,
      `{"n":${"1".repeat(30)}}`,
    ],
    ["becomes an integer that has a fraction of 0", TOOL, '{"n":"5.0"}', '{"n":5.0}'],
    ["becomes true", TOOL, '{"n":1,"on":"true"}', '{"n":1,"on":true}'],
    ["becomes false", TOOL, '{"n":1,"on":"false"}', '{"n":1,"on":false}'],
    ["becomes one of several types", TOOL, '{"n":1,"either":"7"}', '{"n":1,"either":7}'],
    [
      "becomes the other one of several types",
      TOOL,
      '{"n":1,"either":"true"}',
      '{"n":1,"either":true}',
    ],
    ["becomes numbers in a list", TOOL, '{"n":1,"ids":["1",2,"3"]}', '{"n":1,"ids":[1,2,3]}'],
    ["becomes a number inside", TOOL, '{"n":1,"inner":{"size":"2"}}', '{"n":1,"inner":{"size":2}}'],
    ["becomes a number at an odd name", TOOL, '{"n":1,"a/b~c":"2"}', '{"n":1,"a/b~c":2}'],
    ["is not repaired: not all is a number", TOOL, '{"n":"5 apples"}', undefined],
    ["is not repaired: white space", TOOL, '{"n":" 5"}', undefined],
    ["is not repaired: a plus", TOOL, '{"n":"+5"}', undefined],
    ["is not repaired: hexadecimal", TOOL, '{"n":"0x5"}', undefined],
    ["is not repaired: a leading zero", TOOL, '{"n":"05"}', undefined],
    ["is not repaired: an empty text", TOOL, '{"n":""}', undefined],
    ["is not repaired: a fraction", TOOL, '{"n":"5.5"}', undefined],
    ["is not repaired: yes instead of true", TOOL, '{"n":1,"on":"yes"}', undefined],
    ["is not repaired: True instead of true", TOOL, '{"n":1,"on":"True"}', undefined],
    ["is not repaired: 1 instead of true", TOOL, '{"n":1,"on":1}', undefined],
    // Texts without quotes.
    ["becomes a text", TOOL, '{"n":1,"text":5}', '{"n":1,"text":"5"}'],
    [
      "becomes a text with the digits unchanged",
      TOOL,
      '{"n":1,"text":1.50}',
      '{"n":1,"text":"1.50"}',
    ],
    [
      "becomes a text of an id beyond doubles",
      TOOL,
      '{"n":1,"text":72565356393345840012}',
      '{"n":1,"text":"72565356393345840012"}',
    ],
    ["becomes a text of a boolean", TOOL, '{"n":1,"text":true}', '{"n":1,"text":"true"}'],
    [
      "becomes texts in a list",
      TOOL,
      '{"n":1,"list":[1,"b",false]}',
      '{"n":1,"list":["1","b","false"]}',
    ],
    ["is not repaired: null instead of a text", TOOL, '{"n":1,"list":[null]}', undefined],
    ["is not repaired: an object instead of a text", TOOL, '{"n":1,"text":{}}', undefined],
    // Cases with allowed values in another case.
    ["becomes an allowed value", CHOICES, '{"format":"MARKDOWN"}', '{"format":"markdown"}'],
    ["becomes one without blanks", CHOICES, '{"format":" json\\n"}', '{"format":"json"}'],
    ["becomes one that has capitals", CHOICES, '{"format":"json5"}', '{"format":"Json5"}'],
    ["becomes a constant", CHOICES, '{"mode":"fast"}', '{"mode":"Fast"}'],
    ["becomes allowed items", CHOICES, '{"tags":["BUG","ui","Ui"]}', '{"tags":["bug","ui","ui"]}'],
    ["becomes an allowed value of a branch", CHOICES, '{"either":"off"}', '{"either":"Off"}'],
    ["becomes the only one of its case", CHOICES, '{"size":"m"}', '{"size":"M"}'],
    ["is not repaired: two values differ in case", CHOICES, '{"size":" S"}', undefined],
    ["is not repaired: another word", CHOICES, '{"format":"mark down"}', undefined],
    ["is not repaired: a misspelled value", CHOICES, '{"format":"markdwn"}', undefined],
    ["is not repaired: a value of another type", CHOICES, '{"size":"NULL"}', undefined],
    ["is not repaired: no value at all", CHOICES, '{"format":" "}', undefined],
    ["is not repaired: what else is wrong", CHOICES, '{"mode":"fast","free":{}}', undefined],
    // Cases with JSON text in a string.
    ["becomes a list", TOOL, '{"n":1,"list":"[\\"a\\",\\"b\\"]"}', '{"n":1,"list":["a","b"]}'],
    ["becomes an empty list", TOOL, '{"n":1,"list":"[]"}', '{"n":1,"list":[]}'],
    [
      "becomes a list with spaces unchanged",
      TOOL,
      '{"n":1,"ids":"[ 1, 2 ]"}',
      '{"n":1,"ids":[ 1, 2 ]}',
    ],
    [
      "becomes a list on one line, since text after a line feed could be read as a message",
      TOOL,
      '{\n"n":1,"list":"[\\r\\n\\"a\\",\\n\\"b\\\\n\\"]"}',
      '{\n"n":1,"list":[  "a", "b\\n"]}',
    ],
    ["becomes an object", TOOL, '{"n":1,"inner":"{\\"size\\":2}"}', '{"n":1,"inner":{"size":2}}'],
    [
      "becomes an object with its values repaired, too",
      TOOL,
      '{"n":1,"inner":"{\\"size\\":\\"2\\"}"}',
      '{"n":1,"inner":{"size":2}}',
    ],
    [
      "becomes a list of numbers if its texts are numbers",
      TOOL,
      '{"n":1,"ids":"[\\"1\\",\\"2\\"]"}',
      '{"n":1,"ids":[1,2]}',
    ],
    [
      "becomes a list with an integer beyond doubles",
      TOOL,
      '{"n":1,"ids":"[9007199254740993]"}',
      '{"n":1,"ids":[9007199254740993]}',
    ],
    ["becomes the arguments themselves", TOOL, '"{\\"n\\":1}"', '{"n":1}'],
    [
      "becomes the arguments with the values inside repaired",
      TOOL,
      '"{\\"n\\":\\"1\\"}"',
      '{"n":1}',
    ],
    ["is not repaired: the arguments as a text in a text", TOOL, '"\\"{}\\""', undefined],
    [
      "is not repaired: a duplicate key in the text",
      TOOL,
      '{"n":1,"inner":"{\\"size\\":1,\\"size\\":2}"}',
      undefined,
    ],
    ["is not repaired: a list separated by commas", TOOL, '{"n":1,"list":"a,b"}', undefined],
    ["is not repaired: Python's quotes", TOOL, `{"n":1,"list":"['a']"}`, undefined],
    ["is not repaired: a text that is cut off", TOOL, '{"n":1,"list":"[1,"}', undefined],
    ["is not repaired: an object instead of a list", TOOL, '{"n":1,"list":"{}"}', undefined],
    // Null for absent.
    ["loses its first member if that is null", TOOL, '{"text":null,"n":1}', '{"n":1}'],
    ["loses its last member if that is null", TOOL, '{"n":1,"text":null}', '{"n":1}'],
    [
      "loses a member in the middle if that is null",
      TOOL,
      '{"n":1, "text":null, "on":true}',
      '{"n":1, "on":true}',
    ],
    [
      "loses several members that are null",
      TOOL,
      '{"on":null,"n":1,"text":null,"x":null}',
      '{"n":1}',
    ],
    [
      "loses a nested member that is null",
      TOOL,
      '{"n":1,"inner":{"tag":null}}',
      '{"n":1,"inner":{}}',
    ],
    ["is not repaired: null for a required property", TOOL, '{"n":null}', undefined],
    ["keeps null if it is allowed", TOOL, '{"n":"1","maybe":null}', '{"n":1,"maybe":null}'],
    // Defaults.
    [
      "receives the default",
      object({ a: { type: "integer", default: 7 } }, { required: ["a"] }),
      "{}",
      '{"a":7}',
    ],
    [
      "receives the default after its other members",
      object({ a: { type: "integer", default: 7 }, b: {} }, { required: ["a"] }),
      '{ "b": 1 }',
      '{ "b": 1,"a":7 }',
    ],
    ["is not repaired: a required property without a default", CITY, "{}", undefined],
    // Names.
    ["gets a misspelled name corrected", CITY, '{"citty":"Oslo"}', '{"city":"Oslo"}'],
    [
      "gets a misspelled name corrected with spaces unchanged",
      CITY,
      '{ "citty" : "Oslo" }',
      '{ "city" : "Oslo" }',
    ],
    [
      "gets a name converted to camel case",
      CITY,
      '{"city":"Oslo","max_depth":2}',
      '{"city":"Oslo","maxDepth":2}',
    ],
    ["gets a name converted to lower case", CITY, '{"City":"Oslo"}', '{"city":"Oslo"}'],
    [
      "gets a name corrected and becomes a number",
      CITY,
      '{"city":"a","maxdepth":"2"}',
      '{"city":"a","maxDepth":2}',
    ],
    [
      "gets a misspelled name corrected even if other names are allowed",
      { type: "object", properties: { city: {} }, required: ["city"] },
      '{"citty":"Oslo","more":1}',
      '{"city":"Oslo","more":1}',
    ],
    [
      "is not repaired: the correct name is already used",
      CITY,
      '{"city":"Oslo","citty":"Rome"}',
      undefined,
    ],
    [
      "is not repaired: two names could be corrected to one",
      CITY,
      '{"citty":"Oslo","ciyt":"Rome"}',
      undefined,
    ],
    [
      "is not repaired: a name equally near to two others",
      object({ name1a: {}, name1b: {} }),
      '{"name1c":1}',
      undefined,
    ],
    [
      "is not repaired: a name far from all others",
      CITY,
      '{"city":"Oslo","verbose":true}',
      undefined,
    ],
    // Unions.
    [
      "is repaired for the only branch that fits",
      { anyOf: [object({ a: { type: "integer" } }), object({ b: { type: "string" } })] },
      '{"a":"1"}',
      '{"a":1}',
    ],
    [
      "is repaired for the branch that its constant selects",
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
      "is not repaired: two branches fit",
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
      "is not repaired: a schema with not",
      { type: "object", properties: { a: { not: { type: "null" } } } },
      '{"a":null}',
      undefined,
    ],
    // The rest stays.
    [
      "changes in one value only",
      TOOL,
      '{\n  "any": 1.00,\n  "n" : "5",\t"x":1E2 , "list":[ "\\u0041" ]\n}',
      '{\n  "any": 1.00,\n  "n" : 5,\t"x":1E2 , "list":[ "\\u0041" ]\n}',
    ],
    ["is not repaired: a number beyond all doubles", TOOL, '{"n":1,"x":"1e999"}', undefined],
    ["is not repaired: a duplicate key", TOOL, '{"n":"5","n":"6"}', undefined],
    ["is not repaired: one place cannot be repaired", TOOL, '{"n":"5","on":"maybe"}', undefined],
  ])("%s", (_what, schema, text, repaired) => {
    expect(repairedText(repair(schema, text))).toBe(repaired);
  });
});

describe("a repair", () => {
  /** Each branch requires one repair. The result is valid only for the first and the last branch. */
  const union = (count: number): object => ({
    anyOf: Array.from({ length: count }, (_, i) => {
      if (i === count - 1) return { properties: { v: { type: "string" }, w: { type: "string" } } };
      return { properties: { v: { type: "integer", ...(i > 0 && { minimum: 100 }) } } };
    }),
  });

  it.each([2, 8, 9, 15, 40])(
    "is not made if the first and the last of %i branches fit equally well",
    (count) => {
      expect(repairedText(repair(union(count), '{"v":"5","w":6}'))).toBeUndefined();
    },
  );

  it("does not depend on whether its check ran here or on a thread", () => {
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
      const schema = compileDeclared({ value: declared });
      const bytes = encodeUtf8(text);
      const check = schema.validateText(bytes);
      for (const given of [check, structuredClone(check)]) {
        const options = { schema, declared, bytes, check: given, repair: REPAIR_KINDS };
        expect(repairedText(repairText(options))).toBe(repaired);
      }
    }
  });
});

describe("the result of a repair", () => {
  it("lists kinds and places, and holds a patch with every digit", () => {
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
    ["match-enum-case", '{"n":1,"unit":"CELSIUS"}'],
  ])("is undefined without the kind %s", (kind, text) => {
    expect(repair(TOOL, text, [kind])).toBeDefined();
    const others = REPAIR_KINDS.filter((other) => other !== kind);
    expect(repair(TOOL, text, others)).toBeUndefined();
  });

  it("is undefined if finding its places means reading more than a few megabytes", () => {
    const filled = (length: number): string =>
      `{"n":1,"text":"${"x".repeat(length)}","ids":[${Array.from({ length: 40 }, () => '"1"').join(",")}]}`;
    expect(repairedText(repair(TOOL, filled(50_000)))).toContain('"ids":[1,1,');
    expect(repair(TOOL, filled(150_000))).toBeUndefined();
  });

  it("is undefined for a valid text, a long one, and one that is not JSON", () => {
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
])("repairsNamed returns the kinds for %j in the order in which they are tried", (names, kinds) => {
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

/** One instance for all cases: making one takes longer than the rest of a case. */
const ajv = new Ajv2020({ strict: false, ownProperties: true });

/** Returns whether Ajv accepts a value, with numbers as doubles; undefined if Ajv refuses the schema. */
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
  it("is valid, equals the text with its patch applied, and is found again", () => {
    fc.assert(
      fc.property(schemas, values, fc.boolean(), (declared, value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const repaired = repair(declared, text);
        if (repaired === undefined) return;
        const schema = compileDeclared({ value: declared });
        expect(schema.validateText(text).valid).toBe(false);
        expect(schema.validateText(repaired.bytes)).toMatchObject({ valid: true });
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

  it("leaves every byte outside the edited values unchanged, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: 1 }), (items) => {
        const written = items.map(([quoted, n]) => (quoted ? `"${n}"` : `${n}`));
        const text = `{ "ids" : [ ${written.join(" ,\t")} ],"n":1 }`;
        const wanted = `{ "ids" : [ ${items.map(([, n]) => n).join(" ,\t")} ],"n":1 }`;
        const isValid = items.every(([quoted]) => !quoted);
        expect(repairedText(repair(TOOL, text))).toBe(isValid ? undefined : wanted);
      }),
    );
  });
});

describe("repairTextSteps", () => {
  const names = Array.from({ length: 60 }, (_, i) => `number_${i}`);
  const closed = object(Object.fromEntries(names.map((name) => [name, { type: "integer" }])));
  const text = JSON.stringify(Object.fromEntries(names.map((_, i) => [`numbr_${i}`, String(i)])));
  const bytes = encodeUtf8(text);
  const schema = compileDeclared({ value: closed });
  const given = {
    schema,
    declared: closed,
    bytes,
    check: schema.validateText(bytes),
    repair: REPAIR_KINDS,
  };

  it("pauses between rounds and within long ones, and makes the same repair", () => {
    let pauses = 0;
    const steps = repairTextSteps(given);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBeGreaterThan(4);
    expect(step.value).toEqual(repairText(given));
    expect(schema.isValid(JSON.parse(decodeUtf8(step.value?.bytes ?? encodeUtf8("null"))))).toBe(
      true,
    );
  });

  it("repairs nothing if all rounds together look at more issues than they may, the same ones each time", () => {
    const made = (issues: number): unknown => runSteps(repairTextSteps(given, issues));
    const enough = Array.from({ length: 600 }, (_, i) => i).find(
      (most) => made(most) !== undefined,
    );
    expect(enough).toBeGreaterThan(names.length);
    expect(made((enough ?? 0) - 1)).toBeUndefined();
    expect(made(enough ?? 0)).toEqual(repairText(given));
  });
});
