import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { measureValue } from "./measure.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

describe("measureValue", () => {
  it.each([
    [1, 1],
    [[], 1],
    [{ a: 1 }, 2],
    [{ a: [] }, 2],
    [[[1]], 3],
  ])("finds %j %i deep", (value, depth) => {
    expect(measureValue(value, depth, 1000)).toBeUndefined();
    if (depth > 1) expect(measureValue(value, depth - 1, 1000)?.limit).toBe("depth");
  });

  test("depth agrees with the text's, and size is no more than the text's", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = encodeUtf8(JSON.stringify(value));
        const { depth } = scanJson(bytes);
        expect(measureValue(value, depth, bytes.length)).toBeUndefined();
        expect(measureValue(value, depth - 1, bytes.length)?.limit).toBe("depth");
      }),
    );
  });

  it("ends for a cycle, for shared parts and for a sparse array", () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(measureValue(cycle, 64, 1000)).toEqual({ limit: "depth", actual: 65 });
    let shared: unknown = "x";
    for (let i = 0; i < 60; i++) shared = [shared, shared];
    expect(measureValue(shared, 64, 1000)?.limit).toBe("size");
    expect(measureValue(new Array(2 ** 31), 64, 1000)?.limit).toBe("size");
  });
});
