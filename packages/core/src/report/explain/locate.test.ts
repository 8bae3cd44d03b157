import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { joinPointer } from "../../json/pointer.ts";
import { decodeUtf8, encodeUtf8 } from "../../json/text.ts";
import { locatePointers } from "./locate.ts";

const TEXT = ' {"a" : [1, {"b\\u002fc": "x\\"]}"}, -2.5e3 ],\n "é":{}, "d": 1, "d": null} ';

function at(pointer: string) {
  const bytes = encodeUtf8(TEXT);
  const place = locatePointers(bytes, [pointer]).get(pointer);
  const show = (range?: { start: number; end: number }) =>
    range && decodeUtf8(bytes, range.start, range.end);
  return [show(place?.value), show(place?.key), place?.found];
}

describe("locatePointers", () => {
  it.each([
    ["", TEXT.trim(), undefined, true],
    ["/a/0", "1", undefined, true],
    ["/a/1/b~1c", '"x\\"]}"', '"b\\u002fc"', true],
    ["/a/2", "-2.5e3", undefined, true],
    ["/é", "{}", '"é"', true],
    ["/d", "null", '"d"', true],
    ["/é/gone", "{}", undefined, false],
    ["/a/9/x", '[1, {"b\\u002fc": "x\\"]}"}, -2.5e3 ]', undefined, false],
    ["/a/0/x", "1", undefined, false],
    ["/gone", TEXT.trim(), undefined, false],
  ])("%j", (pointer, ...expected) => {
    expect(at(pointer)).toEqual(expected);
  });

  test("finds every value of every text in one pass", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.constantFrom(undefined, 1, "\n\t"),
        (text, indent) => {
          const root: unknown = JSON.parse(text);
          const bytes = encodeUtf8(JSON.stringify(root, null, indent));
          const values = new Map<string, unknown>();
          const collect = (value: unknown, pointer: string): void => {
            values.set(pointer, value);
            if (typeof value !== "object" || value === null) return;
            for (const [key, member] of Object.entries(value)) {
              collect(member, joinPointer(pointer, key));
            }
          };
          collect(root, "");
          const places = locatePointers(bytes, values.keys());
          for (const [pointer, value] of values) {
            const place = places.get(pointer);
            expect(place?.found).toBe(true);
            const { start = 0, end = 0 } = place?.value ?? {};
            expect(JSON.parse(decodeUtf8(bytes, start, end))).toEqual(value);
          }
        },
      ),
    );
  });

  it("follows no pointer further than its stack allows", () => {
    const deep = encodeUtf8("[".repeat(5000) + "]".repeat(5000));
    const pointer = "/0".repeat(100_000);
    expect(locatePointers(deep, [pointer]).get(pointer)).toBeDefined();
    expect(locatePointers(encodeUtf8("1"), [pointer]).get(pointer)?.found).toBe(false);
  });
});
