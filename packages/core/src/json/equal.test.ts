import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { equalJson, findDuplicate, jsonKey } from "./equal.ts";

/** Values of few parts, so that equal ones are met. */
const small = fc
  .jsonValue({ maxDepth: 2 })
  .chain((value) =>
    fc.oneof(fc.constant(value), fc.constantFrom(0, "0", null, false, [], {}, [0], { a: 0 })),
  );

describe("equalJson", () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ toString: 1 }, { toString: 1 }, true],
    [{ toString: 1 }, { valueOf: 1 }, false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [JSON.parse('{"__proto__":1}'), {}, false],
    [[], {}, false],
    [null, {}, false],
    [0, -0, true],
    [1, "1", false],
    [[1, 2], [2, 1], false],
  ])("%j and %j: %s", (a, b, expected) => {
    expect(equalJson(a, b)).toBe(expected);
    expect(jsonKey(a) === jsonKey(b)).toBe(expected);
  });

  test("agrees with the key", () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        const equal = equalJson(a, b);
        expect(jsonKey(a) === jsonKey(b)).toBe(equal);
        expect(equalJson(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
    );
  });
});

describe("findDuplicate", () => {
  it.each([
    [[1, 2, 3], undefined],
    [[1, 2, 1, 2], { i: 3, j: 1 }],
    [["__proto__", "__proto__"], { i: 1, j: 0 }],
    [[1, "1", true, null, [1]], undefined],
    [[{ a: 1 }, { b: 1 }, { a: 1 }], { i: 2, j: 0 }],
    [[{ toString: 1 }, { toString: 1 }], { i: 1, j: 0 }],
  ])("%j: %j", (items, expected) => {
    expect(findDuplicate(items)).toEqual(expected);
  });

  test("agrees with the comparison of all pairs", () => {
    fc.assert(
      fc.property(fc.array(small, { maxLength: 8 }), (items) => {
        let expected: { i: number; j: number } | undefined;
        for (let i = 0; i < items.length; i++) {
          for (let j = 0; j < i; j++) if (equalJson(items[i], items[j])) expected = { i, j };
        }
        expect(findDuplicate(items)).toEqual(expected);
      }),
    );
  });
});
