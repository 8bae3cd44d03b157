import { describe, expect, it } from "vitest";
import { exemptRules } from "../../../records/src/rollout/exemption.ts";
import {
  DEFAULT_SETTINGS,
  type RuleTreatment,
  type ValidationSettings,
} from "../settings/validation.ts";
import { exemptionsOf } from "./exemptions.ts";

const settings = (
  input: Record<string, RuleTreatment> = {},
  output: Record<string, RuleTreatment> = {},
): ValidationSettings => ({
  ...DEFAULT_SETTINGS,
  input: { ...DEFAULT_SETTINGS.input, undeclared: "allow", rules: input },
  output: { ...DEFAULT_SETTINGS.output, rules: output },
});

const server = (name: string, own: ValidationSettings, tools: object = {}) => ({
  name,
  settings: own,
  tools: new Map(Object.entries(tools)),
});

describe("the issues that settings excuse", () => {
  it("are none without rules", () => {
    const servers = [server("a", settings(), { x: settings() })];
    expect(exemptionsOf({ settings: settings(), servers })).toEqual([]);
  });

  it("are undeclared arguments by default", () => {
    expect(exemptionsOf({ settings: DEFAULT_SETTINGS, servers: [] })).toEqual([
      {
        ...{ direction: "input", server: undefined, tool: undefined },
        ...{ rules: [], places: {}, undeclared: "warning" },
      },
    ]);
  });

  it("include all rules, in any order, if some are for places", () => {
    const rules = { "/a": "ignore", extra: "warning" } as const;
    const same = settings({ extra: "warning", "/a": "ignore" });
    const servers = [server("a", same, { x: same, y: settings({ "/b": "warning" }) })];
    expect(exemptionsOf({ settings: settings(rules), servers })).toEqual([
      { direction: "input", server: "a", tool: "y", rules: [], places: { "/b": "warning" } },
      { direction: "input", server: undefined, tool: undefined, rules: [], places: rules },
    ]);
  });

  it("depend on the issues if undeclared arguments are checked", () => {
    const of = settings({ extra: "warning" });
    const looking = { ...of, input: { ...of.input, undeclared: "warning" as const } };
    const servers = [server("a", looking, { x: looking, y: of })];
    expect(exemptionsOf({ settings: settings(), servers })).toEqual([
      { direction: "input", server: "a", tool: "y", rules: ["extra"] },
      {
        ...{ direction: "input", server: "a", tool: undefined, rules: [] },
        ...{ places: { extra: "warning" }, undeclared: "warning" },
      },
    ]);
  });

  it("are none if a class is explicitly a violation", () => {
    expect(exemptionsOf({ settings: settings({ type: "violation" }), servers: [] })).toEqual([]);
  });

  const excuses = exemptionsOf({
    settings: settings({ extra: "warning" }),
    servers: [
      server("a", settings({ extra: "violation" }, { format: "ignore", type: "warning" }), {
        x: settings({ extra: "warning", guard: "ignore" }, { type: "warning" }),
        y: settings({}, { format: "ignore", type: "warning" }),
      }),
      server("b", settings({ extra: "warning" }), { z: settings({}) }),
    ],
  });

  it("are not repeated for a tool or server that inherits them", () => {
    const named = excuses.map(({ server = "*", tool = "*", direction }) =>
      [direction, server, tool].join(" "),
    );
    expect(named).toEqual([
      "input a x",
      "input b z",
      "input a *",
      "input * *",
      "output a x",
      "output a *",
    ]);
  });

  it.each([
    ["input", "a", "x", ["extra", "guard"]],
    ["input", "a", "y", []],
    ["input", "a", "other", []],
    ["input", "b", "z", []],
    ["input", "b", "other", ["extra"]],
    ["input", "unlisted", "x", ["extra"]],
    ["output", "a", "x", ["type"]],
    ["output", "a", "y", ["type", "format"]],
    ["output", "b", "z", []],
    ["protocol", "a", "x", []],
    ["input", null, null, ["extra"]],
  ] as const)("%s of %s/%s: %j", (direction, name, tool, rules) => {
    expect(exemptRules(excuses, { direction, server: name, tool })).toEqual(rules);
  });
});
