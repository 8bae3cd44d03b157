import { RULES } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import type { RolloutOffence } from "./response-schemas.ts";
import { suggestRules } from "./suggest.ts";

const offence = (changes: Partial<RolloutOffence>): RolloutOffence => ({
  ...{
    server: "a",
    tool: "t",
    direction: "input",
    outcome: "violation",
    rule: "extra",
    places: [],
    calls: 1,
  },
  ...changes,
});
const suggested = (...offences: RolloutOffence[]) =>
  suggestRules({
    since: null,
    until: null,
    calls: 9,
    would_block: 9,
    excused: 0,
    ...{
      checked: 9,
      not_checked: 0,
      other_settings: 0,
      not_known: 0,
      policy: 0,
      tools: [],
      tools_left_out: 0,
    },
    repaired: 0,
    other_messages: 0,
    offences_left_out: 0,
    offences,
  });

describe("suggestRules", () => {
  it("covers exactly the classes that a rule can excuse", () => {
    const excused = ["type", "required", "extra", "value", "format", "guard", "budget"];
    const { mcpServers, left } = suggested(...RULES.map((rule) => offence({ rule })));
    expect(mcpServers["a"]?.touchstone.tools["t"]?.input_validation?.rules).toEqual(
      Object.fromEntries(excused.map((rule) => [rule, "warning"])),
    );
    expect(left.map(({ rule }) => rule)).toEqual(RULES.filter((rule) => !excused.includes(rule)));
  });

  it.each([
    { server: null },
    { tool: null },
    { rule: null },
    { direction: null },
    {
      direction: "protocol",
    },
  ] as const)("leaves out what no rule can excuse: %j", (changes) => {
    const known = offence(changes);
    expect(suggested(known)).toEqual({ mcpServers: {}, left: [known] });
  });

  it("suggests places instead of a class, if they are known", () => {
    const { mcpServers } = suggested(
      offence({ places: ["/a", "/items/*/id"] }),
      offence({ rule: "type", places: ["/a"] }),
      offence({ rule: "value" }),
    );
    expect(mcpServers["a"]?.touchstone.tools["t"]?.input_validation?.rules).toEqual({
      "/a": "warning",
      "/items/*/id": "warning",
      value: "warning",
    });
  });

  it.each<[string, RolloutOffence[], object]>([
    ["alone", [offence({ undeclared: "all" })], { undeclared: "warning" }],
    [
      "beside places of their class",
      [offence({ undeclared: "some", places: ["/a"] })],
      { rules: { "/a": "warning" }, undeclared: "warning" },
    ],
    [
      "beside others of their class whose places are not known",
      [offence({ undeclared: "some" })],
      { rules: { extra: "warning" }, undeclared: "warning" },
    ],
    [
      "beside another class",
      [offence({ undeclared: "all" }), offence({ rule: "type", places: ["/n"] })],
      { rules: { "/n": "warning" }, undeclared: "warning" },
    ],
  ])("suggests the setting for undeclared arguments: %s", (_, offences, expected) => {
    const { mcpServers, left } = suggested(...offences);
    expect(mcpServers["a"]?.touchstone.tools["t"]).toEqual({ input_validation: expected });
    expect(left).toEqual([]);
  });

  it("groups the classes by server, tool and direction", () => {
    const { mcpServers } = suggested(
      offence({ rule: "type" }),
      offence({ rule: "extra" }),
      offence({ direction: "output" }),
      offence({ tool: "u" }),
      offence({ server: "b" }),
    );
    const extra = { rules: { extra: "warning" } };
    expect(mcpServers).toEqual({
      a: {
        touchstone: {
          tools: {
            t: {
              input_validation: { rules: { extra: "warning", type: "warning" } },
              output_validation: extra,
            },
            u: { input_validation: extra },
          },
        },
      },
      b: { touchstone: { tools: { t: { input_validation: extra } } } },
    });
  });
});
