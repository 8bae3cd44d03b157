import { describe, expect, it } from "vitest";
import { parseConfig } from "../../config/load.ts";
import type { PolicySection } from "../../settings/schema.ts";
import { DEFAULT_SETTINGS } from "../../settings/validation.ts";
import type { PolicySettings } from "../policy/policy.ts";
import {
  blocksTools,
  decideTool,
  dependsOnToolHints,
  refusesTools,
  ToolPatterns,
  withCallerRules,
} from "./decide.ts";

/** The policy of a server in a file with these sections. */
function policyOf(
  top: PolicySection | undefined,
  server?: PolicySection,
  overrides = {},
): PolicySettings | undefined {
  const entry = { command: "c", touchstone: server === undefined ? {} : { policy: server } };
  const file = { ...(top === undefined ? {} : { policy: top }), mcpServers: { s: entry } };
  const config = parseConfig(JSON.stringify(file), { file: "t.json", env: {}, overrides });
  return config.servers[0]?.settings.policy;
}

const decide = (policy: PolicySettings | undefined, name: string | undefined, hint?: boolean) => {
  const { decision, keyword } = decideTool(policy, { name, isReadOnly: hint });
  return keyword === undefined ? decision : `${decision} ${keyword}`;
};

describe("the policy section", () => {
  it.each<[PolicySection | undefined, PolicySection | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    [{}, {}, undefined],
    [{ read_only: false }, undefined, "strict"],
    [{ mode: "warn" }, undefined, "warn"],
    [{ mode: "warn" }, { allow_tools: [] }, "warn"],
    [{ deny_tools: ["a"] }, { mode: "warn" }, "warn"],
    [{ mode: "off" }, { mode: "strict" }, "strict"],
    [undefined, { deny_tools: [] }, "strict"],
  ])("%j with %j for a server has the mode %s", (top, server, mode) => {
    expect(policyOf(top, server)?.mode).toBe(mode);
  });

  it("is absent by default, and keeps the mode of the command line", () => {
    expect(parseConfig("{}", { file: "t.json", env: {} }).settings).toEqual(DEFAULT_SETTINGS);
    expect(policyOf(undefined, undefined, { policyMode: "warn" })).toBeUndefined();
    expect(policyOf({ read_only: true }, {}, { policyMode: "warn" })?.mode).toBe("warn");
    expect(policyOf({ read_only: true }, {}, { mode: "off" })?.mode).toBe("strict");
  });
});

describe("a tool", () => {
  const A: PolicySection = { allow_tools: ["read_*", "list"] };
  const D: PolicySection = { deny_tools: ["delete_*", "drop"] };
  const R: PolicySection = { read_only: true };
  const U: PolicySection = { read_only: "unless_allowed" };

  it.each<[string, PolicySection | undefined, PolicySection | undefined, string, string]>([
    ["nothing set", undefined, undefined, "any", "allowed"],
    ["allowed by a glob", A, undefined, "read_file", "allowed"],
    ["allowed by name", A, undefined, "list", "allowed"],
    ["not in the list", A, undefined, "write_file", "blocked allow_tools"],
    ["allowed in another case only", A, undefined, "Read_file", "blocked allow_tools"],
    ["an empty list", { allow_tools: [] }, undefined, "read_file", "blocked allow_tools"],
    ["allowed at one of two levels", A, { allow_tools: ["*"] }, "x", "blocked allow_tools"],
    ["allowed at the other of two levels", { allow_tools: ["*"] }, A, "x", "blocked allow_tools"],
    ["allowed at both levels", A, { allow_tools: ["*_file"] }, "read_file", "allowed"],
    ["denied at the top", D, { allow_tools: ["*"] }, "drop", "blocked deny_tools"],
    ["denied at the server", { allow_tools: ["*"] }, D, "delete_x", "blocked deny_tools"],
    ["allowed and denied at one level", { ...A, ...D }, undefined, "drop", "blocked deny_tools"],
    ["not denied", D, undefined, "read_file", "allowed"],
    ["denied, mode warn", { ...D, mode: "warn" }, undefined, "drop", "warning deny_tools"],
    ["denied, mode off", { ...D, mode: "off" }, undefined, "drop", "allowed"],
    ["warned by the server's mode", D, { mode: "warn" }, "drop", "warning deny_tools"],
  ])("%s", (_, top, server, name, expected) => {
    expect(decide(policyOf(top, server), name)).toBe(expected);
  });

  it.each<[PolicySection | undefined, PolicySection | undefined, boolean | undefined, string]>([
    [R, undefined, true, "allowed"],
    [R, undefined, false, "blocked read_only"],
    [R, undefined, undefined, "blocked read_only"],
    [R, { read_only: false }, false, "blocked read_only"],
    [{ read_only: false }, R, false, "blocked read_only"],
    [{ read_only: false }, undefined, false, "allowed"],
    [{ ...R, mode: "warn" }, undefined, false, "warning read_only"],
    [U, undefined, true, "allowed"],
    [U, undefined, false, "blocked read_only"],
    [U, undefined, undefined, "blocked read_only"],
    [U, { deny_tools: ["b"] }, false, "blocked read_only"],
    [U, { allow_tools: ["a"] }, false, "allowed"],
    [U, { allow_tools: ["b"] }, true, "blocked allow_tools"],
    [{ ...U, allow_tools: ["*"] }, undefined, false, "allowed"],
    [{ ...U, allow_tools: ["*"] }, R, false, "blocked read_only"],
    [{ allow_tools: ["*"] }, U, false, "allowed"],
  ])("under %j and %j with readOnlyHint %s is %s", (top, server, hint, expected) => {
    expect(decide(policyOf(top, server), "a", hint)).toBe(expected);
  });

  it.each([
    [A, "blocked allow_tools"],
    [D, "blocked deny_tools"],
    [R, "blocked read_only"],
    [U, "blocked read_only"],
    [{ deny_tools: [] }, "allowed"],
    [{ ...D, mode: "warn" }, "warning deny_tools"],
  ] as const)("without a readable name is decided under %j: %s", (top, expected) => {
    expect(decide(policyOf(top), undefined)).toBe(expected);
  });

  it.each([
    ["another case", "DELETE_file"],
    ["full width", "ｄelete_file"],
    ["a long s, which Go takes for s", "delete_uſer"],
    ["the sign for Kelvin", "delete_\u212aey"],
    ["a space before it", " delete_file"],
    ["a zero-width space", "del\u200bete_file"],
    ["a soft hyphen", "del\u00adete_file"],
    ["a word joiner", "delete\u2060_file"],
    ["a variation selector", "delete_file\ufe0f"],
    ["a NUL in it", "delete_file\0x"],
    ["a line feed", "delete_file\n"],
    ["a direction mark", "\u202edelete_file"],
  ])("that is denied stays denied if its name has %s", (_, name) => {
    expect(decide(policyOf(D), name)).toBe("blocked deny_tools");
  });

  it.each(["DROP", "drop ", "ＤＲＯＰ", "drop\0", "dro\u200bp"])(
    "that is denied by name is also denied as %j",
    (name) => expect(decide(policyOf(D), name)).toBe("blocked deny_tools"),
  );

  it("that is denied stays denied with the Turkish letters for i", () => {
    expect(decide(policyOf({ deny_tools: ["print"] }), "PR\u0130NT")).toBe("blocked deny_tools");
    expect(decide(policyOf({ deny_tools: ["print"] }), "pr\u0131nt")).toBe("blocked deny_tools");
  });
});

describe("a caller's rules", () => {
  it.each<[PolicySection | undefined, string, string]>([
    [undefined, "a", "allowed"],
    [undefined, "b", "blocked allow_tools"],
    [{ deny_tools: ["a"] }, "a", "blocked deny_tools"],
    [{ mode: "off", deny_tools: ["a"] }, "a", "allowed"],
    [{ mode: "off" }, "b", "blocked allow_tools"],
    [{ mode: "warn", deny_tools: ["b"] }, "b", "blocked allow_tools"],
    [{ mode: "warn", deny_tools: ["a"] }, "a", "warning deny_tools"],
  ])("restrict %j further, in every mode: %s is %s", (top, name, expected) => {
    expect(decide(withCallerRules(policyOf(top), { allowTools: ["a"] }), name)).toBe(expected);
  });
});

describe("what a policy requires", () => {
  it.each<[PolicySection | undefined, boolean, boolean, boolean]>([
    [undefined, false, false, false],
    [{ mode: "strict" }, false, false, false],
    [{ deny_tools: [], read_only: false }, false, false, false],
    [{ deny_tools: ["a"] }, true, true, false],
    [{ deny_tools: ["a"], mode: "warn" }, true, false, false],
    [{ allow_tools: [], read_only: true, mode: "off" }, false, false, false],
    [{ read_only: true }, true, true, true],
  ])("%j: refuses %s, blocks %s, reads hints %s", (top, refuses, blocks, reads) => {
    const policy = policyOf(top);
    expect([refusesTools(policy), blocksTools(policy), dependsOnToolHints(policy)]).toEqual([
      refuses,
      blocks,
      reads,
    ]);
  });
});

describe("patterns", () => {
  it.each([
    ["*", "", true],
    ["*", "any.thing/at all", true],
    ["a*", "a", true],
    ["a*", "ba", false],
    ["*a", "ba", true],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxbyy", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a?c", "a😀c", true],
    ["[ab]", "a", false],
    ["[ab]", "[ab]", true],
    ["{a,b}", "a", false],
    ["!a", "b", false],
    ["a.b", "axb", false],
    ["__proto__", "__proto__", true],
    ["**a", "ba", true],
  ])("%j matches %j: %s", (pattern, name, expected) => {
    expect(new ToolPatterns([pattern]).match(name) !== undefined).toBe(expected);
  });

  it("match without exponential backtracking", () => {
    // In a matcher that tries all possibilities, each further star would multiply the number of steps.
    const patterns = new ToolPatterns([`${"a*".repeat(127)}b`]);
    expect(patterns.match("a".repeat(1_024))).toBeUndefined();
  });
});
