import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compileDeclared } from "./compile.ts";
import { scanJson } from "./json/scan.ts";
import { encodeUtf8 } from "./json/text.ts";
import { jsonNode, jsonNodeText } from "./testing/json-text.ts";
import { sample } from "./testing/sample.ts";

const text = (schema: string) => compileDeclared({ text: schema });
const any = compileDeclared({ value: {} });

describe("a string with a lone surrogate", () => {
  it.each([
    [{ enum: ["\ufffd"] }, "violation"],
    [{ enum: ["\ud800"] }, "pass"],
    [{ minLength: 1, maxLength: 1 }, "pass"],
  ])("differs from U+FFFD for %j, in any number", (schema, outcome) => {
    const surrogate = compileDeclared({ value: { type: "array", items: schema } });
    const limits = { maxBytes: 7000, maxIssues: 2000, maxText: 1_000_000 };
    for (const count of [1, 10, 1000]) {
      const items = Array.from({ length: count }, () => '"\ud800"');
      expect(surrogate.validateText(`[${items}]`).outcome).toBe(outcome);
      const beside = surrogate.validateText(`[${items},9007199254740993]`, limits);
      const errors = beside.errors.filter(({ path }) => path !== `/${count}`);
      expect(errors.length).toBe(outcome === "pass" ? 0 : count);
      expect(beside.warnings).toMatchObject([{ rule: "number", path: `/${count}` }]);
    }
  });

  it("stays distinct in the member name of a number that no double can hold", () => {
    const integers = compileDeclared({ value: { additionalProperties: { maximum: 1 } } });
    const check = integers.validateText('{"\ud800":9007199254740993,"\ufffd":1,"\udc00":1}', {
      maxBytes: 45,
    });
    expect(check.errors.map(({ path }) => path)).toEqual(["/\ud800"]);
    expect(check.warnings.map(({ path }) => path)).toEqual(["/\ud800"]);
  });
});

describe("guards", () => {
  const big = `"${"a".repeat(100)}"`;
  it.each<[string, string | Uint8Array]>([
    ["a string", big],
    ["bytes", new TextEncoder().encode(big)],
  ])("reject %s over maxBytes", (_name, input) => {
    const check = any.validateText(input, { maxBytes: 101 });
    expect(check).toMatchObject({
      valid: false,
      outcome: "guard",
      errors: [
        {
          path: "",
          rule: "guard",
          keyword: "maxBytes",
          message: expect.stringContaining("102 bytes, more than the limit of 101"),
        },
      ],
      guard: { guard: "maxBytes", limit: 101, actual: 102 },
      counts: { guard: 1 },
    });
    expect(any.validateText(input, { maxBytes: 102 }).valid).toBe(true);
  });

  it("count bytes of UTF-8", () => {
    expect(any.validateText('"€"', { maxBytes: 4 }).guard).toEqual({
      guard: "maxBytes",
      limit: 4,
      actual: 5,
    });
    expect(any.validateText('"€"', { maxBytes: 5 }).valid).toBe(true);
  });

  it.each([
    ["1", 1],
    ["[]", 1],
    ['{"a":1}', 2],
    ['{"a":[{}]}', 3],
  ])("measure %s as %i deep", (input, depth) => {
    expect(any.validateText(input, { maxDepth: depth }).valid).toBe(true);
    expect(any.validate(JSON.parse(input), { maxDepth: depth }).valid).toBe(true);
    if (depth === 1) return;
    const guard = { guard: "maxDepth", limit: depth - 1, actual: depth };
    const refusal = { outcome: "guard", errors: [{ rule: "guard", keyword: "maxDepth" }], guard };
    expect(any.validateText(input, { maxDepth: depth - 1 })).toMatchObject(refusal);
    expect(any.validate(JSON.parse(input), { maxDepth: depth - 1 })).toMatchObject(refusal);
  });

  it("measure depth before parsing, even for a million unclosed levels", () => {
    expect(any.validateText("[".repeat(1_000_000)).outcome).toBe("guard");
  });

  it("use the default for an invalid limit", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
    for (const maxDepth of [0, -1, 1.5, Number.NaN, "64" as never]) {
      expect(any.validateText(deep(63), { maxDepth }).valid).toBe(true);
      expect(any.validateText(deep(64), { maxDepth }).outcome).toBe("guard");
    }
    expect(any.validateText(`"${"a".repeat(5_242_878)}"`).valid).toBe(true);
    expect(any.validateText(`"${"a".repeat(5_242_879)}"`).outcome).toBe("guard");
  });

  it("apply to a broken schema too", () => {
    const broken = compileDeclared({ value: { type: "strin" } });
    expect(broken.validateText("[[1]]", { maxDepth: 2 }).outcome).toBe("guard");
    expect(broken.validateText("[[1]]").outcome).toBe("uncompilable");
  });
});

it.each<[string | Uint8Array, string]>([
  ["", "Invalid JSON: "],
  ['{"a":', "at byte 5"],
  ["1 2", "at byte 2"],
  ["\ufeff1", "byte order mark"],
  [new Uint8Array([0x22, 0xc0, 0x80, 0x22]), "at byte 1"],
])("reports why the text %j is not JSON", (input, part) => {
  expect(any.validateText(input)).toMatchObject({
    valid: false,
    outcome: "violation",
    errors: [{ path: "", rule: "protocol", message: expect.stringContaining(part) }],
    counts: { protocol: 1 },
  });
  expect(any.validateText(input).errors[0]).not.toHaveProperty("keyword");
});

describe("the engine's exceptions", () => {
  it("become the outcome budget, never valid", () => {
    const check = text('{"anyOf":[{"$ref":"#"}]}').validateText("1");
    expect(check).toMatchObject({
      valid: false,
      outcome: "budget",
      errors: [
        {
          path: "",
          rule: "budget",
          keyword: "budget",
          message: expect.stringContaining("ended without a result"),
        },
      ],
      counts: { budget: 1 },
    });
    expect(check).not.toHaveProperty("guard");
  });

  it("do not leak numbers into the next check", () => {
    const schema = text('{"properties":{"a":{"maximum":5}},"dependentSchemas":{"b":{"$ref":"#"}}}');
    expect(schema.validateText('{"a":1e400,"b":1}').outcome).toMatch(/budget|violation/);
    expect(schema.validateText('{"a":1,"c":1e400}').valid).toBe(true);
  });

  it("can come from a value's getters too", () => {
    const trap = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new Error("trap");
      },
    });
    expect(text('{"properties":{"a":{}}}').validate(trap)).toMatchObject({
      outcome: "budget",
      valid: false,
    });
  });
});

it("shares the common result among checks, and freezes it", () => {
  const check = any.validateText("1");
  expect(check).toEqual({
    valid: true,
    outcome: "pass",
    errors: [],
    warnings: [],
    suggestions: [],
    counts: {},
  });
  expect(() => (check.errors as unknown[]).push(1)).toThrow(TypeError);
  expect(Object.isFrozen(check.counts)).toBe(true);
});

it("treats unreadable options like an exception of the engine", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const options = {
    get maxBytes(): number {
      throw new Error("trap");
    },
  };
  const schema = text('{"type":"string"}');
  const checks = [options, proxy].flatMap((given) => [
    schema.validate("a", given),
    schema.validateText('"a"', given),
    schema.validateText(encodeUtf8('"a"'), given),
    text('{"type":"wat"}').validate("a", given),
  ]);
  for (const check of checks) expect(check).toMatchObject({ valid: false, outcome: "budget" });
  expect(checks[0]?.errors[0]?.message).toContain("trap");
});

it("returns whether a value is valid even if a getter throws", () => {
  const trap = Object.defineProperty({}, "a", {
    enumerable: true,
    get: () => {
      throw new Error("trap");
    },
  });
  const schema = text('{"properties":{"a":{"type":"integer"}}}');
  for (let i = 0; i < 5; i++) expect(schema.isValid(trap)).toBe(false);
  expect(schema.isValid({ a: 1 })).toBe(true);
});

it("changes neither the caller's schema nor the value", () => {
  const schema = {
    nullable: true,
    examples: [1],
    properties: { a: { default: 1, type: "integer" } },
    additionalProperties: false,
  };
  const value = { a: "1", b: 2 };
  const before = JSON.stringify([schema, value]);
  const compiled = compileDeclared({ value: schema });
  compiled.validate(value);
  compiled.validateText(JSON.stringify(value));
  expect(JSON.stringify([schema, value])).toBe(before);
});

it("lists errors in the engine's order, the same each time", () => {
  const schema = compileDeclared({
    value: {
      required: ["z", "a"],
      properties: { m: { type: "string", minLength: 3 }, k: { enum: [1] } },
    },
  });
  const first = schema.validateText('{"k":2,"m":5}');
  expect(first.errors.map(({ path }) => path)).toEqual(["/z", "/a", "/m", "/k"]);
  expect(schema.validateText('{"k":2,"m":5}')).toEqual(first);
});

it("keeps at most 16 KiB of messages, unless configured", () => {
  const required = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(900, "n"));
  const compiled = compileDeclared({ value: { required } });
  expect(compiled.validateText("{}", { maxText: 1_000_000 }).errors).toHaveLength(500);
  const check = compiled.validateText("{}");
  const size = check.errors.reduce((sum, { message }) => sum + message.length, 0);
  expect(size).toBeLessThanOrEqual(16_384);
  expect(check.errors.length + (check.truncated ?? 0)).toBe(500);
  expect(check.counts).toEqual({ required: 500 });
});

const schemas = fc.constantFrom(
  '{"type":["integer","string","object","array","null"]}',
  '{"uniqueItems":true,"additionalProperties":{"multipleOf":0.1}}',
  '{"anyOf":[{"type":"object","required":["a"]},{"type":"array","items":{"type":"integer"}},{"maximum":0}]}',
  '{"properties":{"a":{"enum":[1,"a",[],{}]}},"unevaluatedProperties":{"type":"string"},"minimum":-5,"maxLength":2}',
);

describe("a value inside a scanned text", () => {
  const point = text('{"type":"object","properties":{"x":{"type":"integer"}}}');
  const within = (json: string) => {
    const bytes = new TextEncoder().encode(`{"id":1,"result":${json}}`);
    const options = { members: { result: true }, maxDepth: 1000, exact: true } as const;
    const scan = scanJson(bytes, options);
    const range = scan.members.get("/result");
    const unique = scanJson(bytes, { ...options, unique: true });
    return { scans: [scan, unique], slice: bytes.subarray(range?.start, range?.end) };
  };

  it.each([
    ['{"x":1}', "pass"],
    ['{"x":"1"}', "violation"],
    ['{"x":1.0}', "pass"],
    ['{"x":9007199254740993}', "pass"],
    ['{"x":9007199254740993.5}', "violation"],
    [`{"x":1,"y":${"[".repeat(70)}${"]".repeat(70)}}`, "guard"],
    [`{"x":1,"y":${"[".repeat(63)}${"]".repeat(63)}}`, "pass"],
    [`{"x":1,"y":"${"a".repeat(200)}"}`, "guard"],
    ['{"x":1,"y":"\\ud800 €"}', "pass"],
  ])("gets the same result as on its own: %s", (json, outcome) => {
    const { scans, slice } = within(json);
    const alone = point.validateText(slice, { maxBytes: 200 });
    expect(alone.outcome).toBe(outcome);
    for (const scan of scans) {
      expect(point.validateText(slice, { maxBytes: 200, within: scan })).toEqual(alone);
    }
  });

  it("gets the same result as on its own, for any value", () => {
    const json = fc.oneof(
      fc.json(),
      fc.bigInt().map(String),
      fc.double({ noNaN: true }).map(String),
    );
    fc.assert(
      fc.property(schemas, json, fc.nat(8), (schema, value, maxDepth) => {
        const { scans, slice } = within(value.includes("Infinity") ? "1e400" : value);
        const options = { maxDepth: maxDepth + 1 };
        const judge = text(schema);
        const alone = judge.validateText(slice, options);
        for (const scan of scans) {
          expect(judge.validateText(slice, { ...options, within: scan })).toEqual(alone);
        }
      }),
    );
  });

  it("stays unchecked if the schema is unusable", () => {
    const { scans, slice } = within("1");
    for (const scan of scans) {
      expect(text('{"type":5}').validateText(slice, { within: scan }).outcome).toBe("uncompilable");
    }
  });
});

describe("properties", () => {
  test("text and value agree if doubles hold the numbers", () => {
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        const compiled = text(schema);
        const json = JSON.stringify(value);
        expect(compiled.validateText(json)).toEqual(compiled.validate(JSON.parse(json)));
        expect(compiled.validateText(new TextEncoder().encode(json))).toEqual(
          compiled.validateText(json),
        );
      }),
    );
  });

  test("a string gives the same result as its bytes", () => {
    const number = fc.stringMatching(/^-?(0|[1-9]\d{0,19})(\.\d{1,17})?([eE][+-]?\d{1,3})?$/);
    const token = fc.oneof(
      number,
      fc.constantFrom("[", "]", "{", "}", '"a":', '"', ",", " ", "\\", "\ufeff", "null", "é"),
    );
    const input = fc.oneof(
      fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join("")),
      number.map((text) => `{"a":[${text}],"b":{"a":${text},"a":1}}`),
      fc.tuple(fc.nat(6), fc.json()).map(([n, json]) => "[".repeat(n) + json + "]".repeat(n)),
    );
    const limits = fc.record({
      maxDepth: fc.integer({ min: 1, max: 8 }),
      maxBytes: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(schemas, input, limits, (schema, json, options) => {
        const [some, bytes] = [text(schema), new TextEncoder().encode(json)];
        expect(some.validateText(json, options)).toEqual({
          ...some.validateText(bytes, options),
          // A text with more characters than the limit on bytes is not encoded, so its size is reported in characters.
          ...(json.length > (options.maxBytes ?? 0) ? some.validateText(json, options) : {}),
        });
      }),
      { numRuns: sample(125, 500) },
    );
  });

  test("a surrogate equals its escape", () => {
    const raw = (json: string): string =>
      json.replace(/\\(?:u(d[89a-f]..)|.)/g, (whole, unit?: string) =>
        unit === undefined ? whole : String.fromCharCode(Number.parseInt(unit, 16)),
      );
    const some = text(
      '{"uniqueItems":true,"maxProperties":2,"additionalProperties":{"not":{"maximum":5}},"items":{"$ref":"#"}}',
    );
    fc.assert(
      fc.property(jsonNode, fc.nat(), (node, seed) => {
        const escaped = jsonNodeText(node, seed);
        expect(some.validateText(raw(escaped))).toEqual(some.validateText(escaped));
      }),
      { numRuns: sample(75, 300) },
    );
  });

  test("isValid takes its steps from a budget, and leaves none if they do not suffice", () => {
    const schema = compileDeclared({ value: { items: { type: "string" } } });
    const budget = { steps: 1_000 };
    expect(schema.isValid(["a", "b"], budget)).toBe(true);
    expect(budget.steps).toBeLessThan(1_000);
    expect(budget.steps).toBeGreaterThan(900);
    expect(schema.isValid(Array(2_000).fill("a"), budget)).toBe(false);
    expect(budget.steps).toBe(0);
    // This schema refers to itself, so the depth runs out before the steps do.
    const endless = compileDeclared({ value: { anyOf: [{ $ref: "#" }] } });
    const large = { steps: 1_000_000 };
    expect([endless.isValid(1, large), large.steps]).toEqual([false, 0]);
  });

  test("isValid agrees with checkValue", () => {
    const compiled = [
      '{"$ref":"#"}',
      '{"anyOf":[{"$ref":"#"}]}',
      '{"type":"strin"}',
      '{"pattern":"^(a+)+$"}',
    ].map(text);
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        for (const some of [text(schema), ...compiled]) {
          for (let i = 0; i < 5; i++) {
            expect(some.isValid(value)).toBe(some.validate(value).valid);
          }
        }
      }),
    );
  });

  test("the exact variant reports the same errors", () => {
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        const beside = text(`{"prefixItems":[${schema}]}`);
        const json = JSON.stringify(value);
        const exact = beside.validateText(`[${json},1e400]`);
        const { errors, counts, suggestions } = beside.validateText(`[${json},1]`);
        expect({
          errors: exact.errors,
          counts: exact.counts,
          suggestions: exact.suggestions,
        }).toEqual({ errors, counts, suggestions });
      }),
    );
  });

  test("nothing throws, and valid means no errors", () => {
    fc.assert(
      fc.property(
        schemas,
        fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array(), fc.json()),
        (schema, input) => {
          const check = text(schema).validateText(input);
          expect(check.valid).toBe(check.errors.length === 0);
          expect(check.valid).toBe(check.outcome === "pass");
        },
      ),
    );
    for (const input of [undefined, null, 5, {}, []]) {
      expect(any.validateText(input as never, null as never).valid).toBe(false);
    }
  });
});
