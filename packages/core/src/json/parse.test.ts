import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonText, parseJson } from "./parse.ts";
import { escapePointer, joinPointer } from "./pointer.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

describe("parseJson", () => {
  it("returns the value of text and of bytes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        const parsed = { ok: true, value: JSON.parse(text) as unknown };
        expect(parseJson(text)).toEqual(parsed);
        expect(parseJson(encodeUtf8(text))).toEqual(parsed);
      }),
    );
  });

  it("reports what is wrong and at which byte", () => {
    const expected = {
      ok: false,
      code: "syntax",
      message: "Expected a value, found ']' (0x5d), at byte 6",
      offset: 6,
    };
    expect(parseJson('["é",]')).toEqual(expected);
    expect(parseJson(encodeUtf8('["é",]'))).toEqual(expected);
  });

  it("refuses invalid UTF-8, a byte order mark, and deep nesting", () => {
    expect(parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({
      code: "encoding",
      offset: 1,
    });
    expect(parseJson("\ufeff1")).toMatchObject({ code: "encoding", offset: 0 });
    expect(parseJson("[".repeat(1_000_000))).toMatchObject({ code: "depth", offset: 10_000 });
    expect(parseJson("[[1]]", { maxDepth: 2 })).toMatchObject({ code: "depth", offset: 2 });
    expect(parseJson("[[1]]", { maxDepth: 3 })).toEqual({ ok: true, value: [[1]] });
  });

  it("keeps __proto__ as an own property, and lone surrogates unchanged", () => {
    const parsed = parseJson('{"__proto__":{"a":1}}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["__proto__"]);
    expect(parseJson('"\\ud800"')).toEqual({ ok: true, value: "\ud800" });
    expect(parseJson('"\ud800"')).toEqual({ ok: true, value: "\ud800" });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array()), (source) => {
        expect(typeof parseJson(source).ok).toBe("boolean");
      }),
    );
  });
});

describe("text", () => {
  it("is decoded as the platform does, for any range and length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), fc.nat(60), (bytes, a, b) => {
        const start = Math.min(a, b, bytes.length);
        const end = Math.min(Math.max(a, b), bytes.length);
        const platform = new TextDecoder("utf-8", { ignoreBOM: true });
        expect(decodeUtf8(bytes, start, end)).toBe(platform.decode(bytes.subarray(start, end)));
      }),
    );
    expect(decodeUtf8(encodeUtf8("\ufeffa"))).toBe("\ufeffa");
    expect(jsonText(encodeUtf8('{"a": 1}'), { start: 6, end: 7 })).toBe("1");
  });
});

describe("pointers", () => {
  it.each([
    ["", ""],
    ["a", "a"],
    ["a/b", "a~1b"],
    ["m~n", "m~0n"],
    ["~1", "~01"],
    ["~/~", "~0~1~0"],
  ])("escape %j as %j", (token, escaped) => {
    expect(escapePointer(token)).toBe(escaped);
    expect(joinPointer("/x", token)).toBe(`/x/${escaped}`);
  });

  it("accept an index", () => {
    expect(joinPointer("", 0)).toBe("/0");
  });
});
