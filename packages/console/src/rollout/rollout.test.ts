import { describe, expect, it } from "vitest";
import { groupOffences, type Offence, readRollout, seriesOf } from "./rollout.ts";

const offence = (server: string, tool: string | null, rule: string, calls: number): Offence => ({
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
});

describe("series", () => {
  const part = (...offences: readonly Offence[]) => ({
    ...{ calls: 10, checked: 8, notChecked: 1, notKnown: 1, tools: [], toolsLeftOut: 0 },
    wouldBlock: 1,
    otherMessages: 0,
    offences,
    leftOut: 0,
    left: [],
  });
  const [first, second, third] = OFFENCES;

  it("count the calls of the most frequent groups per period", () => {
    if (!first || !second || !third) throw new Error("there are offences");
    const parts = [part(first), part(), part(second, third)];
    expect(seriesOf(part(...OFFENCES), parts, "tool", 2)).toEqual([
      { label: "a / t", values: [5, 0, 2] },
      { label: "b / t", values: [0, 0, 4] },
    ]);
    expect(seriesOf(part(...OFFENCES), parts, "rule", 9).map(({ label }) => label)).toEqual([
      "extra",
      "type",
      "protocol",
    ]);
    expect(seriesOf(part(...OFFENCES), parts, "all", 2)).toEqual([]);
  });
});

describe("a rollout response", () => {
  const direction = { state: "safe", text: "safe: 4 checked, 0 would be blocked", checked: 4 };
  const cannot = { state: "cannot_be_checked", text: "cannot be checked: x", reason: "undeclared" };
  const tool = { server: "a", tool: "t", calls: 9, input: direction, output: cannot };
  const answer = {
    ...{ calls: 9, checked: 7, not_checked: 1, not_known: 1, would_block: 3, other_messages: 1 },
    offences: [...OFFENCES, null, {}],
    tools: [{ ...tool, protocol: direction, policy: 2 }, { ...tool, protocol: {} }, null],
  };

  it("is read without invalid offences", () => {
    expect(readRollout(answer)).toEqual({
      ...{ calls: 9, checked: 7, notChecked: 1, notKnown: 1, toolsLeftOut: 0 },
      tools: [
        {
          ...{ server: "a", tool: "t", calls: 9, policy: 2 },
          input: { state: "safe", text: direction.text, reason: null },
          output: cannot,
          protocol: { state: "safe", text: direction.text, reason: null },
        },
      ],
      wouldBlock: 3,
      otherMessages: 1,
      offences: OFFENCES,
      leftOut: 0,
      left: [],
    });
    expect(readRollout({ ...answer, offences_left_out: 7 })?.leftOut).toBe(7);
  });

  it("contains rules only if some would help", () => {
    const empty = { ...answer, suggestion: { mcpServers: {}, left: [OFFENCES[3]] } };
    expect(readRollout(empty)).not.toHaveProperty("rules");
    expect(readRollout(empty)?.left).toEqual([OFFENCES[3]]);
    const some = { ...answer, suggestion: { mcpServers: { a: { touchstone: {} } }, left: [] } };
    expect(readRollout(some)?.rules).toEqual({ a: { touchstone: {} } });
  });

  it.each([null, [], {}, { ...answer, checked: "9" }, { ...answer, tools: {} }])(
    "cannot be read from %j",
    (other) => {
      expect(readRollout(other)).toBeUndefined();
    },
  );
});
