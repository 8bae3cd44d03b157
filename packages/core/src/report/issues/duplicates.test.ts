import { describe, expect, it } from "vitest";
import { scanJson } from "../../json/scan.ts";
import { encodeUtf8 } from "../../json/text.ts";
import { duplicateWarnings } from "./duplicates.ts";

function warnings(text: string, most = 1000): (readonly [string, string])[] {
  const scan = scanJson(encodeUtf8(text), { duplicates: true });
  return duplicateWarnings(scan, most).map(({ path, message }) => [path, message]);
}

describe("duplicateWarnings", () => {
  it("returns nothing if each key occurs once", () => {
    expect(warnings('{"a":{"a":[{"a":1},{"a":1}]}}')).toEqual([]);
  });

  it("reports each duplicate key once, with the number of its occurrences", () => {
    expect(warnings('{"a":1,"b":[{"x":1,"\\u0078":2}],"a":2,"a":3}')).toEqual([
      ["/b/0/x", "the key occurs twice in its object; only the last one was checked"],
      ["/a", "the key occurs 3 times in its object; only the last one was checked"],
    ]);
  });

  it("lists no more than the given number, and cuts long names", () => {
    const name = "x".repeat(5000);
    const [[path] = [""], ...more] = warnings(`{"${name}":1,"${name}":1,"a":1,"a":1}`, 1);
    expect(path).toBe(`/${"x".repeat(4094)}…`);
    expect(more).toEqual([]);
  });
});
