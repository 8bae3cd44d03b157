import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isExcess, measureValue } from "./measure.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

const limitOf = (measured: ReturnType<typeof measureValue>) =>
  isExcess(measured) ? measured.limit : undefined;

describe("measureValue", () => {
  it.each([
    [1, 1],
    [[], 1],
    [{ a: 1 }, 2],
    [{ a: [] }, 2],
    [[[1]], 3],
  ])("finds %j %i deep", (value, depth) => {
    expect(limitOf(measureValue(value, depth, 1000))).toBeUndefined();
    if (depth > 1) expect(limitOf(measureValue(value, depth - 1, 1000))).toBe("depth");
  });

  test("depth agrees with the text's, and size is no more than the text's", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = encodeUtf8(JSON.stringify(value));
        const { depth } = scanJson(bytes);
        expect(limitOf(measureValue(value, depth, bytes.length))).toBeUndefined();
        expect(limitOf(measureValue(value, depth - 1, bytes.length))).toBe("depth");
      }),
    );
  });

  it("ends for a cycle, for shared parts and for a sparse array", () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(measureValue(cycle, 64, 1000)).toEqual({ limit: "depth", actual: 65 });
    let shared: unknown = "x";
    for (let i = 0; i < 60; i++) shared = [shared, shared];
    expect(limitOf(measureValue(shared, 64, 1000))).toBe("size");
    expect(limitOf(measureValue(new Array(2 ** 31), 64, 1000))).toBe("size");
  });
});
