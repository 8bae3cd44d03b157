import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatQuery,
  MAX_QUERY,
  MAX_VALUES,
  parseQuery,
  type QueryKey,
  type QueryTerm,
} from "./query.ts";

const STATUSES = ["success", "error", "blocked", "out_of_bounds"];
const KEYS: readonly QueryKey[] = [
  { name: "status", values: STATUSES },
  { name: "server" },
  { name: "tool" },
  { name: "since", single: true },
];
const parse = (text: string) => parseQuery(text, KEYS);
const term = (key: string | null, values: readonly string[], isExcluded = false): QueryTerm => ({
  ...{ key, values, isExcluded },
});

describe("a query", () => {
  it.each<[string, readonly QueryTerm[]]>([
    ["", []],
    ["   ", []],
    ["kelvin", [term(null, ["kelvin"])]],
    ["two words", [term(null, ["two"]), term(null, ["words"])]],
    ['"two words"', [term(null, ["two words"])]],
    ['""', []],
    ["-", [term(null, ["-"])]],
    ["- kelvin", [term(null, ["-"]), term(null, ["kelvin"])]],
    ["-kelvin", [term(null, ["kelvin"], true)]],
    ['-"a b"', [term(null, ["a b"], true)]],
    ['"-5"', [term(null, ["-5"])]],
    ["same same", [term(null, ["same"])]],
    ["status:blocked tool:echo", [term("status", ["blocked"]), term("tool", ["echo"])]],
    ["STATUS:Blocked", [term("status", ["blocked"])]],
    ["tool:Echo", [term("tool", ["Echo"])]],
    ["status:blocked,error", [term("status", ["blocked", "error"])]],
    [
      "status:blocked tool:a status:error",
      [term("status", ["blocked", "error"]), term("tool", ["a"])],
    ],
    [
      "status:blocked -status:error",
      [term("status", ["blocked"]), term("status", ["error"], true)],
    ],
    ["-tool:echo,-x", [term("tool", ["echo", "-x"], true)]],
    ['server:"my files",b', [term("server", ["my files", "b"])]],
    ['tool:"a,b" tool:"say \\"hi\\" \\\\"', [term("tool", ["a,b", 'say "hi" \\'])]],
    ['tool:""', [term("tool", [""])]],
    ["tool:a:b", [term("tool", ["a:b"])]],
    ["tool:a,,b,", [term("tool", ["a", "b"])]],
    ['"tool:echo"', [term(null, ["tool:echo"])]],
    ["since:24h", [term("since", ["24h"])]],
    ['foo"bar', [term(null, ['foo"bar'])]],
    ["100% of_it", [term(null, ["100%"]), term(null, ["of_it"])]],
  ])("%s", (text, terms) => {
    expect(parse(text)).toEqual({ terms, problems: [] });
  });

  it.each<[string, readonly QueryTerm[], RegExp]>([
    [
      "sttus:blocked tool:a",
      [term("tool", ["a"])],
      /"sttus" is not a filter \(did you mean status\?\)\. The filters are status, server, tool, since\./,
    ],
    ["http://x", [], /"http" is not a filter.*put it in quotes/],
    ["__proto__:x constructor:y", [], /"__proto__" is not a filter/],
    [":x", [], /"" is not a filter/],
    [
      "status:blokced,error",
      [term("status", ["error"])],
      /status: "blokced" is not a value \(did you mean blocked\?\); it is one of success, error, blocked, out_of_bounds/,
    ],
    ["status:", [], /status: needs a value; it is one of success/],
    ["tool: x", [term(null, ["x"])], /tool: needs a value/],
    ["-since:1h", [], /since: cannot be excluded/],
    ["since:1h,2h", [term("since", ["1h"])], /since: takes one value/],
    ["since:1h since:2h", [term("since", ["1h"])], /since: takes one value/],
    ['tool:"never closed', [term("tool", ["never closed"])], /no closing quote/],
    ['tool:"x\\', [term("tool", ["x"])], /no closing quote/],
    ["x".repeat(257), [], /at most 256 characters/],
    ["x".repeat(MAX_QUERY + 1), [], /at most 2000 characters/],
  ])("%s has a problem", (text, terms, problem) => {
    const query = parse(text);
    expect(query.terms).toEqual(terms);
    expect(query.problems[0]).toMatch(problem);
    expect(query.problems.every((one) => one.length < 400)).toBe(true);
  });

  it("has at most so many values, and so many problems", () => {
    const many = Array.from({ length: MAX_VALUES + 5 }, (_, at) => `t${at}`);
    const { terms, problems } = parse(`tool:${many.join(",")}`);
    expect(terms[0]?.values).toHaveLength(MAX_VALUES);
    expect(problems).toEqual(["A filter has at most 100 values."]);
    expect(parse(many.map((name) => `${name}:x`).join(" ")).problems).toHaveLength(5);
  });

  it("reads back as it was written", () => {
    const any = fc.string({ unit: "binary", minLength: 0, maxLength: 20 });
    const several = (value: fc.Arbitrary<string>) =>
      fc.uniqueArray(value, { minLength: 1, maxLength: 4 });
    const terms = fc.uniqueArray(
      fc.oneof(
        fc.record({
          key: fc.constantFrom("server", "tool"),
          values: several(any),
          isExcluded: fc.boolean(),
        }),
        fc.record({
          key: fc.constant("status"),
          values: several(fc.constantFrom(...STATUSES)),
          isExcluded: fc.boolean(),
        }),
        fc.record({
          key: fc.constant(null),
          values: fc.tuple(any.filter((text) => text !== "")),
          isExcluded: fc.boolean(),
        }),
      ),
      { selector: (one) => `${one.isExcluded} ${one.key ?? JSON.stringify(one.values)}` },
    );
    fc.assert(
      fc.property(terms, (given) => {
        expect(parse(formatQuery(given))).toEqual({ terms: given, problems: [] });
      }),
    );
  });

  it("is read from any text, and what was read is read the same again", () => {
    const word = fc.constantFrom(
      "status",
      "tool",
      ":",
      "-",
      ",",
      '"',
      "\\",
      " ",
      "blocked",
      "é",
      "\ud800",
      "x",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(word).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { terms } = parse(given);
        expect(parse(formatQuery(terms))).toEqual({ terms, problems: [] });
      }),
    );
  });
});
