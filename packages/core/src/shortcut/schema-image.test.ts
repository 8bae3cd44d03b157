import { describe, expect, it } from "vitest";
import { plainGraph } from "../engine/testing/plain-graph.ts";
import { encodeUtf8 } from "../json/text.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import { schemaImage } from "./schema-image.ts";

function accept(schema: unknown, text: string): boolean | undefined {
  const image = schemaImage(plainGraph(schema));
  const bytes = encodeUtf8(text);
  return image && wasmScanners.use(bytes.length, (scanner) => scanner.accept(bytes, image));
}

const NAMED = {
  properties: { seven77: true, eight888: { type: "null" }, "nine/9999": { minimum: 1 } },
  required: ["nine/9999", "undeclared"],
  additionalProperties: { type: "string" },
};
const CHAIN = Array.from({ length: 40 }, (_, i) => [`n${i}`, { $ref: `#/$defs/n${i + 1}` }]);

describe("the scanner's answer from the image of a schema", () => {
  it.each<[what: string, schema: unknown, text: string, answer: boolean | undefined]>([
    ["a schema that takes everything", {}, '{"a":[1,{"b":"]}"}]}', true],
    ["one that takes nothing", false, "1", false],
    ["white space around", { type: "integer" }, " \n12 ", true],
    ["an integer of 23 digits", { type: "integer" }, "10000000000000000000000", true],
    ["an integer with a point", { type: "integer" }, "12.00", true],
    ["a fraction", { type: "integer" }, "12.01", false],
    ["an exponent, where it matters", { type: "integer" }, "12e1", undefined],
    ["an exponent, where it does not", { type: "number" }, "12e1", true],
    ["an integer of 18 digits", { minimum: 100000000000000000 }, "100000000000000000", true],
    ["an integer of 19 digits", { minimum: 1 }, "1000000000000000000", undefined],
    ["16 digits with a point", { minimum: 1 }, "1.000000000000001", undefined],
    ["a bound itself", { exclusiveMaximum: 0.3 }, "0.3", false],
    ["below a bound", { exclusiveMaximum: 0.3 }, "0.29", true],
    ["minus zero", { const: 0 }, "-0.0", true],
    ["a multiple", { multipleOf: 3 }, "-9.0", true],
    ["a divisor with a point", { multipleOf: 0.1 }, "1", undefined],
    [
      "no multiple beyond 2^53, but of its double",
      { multipleOf: 128 },
      "576460752303423500",
      undefined,
    ],
    ["a multiple at 2^53", { multipleOf: 3 }, "-9007199254740990", true],
    ["code points", { minLength: 2, maxLength: 2 }, '"😀é"', true],
    ["escapes as code points", { minLength: 3, maxLength: 3 }, '"\\ud83d\\ude00\\n\\ud83d"', true],
    ["too few code points", { minLength: 3 }, '"😀é"', false],
    ["a pattern", { pattern: "a" }, '"a"', undefined],
    ["a pattern, beside a number", { pattern: "a" }, "1", true],
    ["a string among others", { enum: [1, "a", "b\n", "bcdefghijk"] }, '"bcdefghijk"', true],
    ["a string that is not", { enum: [1, "a", "b\n"] }, '"c"', false],
    ["a string with an escape", { enum: [1, "a", "b\n"] }, '"\\u0061"', undefined],
    ["a byte order mark in a string", { not: { const: "\ufeffa" } }, '"\ufeffa"', false],
    ["a string that no text has without escapes", { not: { const: "\ud800" } }, '"\ufffd"', true],
    ["DEL, which needs none", { const: "\x7f" }, '"\x7f"', true],
    ["a kind that no value has", { enum: ["a", null] }, "[]", false],
    ["an object among values", { enum: [{ a: 1 }] }, '{"a":1}', undefined],
    ["names of many lengths", NAMED, '{"undeclared":"","nine/9999":1,"seven77":[]}', true],
    ["the same with gaps", NAMED, '{ "nine/9999" : 1 ,\n"x" : "" , "undeclared" : "" }', true],
    ["a name that another one begins", NAMED, '{"nine/9999":1,"undeclared":"","eight88":1}', false],
    ["a value that is wrong", NAMED, '{"nine/9999":0,"undeclared":""}', false],
    ["a required one is missing", NAMED, '{"nine/9999":1}', false],
    ["a key with an escape", NAMED, '{"nine/9999":1,"undeclared":"","\\u0061":""}', undefined],
    ["a name that needs an escape", { required: ['a"'] }, '{"b":1}', undefined],
    ["names by a schema", { propertyNames: { maxLength: 1 } }, '{"a":1,"bc":2}', false],
    ["few properties", { minProperties: 2 }, '{"a":1}', false],
    ["items behind others", { prefixItems: [{ const: 1 }], items: false }, "[1]", true],
    ["too many of them", { prefixItems: [{ const: 1 }], items: false }, "[1,2]", false],
    ["items that must differ", { uniqueItems: true }, "[1,2]", undefined],
    [
      "a reference to what takes everything",
      { not: { $ref: "#/$defs/x" }, $defs: { x: true } },
      "1",
      false,
    ],
    ["exactly one", { oneOf: [{ type: "null" }, {}, { type: "string" }] }, "1", true],
    ["more than one", { oneOf: [{ type: "number" }, {}] }, "1", false],
    [
      "a condition",
      { if: { type: "null" }, else: { type: "array", items: { $ref: "#" } } },
      "[[null,[]]]",
      true,
    ],
    [
      "a condition that is always met",
      JSON.parse('{"if":true,"then":{"type":"null"}}'),
      "1",
      false,
    ],
    ["a schema that leads to itself", { anyOf: [{ $ref: "#" }, true] }, "1", true],
    ["one that does so without end", { anyOf: [{ $ref: "#" }] }, "1", undefined],
    [
      "a chain of references",
      { $ref: "#/$defs/n0", $defs: Object.fromEntries([...CHAIN, ["n40", { type: "null" }]]) },
      "1",
      false,
    ],
    ["a text that is cut off", { type: "array", items: { type: "object" } }, '[{"a":1}', undefined],
  ])("%s", (_, schema, text, answer) => {
    expect(accept(schema, text)).toBe(answer);
  });

  it("tells apart names that begin with one another, of every length", () => {
    const names = Array.from({ length: 20 }, (_, i) => "abcdefghijklmnopqrs".slice(0, i));
    const schema = {
      properties: Object.fromEntries(names.map((name, i) => [name, { const: i }])),
      required: names,
      additionalProperties: false,
    };
    const text = (wrong?: number): string => {
      const members = names.map((name, i) => `"${name}":${i === wrong ? 99 : i}`);
      return `{${(wrong ?? 0) % 2 === 0 ? members : members.reverse()}}`;
    };
    expect(accept(schema, text())).toBe(true);
    for (const [i, name] of names.entries()) {
      expect(accept(schema, text(i)), name).toBe(false);
      expect(accept(schema, text().replace(`"${name}":`, `"${name}z":`)), name).toBe(false);
    }
  });

  it("gives up on a schema that multiplies the work", () => {
    const branch = { anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }] };
    const text = `${"[".repeat(60)}1${"]".repeat(60)}`;
    expect(accept({ ...branch, not: { type: "number" } }, text)).toBeUndefined();
  });

  const all = (schema: unknown) => ({ allOf: Array.from({ length: 64 }, () => schema) });
  const alike = (count: number, length: number) =>
    Array.from({ length: count }, (_, i) => `${i}`.padStart(length, "x"));
  it.each<[what: string, schema: unknown, item: string]>([
    ["brackets", all({ type: "array" }), "[[],[]]"],
    ["escapes", { items: all({ type: "string" }) }, `"${"\\n".repeat(2000)}"`],
    ["letters beyond ASCII", { items: all({ type: "string" }) }, `"${"é".repeat(2000)}"`],
    [
      "keys beyond ASCII",
      { items: all({ type: "object", minProperties: 1 }) },
      `{"${"é".repeat(2000)}":1}`,
    ],
    [
      "values of one beginning",
      { items: { not: { enum: alike(300, 150) } } },
      `"${"x".repeat(150)}"`,
    ],
    [
      "names of one beginning",
      { items: { not: { required: alike(300, 150) } } },
      `{"${"x".repeat(150)}":1}`,
    ],
  ])("gives up if a schema reads the same %s again and again", (_, schema, item) => {
    const items = Array.from({ length: 20_000 / item.length + 10 }, () => item);
    expect(accept(schema, `[${items}]`)).toBeUndefined();
  });

  it("reads a large text once, but gives up if the schema reads it repeatedly", () => {
    const text = `[${Array.from({ length: 1_500_000 }, () => "12")}]`;
    expect(accept({ items: { type: "integer" } }, text)).toBe(true);
    expect(accept({ allOf: Array(4).fill({ items: { type: "integer" } }) }, text)).toBeUndefined();
  });

  it("gives up on a text that nests too deep", () => {
    const schema = { items: { $ref: "#" } };
    expect(accept(schema, `${"[".repeat(300)}${"]".repeat(300)}`)).toBe(true);
    expect(accept(schema, `${"[".repeat(900)}${"]".repeat(900)}`)).toBeUndefined();
  });

  it("has no image of a schema that is too large or has a number that no double can hold", () => {
    const names = Array.from({ length: 3000 }, (_, i) => [`name ${i}`, { type: "string" }]);
    expect(schemaImage(plainGraph({ properties: Object.fromEntries(names) }))).toBeUndefined();
    expect(schemaImage({ ...plainGraph({ type: "number" }), lossy: true })).toBeUndefined();
  });

  it("reloads an image that others have displaced", () => {
    const values = (seed: number) => Array.from({ length: 1000 }, (_, i) => `${seed}: value ${i}`);
    const images = Array.from({ length: 12 }, (_, i) =>
      schemaImage(plainGraph({ enum: values(i) })),
    );
    for (const round of [1, 2, 3]) {
      for (const [i, image] of images.entries()) {
        const bytes = encodeUtf8(`"${(i + round) % 12}: value 999"`);
        const answer = wasmScanners.use(1, (scanner) => scanner.accept(bytes, image as Uint8Array));
        expect(answer).toBe(false);
        const own = encodeUtf8(`"${i}: value 999"`);
        expect(wasmScanners.use(1, (scanner) => scanner.accept(own, image as Uint8Array))).toBe(
          true,
        );
      }
    }
  });

  it("checks a text of 2 MB", () => {
    const item = '{"name":"the name of it","count":12}';
    const text = `[${Array.from({ length: 60_000 }, () => item).join()}]`;
    const schema = {
      items: { properties: { name: { type: "string" }, count: { maximum: 12 } }, minProperties: 2 },
    };
    expect(accept(schema, text)).toBe(true);
    expect(accept(schema, text.replace(/12\}\]$/, "13}]"))).toBe(false);
  });
});
