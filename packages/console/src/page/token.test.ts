import { describe, expect, it } from "vitest";
import { authorizationOf } from "./token.ts";

describe("authorizationOf", () => {
  it.each([
    ["", undefined],
    ["  ", undefined],
    ["abc", "Bearer abc"],
    [" abc\n", "Bearer abc"],
    ["Bearer abc", "Bearer abc"],
    ["bearer abc", "bearer abc"],
    ["Basic dTpw", "Basic dTpw"],
    ["a\nb", undefined],
    ["clé", undefined],
    ["a\u200bb", undefined],
  ])("for %j returns %j", (typed, expected) => {
    expect(authorizationOf(typed)).toBe(expected);
    if (expected !== undefined)
      expect(() => new Headers({ authorization: expected })).not.toThrow();
  });
});
