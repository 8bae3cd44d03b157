import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRESET_NAMES } from "@touchstone/gateway/config";
import { Command } from "commander";
import { expect, it } from "vitest";
import { SECTION_SETTINGS } from "../../../gateway/src/features/list.ts";
import type { SectionSetting } from "../../../gateway/src/features/section-setting.ts";
import { addCheckingOptions, PRESETS } from "../options/common-options.ts";
import { through } from "../testing/conversation.ts";
import { describeSdks } from "../testing/sdk-clients.ts";
import { FILESYSTEM_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";

const given = () => {
  const HOME = tempDir();
  return { env: { HOME, XDG_CONFIG_HOME: join(HOME, "config"), PATH: "" } };
};

it("the options take the names that a file takes", () => {
  expect(PRESETS).toEqual(PRESET_NAMES);
});

it("each key of a feature with an option has one, with the values of the file", () => {
  const { options } = addCheckingOptions(new Command("wrap"));
  const choices = new Map(options.map(({ long, argChoices }) => [long, argChoices]));
  const sections = SECTION_SETTINGS.flatMap(({ keys }: SectionSetting) => Object.values(keys));
  const keys = sections.flatMap((section) => Object.entries(section));
  const wanted = keys.filter(([, { option }]) => option);
  expect(wanted.length).toBeGreaterThan(0);
  for (const [name, { schema }] of wanted) {
    expect(schema).toMatchObject({ enum: choices.get(`--${name.replaceAll("_", "-")}`) });
  }
});

describeSdks("v2 legacy", (sdk) => {
  it.each([
    ["observe", ["read_text_file", "write_file"], []],
    ["guard", ["read_text_file", "write_file"], ["read_text_file"]],
    ["lockdown", ["read_text_file"], ["read_text_file"]],
  ] as const)(
    "%s before server-filesystem lists %j and blocks an unknown argument of %j",
    async (name, listed, blocked) => {
      const folder = tempDir();
      const path = join(folder, "a.txt");
      writeFileSync(path, "one\n");
      const talk = await through(
        sdk,
        [FILESYSTEM_SERVER, folder],
        {
          // The schema is open: the server itself ignores `lines`.
          read_text_file: { path, lines: 1 },
          write_file: { path: join(folder, "b.txt"), content: "two" },
          list_directory: { path: folder },
        },
        { preset: name },
      );
      const both = ["read_text_file", "write_file"];
      expect(talk.tools.filter((tool) => both.includes(tool)).sort()).toEqual(listed);
      const stopped = talk.records.flatMap(({ type, decision, tool }) =>
        type === "policy_decision" && decision === "blocked" ? [tool] : [],
      );
      expect([...new Set(stopped)].sort()).toEqual(blocked);
    },
  );
});

it("config show prints what presets set and what the file overrides", async () => {
  const path = join(tempDir(), "touchstone.json");
  const files = {
    preset: "guard",
    input_validation: { undeclared: "warning" },
    mcpServers: { a: { command: "c", touchstone: { preset: "lockdown", pin: "warn" } } },
  };
  writeFileSync(path, JSON.stringify(files));
  const { code, out, err } = await outcomeOf(["config", "show", path], given());
  expect([code, JSON.parse(out).preset]).toEqual([0, "guard"]);
  expect(err).toBe(`touchstone: preset guard (top level) sets:
  input_validation.mode                "strict"
  input_validation.undeclared          "violation"  (the file sets "warning")
  input_validation.on_invalid_schema   "block"
  input_validation.on_unknown_schema   "block"
  input_validation.repair              ["safe"]
  output_validation.mode               "strict"
  output_validation.on_invalid_schema  "block"
  output_validation.on_unknown_schema  "block"
  protocol_validation.mode             "strict"
  pin                                  "warn"
  lock                                 "first_use"
touchstone: preset lockdown (server a) sets:
  input_validation.mode                "strict"
  input_validation.undeclared          "violation"
  input_validation.on_invalid_schema   "block"
  input_validation.on_unknown_schema   "block"
  input_validation.repair              ["safe"]
  output_validation.mode               "strict"
  output_validation.on_invalid_schema  "block"
  output_validation.on_unknown_schema  "block"
  protocol_validation.mode             "strict"
  pin                                  "strict"  (the file sets "warn")
  lock                                 "first_use"
  policy.mode                          "strict"
  policy.read_only                     "unless_allowed"
`);
  const again = join(tempDir(), "touchstone.json");
  writeFileSync(again, out);
  expect((await outcomeOf(["config", "show", again], given())).out).toBe(out);
});

it("config show names the servers and tools whose values differ from a preset", async () => {
  const path = join(tempDir(), "touchstone.json");
  const off = { input_validation: { mode: "off" } };
  const of = (touchstone: object) => ({ command: "c", touchstone });
  const mcpServers = {
    a: of({ ...off, tools: { "get\u001b": { input_validation: { mode: "warn" } } } }),
    b: of({ tools: { one: off, two: off } }),
    c: of({ preset: "guard", tools: { three: off } }),
    d: of({ policy: { mode: "off" } }),
  };
  writeFileSync(path, JSON.stringify({ preset: "lockdown", mcpServers }));
  const { err } = await outcomeOf(["config", "show", path], given());
  const lines = err.split("\n");
  const modes = lines.filter((line) => line.startsWith("  input_validation.mode"));
  expect(modes).toEqual([
    '  input_validation.mode                "strict"  (server a has "off"; tool get\\u{1b} of a has "warn"; tool one of b has "off"; 1 more differ)',
    '  input_validation.mode                "strict"  (tool three of c has "off")',
  ]);
  expect(lines).toContain('  policy.mode                          "strict"  (server d has "off")');
});

it("init writes a preset instead of modes", async () => {
  const cwd = tempDir();
  const { code, out } = await outcomeOf(["init", "--yes", "--preset", "guard"], {
    ...given(),
    cwd,
  });
  expect([code, out]).toEqual([0, expect.stringContaining("preset guard.")]);
  const { $schema: _, ...file } = JSON.parse(readFileSync(join(cwd, "touchstone.json"), "utf8"));
  expect(file).toEqual({ preset: "guard", mcpServers: {} });
  const both = await outcomeOf(["init", "--yes", "--preset", "guard", "--mode", "off"], given());
  expect([both.code, both.err]).toEqual([2, expect.stringContaining("cannot be used with")]);
});

it("doctor names the preset of each server", async () => {
  const path = join(tempDir(), "touchstone.json");
  const command = { command: "touchstone-no-such-program" };
  const servers = { a: command, b: { ...command, touchstone: { preset: "observe" } } };
  writeFileSync(path, JSON.stringify({ preset: "guard", mcpServers: servers }));
  const { out } = await outcomeOf(["doctor", "--config", path], given());
  expect(out).toContain("checks: input strict, output strict, protocol strict, preset guard\n");
  expect(out).toContain("checks: input warn, output warn, protocol warn, preset observe\n");
  const typed = await outcomeOf(["doctor", "--config", path, "--preset", "observe"], given());
  expect(typed.out).not.toContain("preset guard");
  expect(typed.out.match(/protocol warn, preset observe/g)).toHaveLength(2);
});

it("doctor names the modes of policy and pin that are not those of the preset", async () => {
  const path = join(tempDir(), "touchstone.json");
  const of = (touchstone: object) => ({ command: "touchstone-no-such-program", touchstone });
  const mcpServers = { a: of({ policy: { mode: "off" }, pin: "warn" }), b: of({}) };
  writeFileSync(path, JSON.stringify({ preset: "lockdown", mcpServers }));
  const { out } = await outcomeOf(["doctor", "--config", path], given());
  expect(out.match(/preset lockdown.*/g)).toEqual([
    "preset lockdown with policy off and pin warn",
    "preset lockdown",
  ]);
});

/** Returns the output of `install` for the server `e`. */
async function installing(path: string, ...options: readonly string[]): Promise<string> {
  const { code, out, err } = await outcomeOf(["install", "--file", path, ...options], given());
  expect([code, err]).toEqual([0, ""]);
  return /^ {2}e: (.*)$/m.exec(out)?.[1] ?? out;
}

it("install names every option of an entry that overrides the preset", async () => {
  const path = join(tempDir(), "a.json");
  const options = ["--policy-mode", "off", "--pin=off", "--on-unknown-schema", "allow"];
  const more = ["--on-invalid-schema", "allow", "--lock", "a.lock", "--output-mode", "off"];
  const args = ["wrap", ...options, ...more, "--", "npx", "x"];
  writeFileSync(path, JSON.stringify({ mcpServers: { e: { command: "touchstone", args } } }));
  const said = await installing(path, "--preset", "lockdown");
  for (const flag of [...options, ...more].filter((word) => word.startsWith("--"))) {
    expect(said).toMatch(new RegExp(`\\(its .*${flag.replace("=off", "")}.* stays\\)$`));
  }
});

it.each([
  ["two words", ["--mode", "warn"]],
  ["one word", ["--mode=warn"]],
])("install replaces a mode of %s by the preset that it would override", async (_, mode) => {
  const path = join(tempDir(), "a.json");
  const plain = '{"mcpServers":{"e":{"command":"npx","args":["x"]}}}';
  writeFileSync(path, plain);
  await installing(path, "--mode", "warn");
  const wrapped = readFileSync(path, "utf8").replace(
    '"--mode","warn"',
    mode.map((word) => JSON.stringify(word)).join(","),
  );
  writeFileSync(path, wrapped);
  const said = await installing(path, "--preset", "guard");
  expect(said).toBe("preset guard, mode warn → strict");
  const args: readonly string[] = JSON.parse(readFileSync(path, "utf8")).mcpServers.e.args;
  expect(args.filter((word) => word.startsWith("--mode"))).toEqual([]);
  expect(await installing(path, "--preset", "guard")).toBe("unchanged (wrapped, mode strict)");
  expect(await installing(path, "--preset", "lockdown")).toBe("preset guard → lockdown");
  expect(await installing(path, "--mode", "off")).toBe("mode strict → off");
  expect(await installing(path, "--preset", "guard")).toBe(
    "preset lockdown → guard (its --mode stays)",
  );
  await outcomeOf(["uninstall", "--file", path], given());
  expect(readFileSync(path, "utf8")).toBe(plain);
});
