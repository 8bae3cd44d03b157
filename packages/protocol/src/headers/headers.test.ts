import { encodeUtf8 } from "@touchstone/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import { paramHeadersOf } from "./param-headers.ts";
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

  it("brings every text through", () => {
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
  it("finds annotations at any depth of properties", () => {
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
  ])("refuses %s", (_, schema) => {
    expect(paramHeadersOf(schema)).toMatchObject({ valid: false });
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

describe("headerFault", () => {
  it("finds nothing wrong with the headers that requestHeaders gives", () => {
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
  ])("judges %s", (_, change, code) => {
    const headers: Readonly<Record<string, string | undefined>> = { ...good, ...change };
    expect(
      headerFault(call("t", { n: 42, a: null }), (name) => headers[name], declared)?.code,
    ).toBe(code);
  });

  it("tells of versions that are not served, and of what _meta lacks", () => {
    const given = (): string => "2027-01-01";
    expect(headerFault(call("t", {}, "2027-01-01"), given)).toMatchObject({
      code: -32022,
      data: { supported: ["2026-07-28"], requested: "2027-01-01" },
    });
    const bare = readFrame(encodeUtf8('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
    expect(headerFault(bare, given)).toMatchObject({ code: -32602 });
    const answer = readFrame(encodeUtf8('{"jsonrpc":"2.0","id":1,"result":{}}'));
    expect(headerFault(answer, given)).toMatchObject({ code: -32600 });
    const notice = readFrame(encodeUtf8('{"jsonrpc":"2.0","method":"x"}'));
    expect(headerFault(notice, given)).toBeUndefined();
  });
});
