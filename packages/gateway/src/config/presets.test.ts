import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sample } from "../../../core/src/testing/sample.ts";
import { PRESET_NAMES } from "../features/preset/preset.ts";
import { expandPreset, PRESETS } from "../settings/presets.ts";
import type { ConfigFile } from "../settings/schema.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { configAsFile } from "./config-to-file.ts";
import { configJsonSchema } from "./editor-schema.ts";
import { parseConfig } from "./load.ts";
import type { Overrides } from "./overrides.ts";

type Own = NonNullable<NonNullable<ConfigFile["mcpServers"]>[string]["touchstone"]>;

const parse = (file: ConfigFile, overrides: Overrides = {}) =>
  parseConfig(JSON.stringify(file), { file: "/etc/touchstone.json", env: {}, overrides });

/** The settings of one server, of a tool of it, and of the top level. */
function settingsOf(file: ConfigFile, server: Own = {}, overrides: Overrides = {}) {
  const entry = { command: "c", touchstone: { tools: { t: {} }, ...server } };
  const config = parse({ ...file, mcpServers: { s: entry } }, overrides);
  const [one] = config.servers;
  return { top: config.settings, server: one?.settings, tool: one?.tools.get("t") };
}

function toolOf(file: ConfigFile, server: Own): ValidationSettings {
  const { tool } = settingsOf(file, server);
  if (tool === undefined) throw new Error("the tool has no settings");
  return tool;
}

describe("a preset sets", () => {
  it.each([
    ["observe", "warn", "warning", [], undefined, undefined],
    ["guard", "strict", "violation", ["safe"], "warn", undefined],
    ["lockdown", "strict", "violation", ["safe"], "strict", "unless_allowed"],
  ] as const)(
    "%s: mode %s, undeclared %s, repair %j, pin %s, read-only %s",
    (name, ...expected) => {
      const [mode, undeclared, kinds, pin, readOnly] = expected;
      for (const [file, server] of [
        [{ preset: name }, {}],
        [{}, { preset: name }],
      ] as const) {
        const { input, output, protocol, pin: pinned, policy } = toolOf(file, server);
        expect([input?.mode, output?.mode, protocol?.mode]).toEqual([mode, mode, mode]);
        expect([input?.undeclared, input?.repair]).toEqual([undeclared, kinds]);
        expect([input?.onInvalidSchema, input?.onUnknownSchema]).toEqual(["block", "block"]);
        expect(output?.onUnknownSchema).toBe("block");
        expect(output?.onInvalidSchema).toBe(name === "observe" ? "block_external" : "block");
        expect(pinned).toEqual(pin && { mode: pin, lock: "first_use" });
        expect(policy?.levels[0]?.readOnly).toBe(readOnly);
        expect(policy?.mode).toBe(readOnly && "strict");
      }
    },
  );
});

describe("which value of input_validation.mode is in force for a tool", () => {
  const mode = (value: "off" | "warn" | "strict") => ({ input_validation: { mode: value } });
  it.each<[string, string, ConfigFile, Own, Overrides]>([
    ["the default", "warn", {}, {}, {}],
    ["the preset of the top level", "strict", { preset: "guard" }, {}, {}],
    ["a value of the top level", "off", { preset: "guard", ...mode("off") }, {}, {}],
    ["the preset of the server", "strict", mode("off"), { preset: "lockdown" }, {}],
    ["the preset of the server", "warn", { preset: "guard" }, { preset: "observe" }, {}],
    ["a value of the server", "off", mode("warn"), { preset: "guard", ...mode("off") }, {}],
    ["a value of the tool", "off", {}, { preset: "guard", tools: { t: mode("off") } }, {}],
    ["--preset", "strict", mode("off"), { tools: { t: mode("warn") } }, { preset: "guard" }],
    ["--preset", "warn", { preset: "guard" }, { preset: "lockdown" }, { preset: "observe" }],
    ["--mode", "off", { preset: "guard" }, {}, { preset: "guard", mode: "off" }],
    ["--input-mode", "warn", {}, {}, { preset: "guard", mode: "off", inputMode: "warn" }],
  ])("%s", (_, expected, file, server, overrides) => {
    expect(settingsOf(file, server, overrides).tool?.input.mode).toBe(expected);
  });
});

describe("--preset", () => {
  it("replaces the presets of the file and keeps its rules", () => {
    const observed = settingsOf({ preset: "lockdown" }, { preset: "guard" }, { preset: "observe" });
    expect(observed.server).toMatchObject({ input: { mode: "warn", repair: [] } });
    expect(observed.server).not.toHaveProperty("policy");
    expect(observed.server).not.toHaveProperty("pin");
    const rules = { policy: { deny_tools: ["drop"] }, pin: "strict", lock: "a.lock" } as const;
    const guarded = settingsOf(rules, {}, { preset: "lockdown" }).server;
    expect(guarded?.pin).toEqual({ mode: "strict", lock: "/etc/a.lock" });
    expect(guarded?.policy?.levels).toEqual([
      { level: "top", denyTools: ["drop"], readOnly: "unless_allowed" },
    ]);
  });

  it("gives the same settings as the preset in a file that sets nothing", () => {
    for (const preset of PRESET_NAMES) {
      const typed = parse({}, { preset });
      expect(typed).toEqual(parse({ preset }));
      expect(parse(configAsFile(typed))).toEqual(typed);
    }
  });
});

it("a lock that is set stays", () => {
  const { server } = settingsOf({ lock: "touchstone.lock", pin: "off" }, { preset: "guard" });
  expect(server?.pin).toEqual({ mode: "warn", lock: "/etc/touchstone.lock" });
});

it("editors and the check of a file know the names", () => {
  const text = JSON.stringify(configJsonSchema());
  for (const name of PRESET_NAMES) expect(text).toContain(`"${name}"`);
  const wrong = '{ "preset": "gard" }';
  expect(() => parseConfig(wrong, { file: "t.json", env: {} })).toThrow(
    't.json:1:13: /preset: must be one of "observe", "guard", "lockdown"; got "gard" — did you mean "guard"?',
  );
});

const choice = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const some = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { requiredKeys: [] });
const mode = choice("off", "warn", "strict");
const level = {
  preset: choice(...PRESET_NAMES),
  input_validation: some({
    mode,
    undeclared: choice("allow", "warning", "violation"),
    on_invalid_schema: choice("allow", "block"),
    on_unknown_schema: choice("allow", "block"),
    repair: choice([], ["safe"], ["drop-nulls"]),
    max_depth: choice(3),
  }),
  output_validation: some({ mode, rules: some({ extra: choice("ignore", "warning") }) }),
  protocol_validation: some({ mode }),
  policy: some({
    mode,
    allow_tools: choice([], ["read_*"]),
    read_only: fc.constantFrom<boolean | "unless_allowed">(false, true, "unless_allowed"),
  }),
  lock: choice("first_use", "a.lock"),
};
const files = some({
  ...level,
  mcpServers: fc.record({
    s: fc.record({
      command: choice("c"),
      touchstone: some({ ...level, tools: choice({ t: {} }) }),
    }),
    w: fc.record({ touchstone: some(level) }),
  }),
});

/** Writes the values of presets out and removes the presets, as a person would. */
function byHand(file: ConfigFile): ConfigFile {
  const without = <Of extends { readonly preset?: ConfigFile["preset"] }>(
    written: Of,
    hasLock: boolean,
  ) => {
    const { preset: _, ...rest } = expandPreset(written, hasLock);
    return rest;
  };
  const top = without(file, false);
  const servers = Object.entries(file.mcpServers ?? {}).map(([name, entry]) => {
    const touchstone = without(entry.touchstone ?? {}, top.lock !== undefined);
    return [name, { ...entry, touchstone }];
  });
  return { ...top, ...(file.mcpServers && { mcpServers: Object.fromEntries(servers) }) };
}

it("a file with presets has the same settings as the file with their values written out", () => {
  fc.assert(
    fc.property(files as fc.Arbitrary<ConfigFile>, (file) => {
      const { preset, servers, ...config } = parse(file);
      const plain = parse(byHand(file));
      expect(config).toEqual({ ...plain, servers: undefined });
      expect(preset).toBe(file.preset);
      expect(servers.map(({ preset: _, ...server }) => server)).toEqual(plain.servers);
      expect(parse(configAsFile(parse(file)))).toEqual(parse(file));
    }),
    { numRuns: sample(40, 500) },
  );
});

it("the level's own values win over its preset", () => {
  fc.assert(
    fc.property(files as fc.Arbitrary<ConfigFile>, ({ mcpServers: _, ...file }) => {
      const shown = configAsFile(parse(file));
      const sections = ["input_validation", "output_validation", "protocol_validation"] as const;
      for (const section of sections) expect(shown[section]).toMatchObject(file[section] ?? {});
      if (file.policy?.read_only !== undefined) {
        expect(shown.policy?.read_only).toBe(file.policy.read_only);
      }
    }),
    { numRuns: sample(40, 500) },
  );
});

it("every preset sets only keys that a file has", () => {
  for (const keys of Object.values(PRESETS)) expect(() => parse(keys)).not.toThrow();
});
