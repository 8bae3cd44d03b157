import { describe, expect, it } from "vitest";
import { locateWith } from "./locate.ts";
import type { MemberPlan } from "./range.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { noScanner, scanners } from "./wasm/source.ts";

const PLAN: MemberPlan = { id: true, params: { name: true, _meta: { "a/b": true } } };

describe.each([
  ["WebAssembly", scanners],
  ["JavaScript", noScanner],
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

  it("reports duplicate keys in the objects on its plan", () => {
    const text = '{"x":{"y":1,"y":2},"z":1,"\\u007a":2,"params":{"q":1,"q":2}}';
    expect(locate(text, PLAN).duplicates.map(({ path }) => path)).toEqual(["/z", "/params/q"]);
    expect(locate(text).duplicates).toEqual([]);
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
    expect(locate(text, PLAN)).toEqual({
      ...{ error, members, root, depth },
      ...{ duplicates: [], duplicatesTruncated: false },
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
