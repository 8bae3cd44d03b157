import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { equalJson, jsonKey } from "./value.ts";

/** Values made of few parts, so that equal ones occur. */
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

  test("agrees with jsonKey", () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        const equal = equalJson(a, b);
        expect(jsonKey(a) === jsonKey(b)).toBe(equal);
        expect(equalJson(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
    );
  });
});
