import { describe, expect, it } from "vitest";
import { exactValues, valueDifferences } from "./exact-values.ts";

const result = {
  content: [
    { type: "text", text: '{"a":{"b":1.0},"list":[1]}' },
    { type: "text", text: "plain" },
  ],
  structuredContent: {
    n: 1,
    items: [
      { id: 7, at: "x" },
      { id: 8, at: "y" },
    ],
  },
};
const at = (...paths: readonly string[]) =>
  Object.fromEntries(exactValues(JSON.stringify(result), result, paths));

describe("the values at pointers", () => {
  it.each([
    [["/structuredContent/n"], { "/structuredContent/n": "1" }],
    [
      ["/structuredContent/items/*/id"],
      { "/structuredContent/items/0/id": "7", "/structuredContent/items/1/id": "8" },
    ],
    [["/content/0/text/a"], { "/content/0/text/a/b": "1.0" }],
    [["/content/*/text/list"], { "/content/0/text/list/0": "1" }],
    [["/content/1/text"], { "/content/1/text": '"plain"' }],
    [["/none", "/structuredContent/none/x", "/content/5"], {}],
  ])("of %j", (paths, wanted) => {
    expect(at(...paths)).toEqual(wanted);
  });

  it("are all values for /*", () => {
    expect(Object.keys(at("/*"))).toEqual(
      expect.arrayContaining(["/content/0/type", "/content/0/text/a/b", "/structuredContent/n"]),
    );
    expect(Object.keys(at("/*"))).not.toContain("/content/0/text");
  });
});

describe("the differences of values", () => {
  const values = (members: object) => new Map<string, string>(Object.entries(members));

  it("leave out what differs between recorded results", () => {
    const recorded = [values({ "/a": "1", "/b": "1" }), values({ "/a": "2", "/b": "1" })];
    expect(valueDifferences(recorded, values({ "/a": "3", "/b": "3", "/c": "4" }))).toEqual([
      { path: "/b", was: "1", now: "3" },
      { path: "/c", was: undefined, now: "4" },
    ]);
  });

  it("leave out removed secrets, and what is below them", () => {
    const recorded = [values({ "/a": '"[redacted]"', "/b": '"key [redacted]"', "/c": '"x"' })];
    const now = values({ "/a/deep": "1", "/b": '"key 5"', "/c": '"y"' });
    expect(valueDifferences(recorded, now)).toEqual([{ path: "/c", was: '"x"', now: '"y"' }]);
  });
});
