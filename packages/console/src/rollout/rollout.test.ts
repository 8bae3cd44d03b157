import type { Rollout, RolloutOffence } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { type Group, groupOffences, rolloutSeries, rulesOf } from "./rollout.ts";

const offence = (
  server: string,
  tool: string | null,
  rule: string,
  calls: number,
): RolloutOffence => ({
  places: [],
  server,
  tool,
  rule,
  calls,
  direction: "input",
  outcome: "violation",
});
const OFFENCES = [
  offence("a", "t", "extra", 5),
  offence("a", "t", "type", 2),
  offence("b", "t", "extra", 4),
  offence("b", null, "protocol", 1),
];
const rolloutOf = (...offences: readonly RolloutOffence[]): Rollout => ({
  ...{ since: null, until: null, calls: 10, checked: 8, would_block: 1, excused: 0 },
  not_checked: 1,
  ...{
    other_settings: 0,
    not_known: 1,
    policy: 0,
    repaired: 0,
    other_messages: 0,
    offences,
    offences_left_out: 0,
  },
  ...{ tools: [], tools_left_out: 0 },
});

describe("offences", () => {
  it.each([
    ["all", [5, 2, 4, 1]],
    ["server", [7, 5]],
    ["tool", [7, 4, 1]],
    ["rule", [9, 2, 1]],
    ["direction", [12]],
  ] as const)("are grouped by %s", (by, calls) => {
    expect(groupOffences(OFFENCES, by).map((group) => group.calls)).toEqual(calls);
  });

  it("keep tools of the same name on two servers apart", () => {
    expect(groupOffences(OFFENCES, "tool")[0]).toMatchObject({
      server: "a",
      tool: "t",
      rule: null,
    });
  });

  it("of undeclared arguments have that name instead of their class", () => {
    const offences = (["all", "some"] as const).map((undeclared, index) => ({
      ...offence("a", "t", "extra", 2 - index),
      undeclared,
    }));
    for (const by of ["all", "rule"] as const) {
      const rules = groupOffences(offences, by).map(({ rule, calls }) => [rule, calls]);
      expect(rules).toEqual([
        ["undeclared", 2],
        ["extra", 1],
      ]);
    }
  });
});

describe("series", () => {
  const [first, second, third] = OFFENCES;

  it("count the calls of the most frequent groups per period", () => {
    if (!first || !second || !third) throw new Error("there are offences");
    const parts = [rolloutOf(first), rolloutOf(), rolloutOf(second, third)];
    const seriesBy = (by: Group, most: number) =>
      rolloutSeries(rolloutOf(...OFFENCES), parts, by, most).map(({ name, values }) => [
        name,
        ...values,
      ]);
    expect(seriesBy("tool", 2)).toEqual([
      ["a / t", 5, 0, 2],
      ["b / t", 0, 0, 4],
    ]);
    expect(seriesBy("rule", 9).map(([name]) => name)).toEqual(["extra", "type", "protocol"]);
    expect(seriesBy("all", 2)).toEqual([
      ["would not be blocked", 7, 7, 7],
      ["not known", 2, 2, 2],
      ["would be blocked", 1, 1, 1],
    ]);
  });
});

describe("the rules to add", () => {
  const suggesting = (mcpServers: object): Rollout => ({
    ...rolloutOf(),
    suggestion: { mcpServers, left: [] } as NonNullable<Rollout["suggestion"]>,
  });

  it.each([
    ["no suggestion", rolloutOf(), undefined],
    ["a suggestion without servers", suggesting({}), undefined],
    ["a suggestion", suggesting({ a: { touchstone: {} } }), { a: { touchstone: {} } }],
  ])("of %s", (_, rollout, rules) => {
    expect(rulesOf(rollout)).toEqual(rules);
  });
});
