import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { exceedsLimit, measureValue } from "./measure.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

const limitOf = (measured: ReturnType<typeof measureValue>) =>
  exceedsLimit(measured) ? measured.limit : undefined;

describe("measureValue", () => {
  it.each([
    [1, 1],
    [[], 1],
    [{ a: 1 }, 2],
    [{ a: [] }, 2],
    [[[1]], 3],
  ])("measures %j as %i deep", (value, depth) => {
    expect(limitOf(measureValue(value, depth, 1000))).toBeUndefined();
    if (depth > 1) expect(limitOf(measureValue(value, depth - 1, 1000))).toBe("depth");
  });

  test("agrees with the depth of the text, and its size is at most the text's", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const bytes = encodeUtf8(JSON.stringify(value));
        const { depth } = scanJson(bytes);
        expect(limitOf(measureValue(value, depth, bytes.length))).toBeUndefined();
        expect(limitOf(measureValue(value, depth - 1, bytes.length))).toBe("depth");
      }),
    );
  });

  test("measures the same far from the root", () => {
    const deeper = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(fc.jsonValue(), deeper, (value, more) => {
        let nested = value as unknown;
        for (let i = 0; i < more; i++) nested = i % 2 === 0 ? [nested] : { key: nested };
        const near = measureValue(nested, 100, 1000);
        expect(measureValue(nested, 5000, 1000)).toEqual(
          exceedsLimit(near) && near.limit === "size"
            ? expect.objectContaining({ limit: "size" })
            : near,
        );
      }),
    );
  });

  it("measures a million levels if the limit allows it", () => {
    let deep: unknown = 1;
    for (let i = 1; i < 1_000_000; i++) deep = [deep];
    expect(measureValue(deep, 1_000_000, 10_000_000)).toBe(1_999_999);
    expect(measureValue(deep, 999_999, 10_000_000)).toEqual({ limit: "depth", actual: 1_000_000 });
  });

  it("counts own enumerable keys, not inherited ones", () => {
    const heir = Object.create({ inherited: "text" }, { hidden: { value: "text" } });
    expect(measureValue(heir, 2, 100)).toBe(1);
    heir.own = 1;
    for (const value of [heir, Object.assign(Object.create(null), { own: 1 }), { own: 1 }]) {
      expect(measureValue(value, 2, 100)).toBe(5);
      expect(measureValue(value, 1, 100)).toEqual({ limit: "depth", actual: 2 });
      expect(measureValue(value, 2000, 100)).toBe(5);
    }
    expect(measureValue(JSON.parse('{"__proto__":{"hasOwnProperty":"1"}}'), 3, 100)).toBe(27);
  });

  it("finishes for a cycle, shared parts and a sparse array", () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(measureValue(cycle, 64, 1000)).toEqual({ limit: "depth", actual: 65 });
    expect(measureValue(cycle, 2000, 10_000)).toEqual({ limit: "depth", actual: 2001 });
    let shared: unknown = "x";
    for (let i = 0; i < 60; i++) shared = [shared, shared];
    expect(limitOf(measureValue(shared, 64, 1000))).toBe("size");
    expect(limitOf(measureValue(new Array(2 ** 31), 64, 1000))).toBe("size");
  });
});
