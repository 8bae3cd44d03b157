import { describe, expect, it } from "vitest";
import { propose } from "./proposals.ts";

const KNOWN = { server: ["files", "crm"], tool: ["echo", "get_weather"] };
const labels = (typed: string) =>
  propose("calls", KNOWN, { status: ["blocked"] }, typed).map(
    ({ value, items }) => `${value}: ${items.map(({ label }) => label).join(", ")}`,
  );

describe("what is proposed for a typed text", () => {
  it.each<[string, readonly string[]]>([
    ["kelvin", [": Search for “kelvin”"]],
    ["ECH", [": Search for “ECH”", "Tool: echo"]],
    ["tool:ec", [": Filter by tool:ec", "Tool: echo"]],
    ["tool:echo,get", [": Filter by tool:echo,get", "Tool: get_weather"]],
    [
      "status:blocked -tool:",
      [": Filter by status:blocked -tool:", "Tool: not echo, not get_weather"],
    ],
    ["status:bl", [": Filter by status:bl"]],
    ["-since:1", [": Filter by -since:1"]],
  ])("%s", (typed, expected) => {
    expect(labels(typed)).toEqual(expected);
  });

  it("keeps the words before the last one", () => {
    const groups = propose("calls", KNOWN, {}, 'status:error "a b" -server:cr');
    expect(groups.at(-1)?.items).toEqual([
      {
        label: "not crm",
        terms: [
          { key: "status", values: ["error"], isExcluded: false },
          { key: null, values: ["a b"], isExcluded: false },
          { key: "server", values: ["crm"], isExcluded: true },
        ],
        problems: [],
      },
    ]);
  });

  it("adds nothing if the text has a problem", () => {
    const [[own] = [], known] = propose("calls", KNOWN, {}, "sttus:x ec").map(({ items }) => items);
    expect(own?.problems[0]).toMatch(/"sttus" is not a filter .did you mean status/);
    expect(known?.[0]?.problems).toEqual(own?.problems);
  });
});
