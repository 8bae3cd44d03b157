import { describe, expect, it } from "vitest";
import { long } from "../testing/sample.ts";
import type { MemberPlan, ScanOptions } from "./range.ts";
import { scanWith } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

describe.each([
  ["WebAssembly", wasmScanners],
  ["JavaScript", scriptOnlyScanner],
])("scanJson in %s", (_, source) => {
  const scanJson = (bytes: Uint8Array, options: ScanOptions = {}) =>
    scanWith(bytes, options, source);
  const scanText = (text: string, options?: ScanOptions) => scanJson(encodeUtf8(text), options);

  function membersOf(text: string, members: MemberPlan): Record<string, string> {
    const bytes = encodeUtf8(text);
    const found = scanJson(bytes, { members }).members;
    return Object.fromEntries(
      [...found].map(([pointer, { start, end }]) => [pointer, decodeUtf8(bytes, start, end)]),
    );
  }

  describe("depth and keys", () => {
    it.each([
      ["1", 1, 0],
      ["[]", 1, 0],
      ["{}", 1, 0],
      ['{"a":1}', 2, 1],
      ["[[]]", 2, 0],
      ['[{"a":[1],"b":{}}, 2]', 4, 2],
      [' {"a":{"b":{"c":[]}}} ', 4, 3],
    ])("are right for %s", (text, depth, keys) => {
      expect(scanText(text)).toMatchObject({ depth, keys });
      expect(scanText(text).error).toBeUndefined();
      expect(scanText(text, { maxDepth: depth }).error).toBeUndefined();
      expect(scanText(text, { maxDepth: depth - 1 }).error?.code).toBe("depth");
    });

    it("stops at the first byte that is too deep", () => {
      expect(scanText('{"a":[[1]]}', { maxDepth: 2 })).toMatchObject({
        error: {
          code: "depth",
          offset: 6,
          message: "The value nests deeper than 2 levels, at byte 6",
        },
        depth: 3,
      });
    });

    it("limits the depth to 10,000 by default", () => {
      expect(scanText(`${"[".repeat(10_000)}${"]".repeat(10_000)}`).error).toBeUndefined();
      expect(scanText("[".repeat(10_001)).error).toMatchObject({ code: "depth", offset: 10_000 });
    });

    it("reads a million levels without recursion", long, () => {
      const levels = 1_000_000;
      const options = { maxDepth: Number.POSITIVE_INFINITY, duplicates: true, numbers: true };
      const arrays = scanText(`${"[".repeat(levels)}${"]".repeat(levels)}`, options);
      expect(arrays).toMatchObject({ depth: levels });
      expect(arrays.error).toBeUndefined();
      const objects = scanText(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`, options);
      expect(objects).toMatchObject({ depth: levels + 1, keys: levels });
      expect(objects.error).toBeUndefined();
      expect(scanText('[{"a":'.repeat(levels / 2), options).error?.code).toBe("syntax");
    });
  });

  describe("errors", () => {
    it.each([
      ["", "syntax", 0, "Expected a value, but the text ends, at byte 0"],
      ["  ", "syntax", 2, "Expected a value, but the text ends, at byte 2"],
      ["[1,]", "syntax", 3, "Expected a value, found ']' (0x5d), at byte 3"],
      ['{"a":1,}', "syntax", 7, "Expected a key in double quotes, found '}' (0x7d), at byte 7"],
      ['{"a" 1}', "syntax", 5, "Expected a colon after the key, found '1' (0x31), at byte 5"],
      ["[1 2]", "syntax", 3, "Expected a comma or ']', found '2' (0x32), at byte 3"],
      ['{"a":1]', "syntax", 6, "Expected a comma or '}', found ']' (0x5d), at byte 6"],
      ["-", "syntax", 1, "Expected a digit, but the text ends, at byte 1"],
      ["[1.x]", "syntax", 3, "Expected a digit, found 'x' (0x78), at byte 3"],
      ["tru", "syntax", 0, "Expected a value, found 't' (0x74), at byte 0"],
      ["\u00a01", "syntax", 0, "Expected a value, found the byte 0xc2, at byte 0"],
      ['"a', "syntax", 2, "The text ends inside a string, at byte 2"],
      ['"a\nb"', "syntax", 2, "A string contains the control character 0x0a unescaped, at byte 2"],
      ['"\\x"', "syntax", 1, "A string contains a backslash that starts no JSON escape, at byte 1"],
      [
        '"\\u12"',
        "syntax",
        1,
        "A string contains a backslash that starts no JSON escape, at byte 1",
      ],
      ["1 2", "trailing", 2, "More text follows the end of the JSON value, at byte 2"],
      ["01", "trailing", 1, "More text follows the end of the JSON value, at byte 1"],
      [
        "\ufeff{}",
        "encoding",
        0,
        "The text starts with a byte order mark, which JSON does not allow, at byte 0",
      ],
    ])("rejects %j", (text, code, offset, message) => {
      expect(scanText(text).error).toEqual({ code, offset, message });
    });

    it("names malformed UTF-8 and UTF-16", () => {
      const bytes = encodeUtf8('"é"').filter((_, index) => index !== 2);
      expect(scanJson(bytes).error).toEqual({
        code: "encoding",
        offset: 1,
        message: "A string contains bytes that are not UTF-8, at byte 1",
      });
      expect(scanJson(Uint8Array.of(0xff, 0xfe, 0x31, 0)).error?.message).toBe(
        "The text is UTF-16, not UTF-8, at byte 0",
      );
    });

    it("returns the root without white space", () => {
      expect(scanText(" [1] \n").root).toEqual({ start: 1, end: 4 });
      expect(scanText(' "a" x').root).toEqual({ start: 1, end: 4 });
      expect(scanText(" [1 ").root).toEqual({ start: 1, end: 4 });
    });
  });

  describe("exactness", () => {
    const exact = (text: string, options?: ScanOptions) =>
      scanText(text, { ...options, exact: true }).exact;

    it("is reported for valid texts whose numbers doubles can hold", () => {
      const known = source === wasmScanners ? true : undefined;
      const text = '{"a":[1,0.1,-2.5e-3,9007199254740992],"b":"9007199254740993"}';
      expect(exact(text)).toBe(known);
      expect(exact(text, { duplicates: true, numbers: true })).toBe(known);
      expect(scanText(text).exact).toBeUndefined();
    });

    it.each(["9007199254740993", "1e400", "0.10000000000000000001"])(
      "is not reported for %s",
      (number) => {
        const text = `{"a":{"padding":"as long as it takes","number":${number}}}`;
        const options = { members: { a: { number: true } }, duplicates: true } as const;
        expect(exact(text, options)).toBeUndefined();
        expect(scanText(text, { ...options, exact: true })).toEqual(scanText(text, options));
      },
    );

    it.each(['{"a":1,"a":1,"padding":"as long as it takes"}', '{"padding":"as long as it takes"'])(
      "is not reported for %s",
      (text) => {
        expect(exact(text, { duplicates: true })).toBeUndefined();
      },
    );
  });

  describe("uniqueness", () => {
    it("is reported for texts without duplicate keys", () => {
      const known = source === wasmScanners ? true : undefined;
      const text = '{"a":{"b":1,"c":[{"b":2},{"b":3}]},"b":9007199254740993.5}';
      expect(scanText(text, { unique: true }).unique).toBe(known);
      expect(scanText(text, { unique: true, duplicates: true }).unique).toBe(known);
      expect(scanText(text, { duplicates: true }).unique).toBeUndefined();
    });

    it.each([{}, { exact: true }, { numbers: true }, { duplicates: true }])(
      "is not reported otherwise, and changes nothing else, with %j",
      (options) => {
        const text = '{"a":1,"\\u0061":2,"padding":"as long as it takes"}';
        const { exact: _, ...scan } = scanText(text, { ...options, unique: true });
        expect(scan).toEqual({ ...scanText(text, options), exact: undefined });
      },
    );
  });

  describe("members", () => {
    const plan: MemberPlan = { id: true, params: { name: true, _meta: { "a/b": true } } };

    it("locates planned members only at their places", () => {
      const text =
        '{"id": 12 ,"x":{"id":1,"params":{"name":0}}, "params" : {"n":[{"name":1}],"name":"t",' +
        '"_meta":{"a/b":[1, 2],"id":3}} }';
      expect(membersOf(text, plan)).toEqual({
        "/id": "12",
        "/params": '{"n":[{"name":1}],"name":"t","_meta":{"a/b":[1, 2],"id":3}}',
        "/params/name": '"t"',
        "/params/_meta": '{"a/b":[1, 2],"id":3}',
        "/params/_meta/a~1b": "[1, 2]",
      });
    });

    it.each([
      ['{"\\u0069d":1}', { "/id": "1" }],
      ['{"params":["name"],"id":{}}', { "/params": '["name"]', "/id": "{}" }],
      ['[{"id":1}]', {}],
      ['"id"', {}],
      [
        '{"params":{"_meta":{"_meta":{"a/b":1}}}}',
        {
          "/params": '{"_meta":{"_meta":{"a/b":1}}}',
          "/params/_meta": '{"_meta":{"a/b":1}}',
        },
      ],
    ])("locates in %s", (text, expected) => {
      expect(membersOf(text, plan)).toEqual(expected);
    });

    it("uses the last of duplicates, and nothing from inside the others", () => {
      expect(membersOf('{"id":1,"params":{"name":1},"id":2,"params":{}}', plan)).toEqual({
        "/id": "2",
        "/params": "{}",
      });
      expect(membersOf('{"params":{"name":1,"name":2},"par\\u0061ms":7}', plan)).toEqual({
        "/params": "7",
      });
    });

    it("keeps members that were complete before a fault", () => {
      expect(membersOf('{"id":7,"params":{"name":"a","_meta":{"a/b":1', plan)).toEqual({
        "/id": "7",
        "/params/name": '"a"',
        "/params/_meta/a~1b": "1",
      });
      expect(membersOf('{"id":7} x', plan)).toEqual({ "/id": "7" });
      expect(membersOf('{"id":7,"id":', plan)).toEqual({});
    });

    it("accepts a plan with any name", () => {
      const odd = JSON.parse(
        '{"__proto__":true,"":{"":true},"é":true,"\\ud800":true}',
      ) as MemberPlan;
      const text = '{"__proto__":1,"":{"":2},"\\u00e9":3,"\\ud800":4,"\ufffd":5,"constructor":6}';
      expect(membersOf(text, odd)).toEqual({
        "/__proto__": "1",
        "/": '{"":2}',
        "//": "2",
        "/é": "3",
        "/\ud800": "4",
      });
    });

    it("follows a recursive plan only as far as the text goes", () => {
      const endless: Record<string, MemberPlan> = {};
      endless["a"] = endless;
      expect(Object.keys(membersOf('{"a":{"a":{"b":1}}}', endless))).toEqual(["/a/a", "/a"]);
    });
  });
});
