import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSummary, type ToolSummary } from "../api/tool-summary.ts";
import { badgesOf, plainLine, searchTools } from "./tool.ts";

const TOOLS: readonly ToolSummary[] = [
  { name: "send_mail", description: "Sends a letter" },
  { name: "weather", title: "Café weather", description: "Tells the weather of a city" },
  { name: "city_list", description: "" },
];
const found = (query: string) => searchTools(TOOLS, query).map(({ name }) => name);

describe("searchTools", () => {
  it.each([
    ["", ["send_mail", "weather", "city_list"]],
    ["   ", ["send_mail", "weather", "city_list"]],
    ["city", ["city_list", "weather"]],
    ["CITY weather", ["weather"]],
    ["cafe", ["weather"]],
    ["letter send", ["send_mail"]],
    ["mail city", []],
    ["\\d+(", []],
  ])("matches %j", (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  it("returns each tool at most once, and finds every tool by its name", () => {
    const tool = fc.record({ name: fc.string({ minLength: 1 }), description: fc.string() });
    fc.assert(
      fc.property(fc.array(tool), fc.string(), (tools, query) => {
        const result = searchTools(tools, query);
        expect(new Set(result).size).toBe(result.length);
        for (const one of tools) expect(searchTools(tools, one.name)).toContain(one);
      }),
    );
  });
});

describe("badgesOf", () => {
  it.each([
    [{ readOnlyHint: true }, ["read-only"]],
    [{ readOnlyHint: false, openWorldHint: false }, ["closed world"]],
    [{ destructiveHint: true, idempotentHint: true }, ["destructive", "idempotent"]],
    [{ openWorldHint: true, title: "x" }, []],
    [{ readOnlyHint: "true" }, []],
    [{}, []],
  ])("for %j are right", (annotations, labels) => {
    const tool = { name: "a", description: "", annotations };
    expect(badgesOf(tool).map(({ label }) => label)).toEqual(labels);
  });
});

describe("readSummary", () => {
  it("accepts only members of the right type", () => {
    expect(readSummary({ name: "a", description: 1, title: {}, annotations: [] })).toEqual({
      name: "a",
      description: "",
    });
    for (const item of [null, "a", [], {}, { name: 1 }]) expect(readSummary(item)).toBeUndefined();
  });
});

it.each([
  ["Search **only** `a`, see [b](https://c.d).", "Search only a, see b."],
  ["# Title\n- one", "Title\none"],
  ["a_b * c", "a_b * c"],
  ["[".repeat(500), "[".repeat(200)],
])("%j in a list is %j", (markdown, line) => {
  expect(plainLine(markdown)).toBe(line);
});
