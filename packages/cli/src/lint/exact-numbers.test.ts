import { describe, expect, it } from "vitest";
import {
  AmbiguousNumberError,
  clampToDoubles,
  markExactNumbers,
  writeExactJson,
} from "./exact-numbers.ts";

const compact = (value: unknown): string => writeExactJson(value).replaceAll(/\s/g, "");

/** Returns a JSON text after its value was changed and written again. */
function written(source: string, change: (value: never) => unknown = (value) => value): string {
  return compact(markExactNumbers(change(JSON.parse(source) as never), source));
}

describe("markExactNumbers and writeExactJson", () => {
  it.each([
    '{"a":9007199254740993,"b":1.0,"c":[1e400,-1e400,1E2,0.10]}',
    '{"a":-0,"b":0.1000000000000000055511151231257827,"c":1e-400}',
    '{"__proto__":{"a":1.0},"\\"":[1.50,"2.0"]}',
    "1.0",
    '{"a":1,"b":"1.0"}',
  ])("writes %s unchanged", (text) => {
    expect(written(text)).toBe(text);
  });

  it("distinguishes unmoved numbers that are the same double", () => {
    const text = '{"a":9007199254740993,"b":9007199254740992,"c":1e400,"d":2e400}';
    expect(written(text)).toBe(text);
  });

  it("follows a moved number and leaves the others unchanged", () => {
    const moved = ({ a, b }: { a: number; b: object }): unknown => ({
      z: [b, { a }],
      n: 7,
      m: 0.5,
    });
    expect(written('{"a":1e400,"b":{"x":2.50}}', moved)).toBe(
      '{"z":[{"x":2.50},{"a":1e400}],"n":7,"m":0.5}',
    );
    expect(written('{"a":1.0,"b":{"x":1}}', moved)).toMatch(/"a":1\.0/);
  });

  it("keeps the digits of a number that exceeds every double", () => {
    const text = '{"a":1e400,"b":-2e400,"c":1.0}';
    expect(written(text, clampToDoubles)).toBe(text);
    expect(written(text, ({ a, b }) => clampToDoubles([b, a]))).toBe("[-2e400,1e400]");
  });

  it("refuses to guess which of two equal doubles was moved", () => {
    const moved = ({ a }: { a: number }): unknown => ({ z: a });
    expect(() => written('{"a":9007199254740993,"b":9007199254740992}', moved)).toThrow(
      new AmbiguousNumberError("9007199254740993, 9007199254740992"),
    );
  });
});
