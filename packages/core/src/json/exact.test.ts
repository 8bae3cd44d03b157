import { describe, expect, it } from "vitest";
import { decimalsOf, restoreNumberTypes } from "./exact.ts";
import { scanJson } from "./scan.ts";
import { encodeUtf8 } from "./text.ts";

function standIns(text: string): unknown {
  const { lossyNumbers } = scanJson(encodeUtf8(text), { numbers: true });
  return restoreNumberTypes(JSON.parse(text), decimalsOf(lossyNumbers));
}

describe("restoreNumberTypes", () => {
  it.each([
    ["9007199254740993.5", 0.5],
    ["9007199254740993", 9007199254740992],
    ["1e400", Number.MAX_VALUE],
    ["-1e400", -Number.MAX_VALUE],
    ["1e-400", 0.5],
    ["0.12345678901234567890", 0.12345678901234568],
    ['{"a/b":[1,{"~":9007199254740993.5}]}', { "a/b": [1, { "~": 0.5 }] }],
  ])("stands in for %s with %j", (text, expected) => {
    expect(standIns(text)).toEqual(expected);
  });

  it("reaches an own key __proto__ and leaves the prototype unchanged", () => {
    const value = standIns('{"__proto__":1e-400}') as object;
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe(0.5);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("ignores pointers without a target", () => {
    const decimals = decimalsOf([{ path: "/constructor/name", source: "1e400", offset: 0 }]);
    expect(restoreNumberTypes({}, decimals)).toEqual({});
    expect(restoreNumberTypes("text", decimals)).toBe("text");
  });
});
