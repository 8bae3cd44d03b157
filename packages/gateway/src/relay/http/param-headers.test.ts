import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import { paramHeaderFault, paramHeaderValues, scanParamHeaders } from "./param-headers.ts";

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const scan = (properties: object, more: object = {}) =>
  scanParamHeaders(bytes({ type: "object", properties, ...more }));
const region = { type: "string", "x-mcp-header": "Region" };

describe("the headers that a schema declares", () => {
  it("are found in properties and in objects inside", () => {
    const count = { type: "integer", "x-mcp-header": "Count" };
    expect(scan({ region, in: { type: "object", properties: { count } } })).toEqual({
      valid: true,
      headers: [
        { path: ["region"], name: "Mcp-Param-Region", type: "string" },
        { path: ["in", "count"], name: "Mcp-Param-Count", type: "integer" },
      ],
    });
  });

  it("are none where there is no annotation, or none that counts", () => {
    const data = {
      type: "object",
      const: { "x-mcp-header": "A" },
      default: { "x-mcp-header": "" },
    };
    expect(scan({ a: data })).toEqual({ valid: true, headers: [] });
    expect(scan({ "x-mcp-header": { type: "string" } })).toEqual({ valid: true, headers: [] });
    expect(scanParamHeaders(Buffer.from('{"x-mcp-header"'))).toEqual({ valid: true, headers: [] });
  });

  it.each([
    ["an empty name", { a: { type: "string", "x-mcp-header": "" } }],
    ["a space", { a: { type: "string", "x-mcp-header": "My Region" } }],
    ["a colon", { a: { type: "string", "x-mcp-header": "A:B" } }],
    ["a letter beyond ASCII", { a: { type: "string", "x-mcp-header": "Région" } }],
    ["a control character", { a: { type: "string", "x-mcp-header": "A\tB" } }],
    ["no string", { a: { type: "string", "x-mcp-header": 1 } }],
    ["an object", { a: { type: "object", "x-mcp-header": "A" } }],
    ["an array", { a: { type: "array", "x-mcp-header": "A" } }],
    ["null", { a: { type: "null", "x-mcp-header": "A" } }],
    ["a number", { a: { type: "number", "x-mcp-header": "A" } }],
    ["a name twice", { a: region, b: { ...region, "x-mcp-header": "rEGION" } }],
    ["an item", { a: { type: "array", items: region } }],
    ["a branch", { a: { oneOf: [{ properties: { b: region } }] } }],
    ["a definition", { a: { $defs: { b: region } } }],
  ])("are refused: %s", (_name, properties) => {
    expect(scan(properties)).toMatchObject({ valid: false });
  });

  it("are refused at the root, and found in a schema of any depth", () => {
    expect(scan({}, { "x-mcp-header": "A" })).toMatchObject({ valid: false });
    const depth = 900;
    const text = `{"properties":{"a":`.repeat(depth) + JSON.stringify(region) + "}}".repeat(depth);
    expect(scanParamHeaders(Buffer.from(text))).toMatchObject({
      valid: true,
      headers: [{ name: "Mcp-Param-Region" }],
    });
  });
});

describe("the headers of a call", () => {
  const scanned = scan({
    region,
    n: { type: "integer", "x-mcp-header": "N" },
    on: { type: "boolean", "x-mcp-header": "On" },
  });
  const headers = scanned.valid ? scanned.headers : [];
  const fault = (args: unknown, given: Record<string, string>) =>
    paramHeaderFault(headers, bytes(args), (name) => given[name]);

  it("are written for the values that are there", () => {
    expect(paramHeaderValues(headers, bytes({ region: "us west", n: 42, on: false }))).toEqual({
      "Mcp-Param-Region": "us west",
      "Mcp-Param-N": "42",
      "Mcp-Param-On": "false",
    });
    expect(paramHeaderValues(headers, bytes({ region: null, n: 2 ** 60, on: [] }))).toEqual({});
    expect(paramHeaderValues(headers, undefined)).toEqual({});
    expect(paramHeaderValues(headers, bytes([]))).toEqual({});
  });

  it.each([
    ["as the body says", { region: "a" }, { "mcp-param-region": "a" }, undefined],
    ["encoded", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8=?=" }, undefined],
    ["the same integer", { n: 42 }, { "mcp-param-n": "42.0" }, undefined],
    ["not wanted", { region: null }, { "mcp-param-region": "a" }, undefined],
    ["inherited", JSON.parse('{"__proto__":{"region":"a"}}'), {}, undefined],
    ["missing", { region: "a" }, {}, /Mcp-Param-Region is missing/],
    ["other", { region: "a" }, { "mcp-param-region": "b" }, /does not say/],
    ["badly padded", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }, /Base64/],
    ["no Base64", { region: "Hello" }, { "mcp-param-region": "=?base64?SG!=?=" }, /Base64/],
    ["no UTF-8", { region: "a" }, { "mcp-param-region": "=?base64?/w==?=" }, /Base64/],
  ])("are judged: %s", (_name, args, given, expected) => {
    const found = fault(args, given as Record<string, string>);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });

  it("survive the way there and back, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const value = encodeHeaderValue(text);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
        expect(value.trim()).toBe(value);
        expect(decodeHeaderValue(value)).toBe(text);
      }),
    );
  });

  it("are decoded or refused, never thrown over", () => {
    fc.assert(fc.property(fc.string(), (text) => void decodeHeaderValue(`=?base64?${text}?=`)));
  });
});
