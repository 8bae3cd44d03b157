import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { readFrame } from "../read.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import { paramHeadersOf } from "./param-headers.ts";
import { changedParamHeaders, paramHeaderFault, paramHeaderValues } from "./param-values.ts";
import { headerFault, requestHeaders } from "./request-headers.ts";

describe("header values", () => {
  it.each([
    ["plain", "plain"],
    ["with space", "with space"],
    [" edge", "=?base64?IGVkZ2U=?="],
    ["café", "=?base64?Y2Fmw6k=?="],
    ["a\r\nb", "=?base64?YQ0KYg==?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", ""],
  ])("writes %j as %j", (text, header) => {
    expect(encodeHeaderValue(text)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(text);
  });

  it.each(["=?base64?Y2Fm?w?=", "=?base64?Y2F?=", "=?base64?/w==?="])("refuses %j", (header) => {
    expect(decodeHeaderValue(header)).toBeUndefined();
  });

  it("round-trips any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const header = encodeHeaderValue(text);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeHeaderValue(header)).toBe(text.toWellFormed());
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
  });
});

const property = (more: object): unknown => ({
  type: "object",
  properties: { a: { type: "string", "x-mcp-header": "Region", ...more } },
});

describe("paramHeadersOf", () => {
  it("finds annotations in nested properties", () => {
    const schema = {
      properties: { o: { properties: { n: { type: "integer", "x-mcp-header": "N" } } } },
    };
    expect(paramHeadersOf(schema)).toEqual({
      valid: true,
      headers: [{ path: ["o", "n"], name: "Mcp-Param-N", type: "integer" }],
    });
    expect(paramHeadersOf(5)).toEqual({ valid: true, headers: [] });
    const data = { properties: { a: { default: { "x-mcp-header": 5 } } } };
    expect(paramHeadersOf(data)).toEqual({ valid: true, headers: [] });
  });

  it.each<[string, unknown]>([
    ["a number", property({ type: "number" })],
    ["no type", property({ type: ["string", "null"] })],
    ["no token", property({ "x-mcp-header": "a b" })],
    ["no name", property({ "x-mcp-header": "" })],
    ["a name with a colon", property({ "x-mcp-header": "A:B" })],
    ["a name beyond ASCII", property({ "x-mcp-header": "Région" })],
    ["a name with a control character", property({ "x-mcp-header": "A\tB" })],
    ["a name that is not a string", property({ "x-mcp-header": 1 })],
    ["an object", property({ type: "object" })],
    ["an array", property({ type: "array" })],
    ["null", property({ type: "null" })],
    ["the root", { "x-mcp-header": "A", type: "string" }],
    ["items", { properties: { a: { items: { type: "string", "x-mcp-header": "A" } } } }],
    ["a branch", { anyOf: [property({})] }],
    ["a definition", { $defs: { d: property({}) } }],
    [
      "a name twice",
      {
        properties: {
          a: { type: "string", "x-mcp-header": "A" },
          b: { type: "string", "x-mcp-header": "a" },
        },
      },
    ],
  ])("rejects %s", (_, schema) => {
    expect(paramHeadersOf(schema)).toMatchObject({ valid: false });
  });

  it("handles a schema of any depth and width", long, () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    let deep: unknown = region;
    for (let i = 0; i < 900; i += 1) deep = { properties: { a: deep } };
    const many = Array.from({ length: 200_000 }, (_, i) => [`p${i}`, {}]);
    for (const schema of [deep, { properties: { ...Object.fromEntries(many), region } }]) {
      expect(paramHeadersOf(schema)).toMatchObject({
        valid: true,
        headers: [{ name: "Mcp-Param-Region" }],
      });
    }
    for (let i = 0; i < 200_000; i += 1) deep = { properties: { a: deep } };
    const reason = expect.stringContaining("more than 1000 properties");
    expect(paramHeadersOf(deep)).toEqual({ valid: false, reason });
    expect(paramHeadersOf({ deep: { properties: { ["k".repeat(300)]: region } } })).toEqual({
      valid: false,
      reason: `x-mcp-header at ${"k".repeat(200)}…: only properties of the arguments have it`,
    });
  });
});

const call = (
  name: unknown,
  args: unknown,
  version = "2026-07-28",
): ReturnType<typeof readFrame> => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { _meta, name, arguments: args };
  return readFrame(
    encodeUtf8(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })),
  );
};
const PARAMS = paramHeadersOf({
  properties: {
    a: { type: "string", "x-mcp-header": "A" },
    n: { type: "integer", "x-mcp-header": "N" },
    b: { type: "boolean", "x-mcp-header": "B" },
  },
});
const declared = PARAMS.valid ? PARAMS.headers : [];

describe("headers of a call with changed arguments", () => {
  const changed = (before: string | undefined, after: string) =>
    changedParamHeaders(
      declared,
      before === undefined ? undefined : encodeUtf8(before),
      encodeUtf8(after),
    );

  it.each<[string, string | undefined, string, object]>([
    ["a value", '{"n":"3","a":"x"}', '{"n":3,"a":"x"}', { "mcp-param-n": "3" }],
    ["a text", '{"a":5}', '{"a":"5"}', { "mcp-param-a": "5" }],
    ["a value beyond ASCII", '{"A":"é"}', '{"a":"é"}', { "mcp-param-a": "=?base64?w6k=?=" }],
    ["a value that is gone", '{"n":1,"a":null}', '{"n":1}', { "mcp-param-a": undefined }],
    [
      "an integer beyond doubles",
      '{"n":"9007199254740993"}',
      '{"n":9007199254740993}',
      {
        "mcp-param-n": undefined,
      },
    ],
    ["all", '"{}"', '{"b":true}', { "mcp-param-b": "true" }],
    ["none were sent", undefined, '{"b":true}', { "mcp-param-b": "true" }],
    ["nothing that a header repeats", '{"x":"1","n":1}', '{"x":1,"n":1}', {}],
  ])("match the new arguments: %s", (_, before, after, headers) => {
    expect(changed(before, after)).toEqual(headers);
  });
});

describe("headers of a call", () => {
  const bytes = (value: unknown): Uint8Array => encodeUtf8(JSON.stringify(value));

  it("are written for the arguments that are present", () => {
    expect(paramHeaderValues(declared, bytes({ a: "us west", n: 42, b: false }))).toEqual({
      "Mcp-Param-A": "us west",
      "Mcp-Param-N": "42",
      "Mcp-Param-B": "false",
    });
    for (const args of [bytes({ a: null, n: 2 ** 60, b: [] }), undefined, bytes([])]) {
      expect(paramHeaderValues(declared, args)).toEqual({});
    }
  });

  it.each<[string, unknown, Readonly<Record<string, string>>, RegExp | undefined]>([
    ["as the body says", { a: "a" }, { "mcp-param-a": "a" }, undefined],
    ["encoded", { a: "Hello" }, { "mcp-param-a": "=?base64?SGVsbG8=?=" }, undefined],
    ["the same integer", { n: 42 }, { "mcp-param-n": "42.0" }, undefined],
    ["not wanted", { a: null }, { "mcp-param-a": "a" }, undefined],
    ["inherited", JSON.parse('{"__proto__":{"a":"a"}}'), {}, undefined],
    ["missing", { a: "a" }, {}, /Mcp-Param-A is missing/],
    ["other", { a: "a" }, { "mcp-param-a": "b" }, /does not say/],
    ["badly padded", { a: "Hello" }, { "mcp-param-a": "=?base64?SGVsbG8?=" }, /Base64/],
    ["no Base64", { a: "Hello" }, { "mcp-param-a": "=?base64?SG!=?=" }, /Base64/],
    ["no UTF-8", { a: "a" }, { "mcp-param-a": "=?base64?/w==?=" }, /Base64/],
  ])("are checked: %s", (_, args, given, expected) => {
    const found = paramHeaderFault(declared, bytes(args), (name) => given[name]);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });
});

describe("headerFault", () => {
  it("finds no fault with the output of requestHeaders", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.record({ a: fc.string(), n: fc.integer(), b: fc.boolean() }),
        (name, args) => {
          const frame = call(name, args);
          const headers = new Headers(requestHeaders(frame, declared));
          const given = (key: string): string | undefined => headers.get(key) ?? undefined;
          expect(headerFault(frame, given, declared)).toBeUndefined();
        },
      ),
    );
  });

  const good = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "t",
    "mcp-param-n": "42.0",
  };
  it.each<[string, object, number | undefined]>([
    ["all as the body says", {}, undefined],
    ["no version", { "mcp-protocol-version": undefined }, -32020],
    ["another version", { "mcp-protocol-version": "2025-11-25" }, -32020],
    ["another method", { "mcp-method": "tools/list" }, -32020],
    ["no name", { "mcp-name": undefined }, -32020],
    ["a name of bad Base64", { "mcp-name": "=?base64?x?=" }, -32020],
    ["another parameter", { "mcp-param-n": "43" }, -32020],
    ["no parameter", { "mcp-param-n": undefined }, -32020],
    ["a parameter that the body has not", { "mcp-param-a": "x" }, undefined],
  ])("checks %s", (_, change, code) => {
    const headers: Readonly<Record<string, string | undefined>> = { ...good, ...change };
    expect(
      headerFault(call("t", { n: 42, a: null }), (name) => headers[name], declared)?.code,
    ).toBe(code);
  });

  it("reports unsupported versions, and missing members of _meta", () => {
    const given = (): string => "2027-01-01";
    expect(headerFault(call("t", {}, "2027-01-01"), given)).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: "2027-01-01" },
    });
    expect(headerFault(call("t", {}, "2027-01-01"), given, [], "any")?.message).toBe(
      "the header Mcp-Method does not say what the body says",
    );
    const bare = readFrame(encodeUtf8('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
    expect(headerFault(bare, given)).toMatchObject({ code: -32602 });
    const answer = readFrame(encodeUtf8('{"jsonrpc":"2.0","id":1,"result":{}}'));
    expect(headerFault(answer, given)).toMatchObject({ code: -32600 });
    const notice = readFrame(encodeUtf8('{"jsonrpc":"2.0","method":"x"}'));
    expect(headerFault(notice, given)).toBeUndefined();
  });
});
