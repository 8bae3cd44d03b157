import { describe, expect, it } from "vitest";
import { locateWith } from "./locate.ts";
import type { MemberPlan } from "./range.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

const PLAN: MemberPlan = { id: true, params: { name: true, _meta: { "a/b": true } } };

describe.each([
  ["WebAssembly", wasmScanners],
  ["JavaScript", scriptOnlyScanner],
])("locateJson in %s", (_, source) => {
  const locate = (text: string, members?: MemberPlan, maxDepth?: number) =>
    locateWith(
      encodeUtf8(text),
      { ...(members && { members }), ...(maxDepth && { maxDepth }) },
      source,
    );
  const texts = (text: string): Record<string, string> => {
    const bytes = encodeUtf8(text);
    const { members } = locateWith(bytes, { members: PLAN }, source);
    const entries = [...members].map(([key, { start, end }]) => [
      key,
      decodeUtf8(bytes, start, end),
    ]);
    return Object.fromEntries(entries);
  };

  it("returns the ranges of planned members", () => {
    expect(
      texts(' {"id" : 12 ,"x":[{"id":1}],"params":{"_meta":{"a/b":[1, "]"]},"name":"t"}}'),
    ).toEqual({
      "/id": "12",
      "/params": '{"_meta":{"a/b":[1, "]"]},"name":"t"}',
      "/params/name": '"t"',
      "/params/_meta": '{"a/b":[1, "]"]}',
      "/params/_meta/a~1b": '[1, "]"]',
    });
    expect(texts('{"\\u0069d":"\\"}","params":[]}')).toEqual({ "/id": '"\\"}"', "/params": "[]" });
  });

  it.each([
    ["[]", 1],
    ["{}", 1],
    ["[ \n ]", 1],
    ["[[],[ ],[]]", 2],
    ["[[],[1],[]]", 3],
    ['{"x":{"y":{}}}', 3],
    ['{"x":[[],{"y":1}]}', 4],
    ['{"x":"[[[","params":{}}', 2],
    [`{"x":[${" ".repeat(200)}]}`, 2],
    [`{"x":[${" ".repeat(70_000)}]}`, 2],
    [`{"x":[${" ".repeat(70_000)}1]}`, 3],
    [`{"x":["${"\\\\".repeat(40_000)}",{}]}`, 3],
    ["1", 1],
  ])("counts the levels of %.30s", (text, depth) => {
    for (const plan of [PLAN, undefined]) {
      expect(locate(text, plan)).toMatchObject({ depth });
      expect(locate(text, plan).error).toBeUndefined();
      expect(locate(text, plan, depth).error).toBeUndefined();
      if (depth > 1) expect(locate(text, plan, depth - 1).error).toMatchObject({ code: "depth" });
    }
  });

  it.each([
    ["cut in an array", '{"id":1,"x":[1,2'],
    ["cut in a string", '{"id":1,"x":["a'],
    ["cut behind a key", '{"id":1,"x"'],
    ["with a bracket too many", '{"id":1,"x":[]]}'],
    ["without a comma", '{"id":1 "x":[]}'],
    ["with a comma too many", '{"id":1,}'],
    ["with more text behind it", '{"id":1} 2'],
    ["with a key that is not UTF-8", '{"id":1,"\\ud8":1}'],
    ["with a byte order mark", '\ufeff{"id":1}'],
    ["without a value", "  "],
    ["without a member", '{"id":,"x":1}'],
  ])("refuses a text %s with scanJson's error", (_name, text) => {
    const { error, members, root, depth } = scanJson(encodeUtf8(text), { members: PLAN });
    expect(error).toBeDefined();
    expect(locate(text, PLAN)).toEqual({ error, members, root, depth });
  });

  const start = '{"id":1,"x":[';
  const filler = `"${"x".repeat(1_050_000)}"`;
  it.each([
    ["cut in an array", `${start}${filler}`, { code: "syntax", offset: start.length - 1 }],
    ["with a faulty key", `${start}${filler}],"\\x":1}`, { code: "syntax" }],
    ["without a colon", `${start}${filler}],"params" 1}`, { code: "syntax" }],
    ["with more text behind it", `${start}${filler}]} 2`, { code: "trailing" }],
  ])("refuses a text of more than 1 MiB %s, and has the members before", (_name, text, error) => {
    const located = locate(text, PLAN);
    expect(located.error).toMatchObject(error);
    expect(located.members.get("/id")).toEqual({ start: 6, end: 7 });
    expect(scanJson(encodeUtf8(text)).error?.code).toBe(error.code);
  });

  it("says that a text of more than 1 MiB is too deep", () => {
    const text = `{"id":1,"x":[[${filler}]],"y":[[[]]]}`;
    expect(locate(text, PLAN, 3).error).toMatchObject({ code: "depth" });
    expect(locate(text, PLAN, 4)).toMatchObject({ depth: 4 });
  });

  describe("in a text of many windows, with many members", () => {
    const named = (count: number, name: (i: number) => string, value = "1"): string =>
      Array.from({ length: count }, (_, i) => `"${name(i)}":${value}`).join();
    const located = (text: string): Record<string, string> => {
      const { length: end } = encodeUtf8(text);
      expect(locate(text, PLAN)).toMatchObject({ root: { start: 0, end } });
      return texts(text);
    };

    it.each([
      ["short names", named(20_000, (i) => `k${i}`)],
      [
        "names and values with spaces",
        named(9_000, (i) => `k ${i}`, " 1 ").replaceAll('":', '" : '),
      ],
      ["long names", named(900, (i) => `${"K".repeat(400)}${i}`)],
      ["very long names", named(300, (i) => `${"K".repeat(2_000)}${i}`)],
      ["escaped names", named(9_000, (i) => `\\u0069\\u0064${i}`)],
      ["names beyond ASCII", named(9_000, (i) => `é😀${i}`)],
      ["strings", named(900, (i) => `k${i}`, `"${'\\"é'.repeat(60)}"`)],
      ["objects", named(9_000, (i) => `k${i}`, '{"id":[{"params":"}"}]}')],
      ["one value of two windows", named(3, (i) => `k${i}`, `"${"v".repeat(140_000)}"`)],
    ])("finds planned ones after %s, and the last of two", (_name, others) => {
      expect(
        located(
          `{"id":1,${others},"params":{"name":1,${others},"n\u0061me":2},"\u0069d":[3],${others},"z":4}`,
        ),
      ).toMatchObject({ "/id": "[3]", "/params/name": "2" });
      expect(located(`{"params":{"name":1},${others},"params":{"_meta":0}}`)).toEqual({
        "/params": '{"_meta":0}',
        "/params/_meta": "0",
      });
    });

    it("stops at the key with which the planned objects have too many", () => {
      const text = `{"id":1,${named(20_000, (i) => `k${i}`)},"params":{"name":2}}`;
      const bytes = encodeUtf8(text);
      const most = (maxKeys: number) => locateWith(bytes, { members: PLAN, maxKeys }, source);
      expect(most(20_003).error).toBeUndefined();
      expect(most(20_002).error).toMatchObject({
        code: "keys",
        offset: text.lastIndexOf('"name'),
      });
      expect(most(10_001).error).toMatchObject({ offset: text.indexOf('"k10000"') });
      expect(most(0).error).toMatchObject({ offset: 1 });
    });

    it("counts the levels of the members that it passes", () => {
      const others = named(20_000, (i) => `k${i}`);
      expect(locate(`{${others},"x":[[[1]]],${others}}`, PLAN)).toMatchObject({ depth: 5 });
      expect(locate(`{"params":{${others},"x":[[]],${others}}}`, PLAN)).toMatchObject({ depth: 4 });
    });
  });

  it("does not examine other values", () => {
    expect(locate('{"id":1,"x":[1 2 tru,]}', PLAN).error).toBeUndefined();
  });

  it("handles an object with many containers, in a text of many windows", () => {
    const items = Array.from({ length: 20_000 }, (_, index) => `"k${index}":[{"v":"${index}]"}]`);
    const text = `{${items.join()},"id":[{}]}`;
    expect(locate(text, PLAN)).toMatchObject({
      depth: 4,
      root: { start: 0, end: text.length },
      members: new Map([["/id", { start: text.length - 5, end: text.length - 1 }]]),
    });
  });
});
