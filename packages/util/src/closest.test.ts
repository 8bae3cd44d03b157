import { describe, expect, it } from "vitest";
import { closest } from "./closest.ts";

describe("closest", () => {
  const names = ["mode", "max_bytes", "max_depth", "rules"];
  it.each([
    ["Mode", "mode"],
    ["maxbytes", "max_bytes"],
    ["max_dpeth", "max_depth"],
    ["rulse", "rules"],
    ["colour", undefined],
    ["", undefined],
    ["max", "max_bytes"],
    ["ma", undefined],
    ["x".repeat(1_000_000), undefined],
  ])("%.20s", (name, found) => {
    expect(closest(name, names)).toBe(found);
  });
});
