import { parseQuery } from "@touchstone/gateway/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FILTERS,
  type FilterPart,
  type Filters,
  filterValues,
  keysOf,
  olderFilters,
  parametersOf,
  queryText,
  readFilters,
  withoutValue,
  withTerms,
  withValue,
  writeFilters,
} from "./filter.ts";

const value = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.toWellFormed());
const several = ({ values }: FilterPart) =>
  values === undefined
    ? fc.uniqueArray(value, { minLength: 1, maxLength: 3 })
    : fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const filters: fc.Arbitrary<Filters> = fc.record(
  Object.fromEntries(
    FILTERS.flatMap((part): [string, fc.Arbitrary<string | string[]>][] =>
      part.single === true
        ? [[part.name, value]]
        : [
            [part.name, several(part)],
            [`-${part.name}`, several(part)],
          ],
    ),
  ),
  { requiredKeys: [] },
);
const partOf = (name: string): FilterPart => {
  const part = FILTERS.find((each) => each.name === name);
  if (part === undefined) throw new Error("it is there");
  return part;
};

describe("filters in the address", () => {
  it.each([
    ["", {}],
    ["status=blocked,rejected&server=a%26b", { status: ["blocked", "rejected"], server: ["a&b"] }],
    ["tool=&live=true&colour=red&__proto__=x", {}],
    ["tool=a&tool=b,c&-tool=d", { tool: ["a", "b,c"], "-tool": ["d"] }],
    ["since=24h&since=1h&-since=7d&type=tool_call", { type: ["tool_call"], since: "24h" }],
    ["without=caller,client&without=both", { without: "caller,client" }],
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

  it("hold a single value as it was written", () => {
    const set = readFilters("without=caller,client");
    expect(filterValues(set, partOf("without"))).toEqual(["caller,client"]);
  });

  it("are a query that reads back as the same filters", () => {
    fc.assert(
      fc.property(filters, (set) => {
        const query = queryText("calls", set);
        const { terms, problems } = parseQuery(query, keysOf("calls"));
        fc.pre(problems.length === 0);
        expect(queryText("calls", withTerms({}, terms))).toEqual(query);
      }),
    );
  });

  it("become parameters, without what the gateway would refuse", () => {
    const set = { status: "blocked,nonsense", "-tool": ["a b"], q: ["kelvin"], since: "1h" };
    expect(parametersOf("calls", set)).toEqual({
      query: 'kelvin status:blocked -tool:"a b"',
      since: "1h",
    });
    expect(parametersOf("records", { type: "tool_call", q: ["kelvin"] })).toEqual({
      query: "type:tool_call",
    });
    expect(parametersOf("calls", {})).toEqual({});
  });

  it("add or remove one of several values", () => {
    const status = partOf("status");
    const tool = partOf("tool");
    const one = withValue({ tool: "a,b" }, status, "blocked");
    const two = withValue(withValue(one, status, "error"), status, "blocked");
    expect(two).toEqual({ tool: "a,b", status: ["error", "blocked"] });
    expect(filterValues(two, tool)).toEqual(["a,b"]);
    expect(withoutValue(two, status, "error")).toEqual(one);
    expect(withoutValue(one, status, "blocked")).toEqual({ tool: "a,b" });
    expect(withValue({}, tool, "c", true)).toEqual({ "-tool": ["c"] });
    expect(withoutValue({ tool: ["c"], "-tool": ["c"] }, tool, "c", true)).toEqual({ tool: ["c"] });
    expect(withValue({ session: "a" }, partOf("session"), "b")).toEqual({ session: "b" });
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
