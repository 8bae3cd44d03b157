import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FILTERS,
  olderFilters,
  readFilters,
  valuesOf,
  withoutValue,
  withValue,
  writeFilters,
} from "./filter.ts";

const value = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.toWellFormed());
const filters = fc.record(Object.fromEntries(FILTERS.map(({ name }) => [name, value])), {
  requiredKeys: [],
});

describe("filters in the address", () => {
  it.each([
    ["", {}],
    ["status=blocked,rejected&server=a%26b", { status: "blocked,rejected", server: "a&b" }],
    ["tool=&live=true&colour=red&__proto__=x", {}],
    ["tool=a&tool=b", { tool: "a" }],
    ["since=24h&type=tool_call", { type: "tool_call", since: "24h" }],
  ])("%s", (query, expected) => {
    expect(readFilters(query)).toEqual(expected);
  });

  it("read back as they were written", () => {
    fc.assert(
      fc.property(filters, (set) => {
        expect(readFilters(writeFilters(set))).toEqual(set);
      }),
    );
  });

  it("add or remove one of several values", () => {
    const status = FILTERS.find(({ name }) => name === "status");
    const tool = FILTERS.find(({ name }) => name === "tool");
    if (status === undefined || tool === undefined) throw new Error("both are there");
    const one = withValue({ tool: "a,b" }, status, "blocked");
    const two = withValue(withValue(one, status, "error"), status, "blocked");
    expect(two).toEqual({ tool: "a,b", status: "error,blocked" });
    expect(valuesOf(two, status)).toEqual(["error", "blocked"]);
    expect(valuesOf(two, tool)).toEqual(["a,b"]);
    expect(withoutValue(two, status, "error")).toEqual(one);
    expect(withoutValue(one, status, "blocked")).toEqual({ tool: "a,b" });
    expect(withValue(one, tool, "c")).toEqual({ tool: "c", status: "blocked" });
  });

  it("move on to older records, including the same millisecond", () => {
    const records = [{ time: "2026-01-31T12:00:01.000Z" }, { time: "2026-01-31T12:00:00.999Z" }];
    const set = { tool: "t", until: "1h" };
    expect(olderFilters(set, records)).toEqual({ tool: "t", until: "2026-01-31T12:00:01.000Z" });
    expect(olderFilters(set, [])).toBe(set);
    expect(olderFilters(set, [{ time: "then" }])).toBe(set);
  });

  it("can be read from any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readFilters(text)));
  });
});
