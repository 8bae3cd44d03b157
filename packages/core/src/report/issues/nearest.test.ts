import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Candidates, editDistance, isNearest, SuggestionBudget } from "./nearest.ts";

describe("editDistance", () => {
  it.each([
    ["", "", 0],
    ["abc", "", 3],
    ["city", "ctiy", 1],
    ["kitten", "sitting", 3],
    ["ca", "abc", 3],
  ])("%j to %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });

  test("is zero only for equal texts and never exceeds the longer length", () => {
    const text = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  test("equals the unbounded distance within the bound, and exceeds the bound otherwise", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, fc.nat(6), (a, b, most) => {
        const distance = editDistance(a, b);
        const bounded = editDistance(a, b, most);
        if (distance <= most) expect(bounded).toBe(distance);
        else expect(bounded).toBeGreaterThan(most);
      }),
      { numRuns: 2000 },
    );
  });
});

it.each([
  ["ctiy", ["country", "city"], "city"],
  ["CITY", ["city"], "city"],
  ["ab", ["xy"], undefined],
  ["abc", ["xyc"], undefined],
  ["temprature", ["temperature", "humidity"], "temperature"],
  ["a".repeat(100), ["a".repeat(99)], undefined],
  ["userId", ["user", "user_id"], "user_id"],
  ["file-path", ["filePath"], "filePath"],
  ["_", ["-"], undefined],
  ["", ["a"], undefined],
  ["K", ["C", "F"], undefined],
  ["c", ["F", "C"], "C"],
  ["a", ["b".repeat(65)], undefined],
  ["en", ["es", "fr"], undefined],
  ["no", ["on", "off"], undefined],
  ["ID", ["ip", "id"], "id"],
  ["acs", ["asc", "desc"], "asc"],
  ["2024-03", ["2024-01", "2024-02"], undefined],
  ["gpt-5", ["gpt-4"], undefined],
  ["adress_2", ["address_1", "address_2"], "address_2"],
  ["utf8", ["utf-16", "utf-8"], "utf-8"],
])("the nearest name to %j among %j is %j", (name, candidates, expected) => {
  expect(new Candidates(candidates).nearest(name, new SuggestionBudget())).toBe(expected);
});

test("names with other digits cost no effort, since they are never meant", () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `p_number_${i}`);
  const [candidates, effort] = [new Candidates(names), new SuggestionBudget()];
  for (const [i, name] of names.slice(0, 200).entries()) {
    expect(candidates.nearest(`p_numbr_${i}`, effort)).toBe(name);
  }
});

describe("isNearest", () => {
  it.each<[string, string, readonly string[], boolean]>([
    ["citty", "city", ["country"], true],
    ["nam", "name", ["names", "nama"], false],
    ["user_id", "userId", ["user_ids"], true],
    ["user_id", "userId", ["userID"], false],
    ["v3", "v2", ["v33"], true],
  ])("for %j, prefers %j to %j: %s", (name, near, others, expected) => {
    expect(isNearest(name, near, others, new SuggestionBudget())).toBe(expected);
  });

  it("is false once the effort is spent", () => {
    const effort = new SuggestionBudget();
    while (effort.compare(1_000_000));
    expect(isNearest("citty", "city", ["cite"], effort)).toBe(false);
  });
});
