import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FILTERS, olderFilters, readFilters, writeFilters } from "./filter.ts";

const value = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.toWellFormed());
const filters = fc.record(Object.fromEntries(FILTERS.map((name) => [name, value])), {
  requiredKeys: [],
});

describe("filters in an address", () => {
  it.each([
    ["", {}],
    ["status=blocked,rejected&server=a%26b", { status: "blocked,rejected", server: "a&b" }],
    ["tool=&live=true&colour=red&__proto__=x", {}],
    ["tool=a&tool=b", { tool: "a" }],
    ["since=24h&type=tool_call", { type: "tool_call", since: "24h" }],
  ])("%s", (query, expected) => {
    expect(readFilters(query)).toEqual(expected);
  });

  it("come back as they were written", () => {
    fc.assert(
      fc.property(filters, (set) => {
        expect(readFilters(writeFilters(set))).toEqual(set);
      }),
    );
  });

  it("lead on to what is older, the same millisecond with it", () => {
    const records = [{ time: "2026-01-31T12:00:01.000Z" }, { time: "2026-01-31T12:00:00.999Z" }];
    const set = { tool: "t", until: "1h" };
    expect(olderFilters(set, records)).toEqual({ tool: "t", until: "2026-01-31T12:00:01.000Z" });
    expect(olderFilters(set, [])).toBe(set);
    expect(olderFilters(set, [{ time: "then" }])).toBe(set);
  });

  it("read any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readFilters(text)));
  });
});
