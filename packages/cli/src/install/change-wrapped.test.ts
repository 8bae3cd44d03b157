import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import { addWrapOptions } from "../wrap/register.ts";
import { OPTIONS_WITH_VALUE } from "./wrapped.ts";

const env = () => {
  const HOME = tempDir();
  return { HOME, XDG_CONFIG_HOME: join(HOME, "config") };
};

/** Files of clients in each format and layout, with the file's name. */
const FILES: readonly (readonly [form: string, name: string, text: string])[] = [
  ["JSON on a line", "a.json", '{"mcpServers":{"e":{"command":"npx","args":["-y","x"]}}}'],
  [
    "JSON with a word on each line, CRLF",
    "a.json",
    '{\r\n\t"mcpServers": {\r\n\t\t"e": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": [\r\n\t\t\t\t"-y",\r\n\t\t\t\t"x"\r\n\t\t\t],\r\n\t\t}\r\n\t}\r\n}',
  ],
  ["JSON without arguments", "a.json", '{ "servers": { "e": { "command": "npx" } } }\n'],
  [
    "a URL",
    "a.json",
    '{ "servers": { "e": { "url": "https://x.example/mcp", "headers": { "A": "b" } } } }\n',
  ],
  [
    "opencode's list",
    "a.json",
    '{ "mcp": { "e": { "type": "local", "command": ["npx", "-y", "x"] } } }\n',
  ],
  ["TOML", "a.toml", '[mcp_servers.e]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "x",\n]\n'],
  ["an inline table of TOML", "a.toml", "[mcp_servers]\ne = { command = 'npx', args = ['x'] }\n"],
  [
    "a block sequence of YAML",
    "a.yaml",
    "extensions:\n  e:\n    type: stdio\n    cmd: npx\n    args:\n      - -y\n      - x # last\n",
  ],
  [
    "a flow sequence of YAML",
    "a.yaml",
    "mcpServers:\n  - name: e\n    command: npx\n    args: [x]\n",
  ],
];

describe.each(FILES)("install again, in %s", (_, name, text) => {
  it("changes the options it is given, and uninstall restores every byte", async () => {
    const path = join(tempDir(), name);
    writeFileSync(path, text);
    const given = { env: env() };
    const run = async (command: string, ...options: readonly string[]): Promise<string> => {
      const { code, out, err } = await outcomeOf([command, "--file", path, ...options], given);
      expect([code, err]).toEqual([0, ""]);
      return /^ {2}e: (.*)$/m.exec(out)?.[1] ?? out;
    };
    expect(await run("install")).toBe("wrapped");
    expect(await run("install")).toBe("unchanged (wrapped, mode warn)");
    expect(await run("install", "--mode", "warn")).toBe("unchanged (wrapped, mode warn)");
    expect(await run("install", "--mode", "strict", "--dry-run")).toBe(
      "would change: mode warn → strict",
    );
    expect(await run("install", "--mode", "strict")).toBe("mode warn → strict");
    expect(await run("install", "--mode", "strict")).toBe("unchanged (wrapped, mode strict)");
    expect(await run("install")).toBe("unchanged (wrapped, mode strict)");
    expect(await run("install", "--mode", "off", "--data-dir", "/d")).toBe(
      "mode strict → off; --data-dir /d",
    );
    expect(await run("install", "--data-dir", "/e")).toBe("--data-dir /d → /e");
    expect(await run("install", "--command", "/opt/touchstone")).toBe("starts /opt/touchstone");
    expect(await run("install", "--command", "/opt/touchstone")).toContain("unchanged");
    const after = readFileSync(path, "utf8");
    expect(after.match(/--mode/g)).toHaveLength(1);
    expect(after).not.toContain("warn");
    expect(await run("uninstall")).toBe("restored");
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

const wrap = (...args: readonly string[]): string =>
  JSON.stringify({ mcpServers: { e: { command: "touchstone", args: ["wrap", ...args] } } });

it.each([
  [["--mode=strict", "--", "x"], "warn", "mode strict → warn", '"--mode=warn"'],
  [
    ["--input-mode", "off", "--", "x"],
    "strict",
    "arguments off, results warn, protocol warn → arguments off, results strict, protocol strict (its --input-mode stays)",
    '"--mode","strict","--input-mode","off"',
  ],
  [
    ["x", "--mode", "off"],
    "strict",
    "mode warn → strict",
    '"wrap", "--mode", "strict", "x","--mode","off"',
  ],
  // A command line that wrap refuses has no mode.
  [["--pin", "no", "--", "x"], "strict", "mode strict", '"--mode","strict","--pin"'],
] as const)("changes an entry written by hand: %j", async (args, mode, said, words) => {
  const path = join(tempDir(), "a.json");
  writeFileSync(path, wrap(...args));
  const { out } = await outcomeOf(["install", "--file", path, "--mode", mode], { env: env() });
  expect(out).toContain(`e: ${said}\n`);
  expect(readFileSync(path, "utf8").replaceAll(", ", ",")).toContain(words.replaceAll(", ", ","));
});

it("reads the mode from the configuration that the entry's wrap reads", async () => {
  const config = join(tempDir(), "touchstone.json");
  const strict = { input_validation: { mode: "strict" } };
  writeFileSync(config, JSON.stringify({ mcpServers: { e: { touchstone: strict } } }));
  const path = join(tempDir(), "a.json");
  writeFileSync(path, wrap("--name", "e", "--config", config, "--", "x"));
  const { out } = await outcomeOf(["install", "--file", path], { env: env() });
  expect(out).toContain("e: unchanged (wrapped, arguments strict, results warn, protocol warn)\n");
});

it("knows each option of wrap that takes a value", () => {
  const { options } = addWrapOptions(new Command("wrap"));
  const valued = options.filter(({ required }) => required).map(({ long }) => long ?? "");
  expect([...OPTIONS_WITH_VALUE].sort()).toEqual(valued.sort());
});

it("keeps no backup that equals the file", async () => {
  const path = join(tempDir(), "a.json");
  writeFileSync(path, '{"mcpServers":{"e":{"command":"npx"}}}');
  const backups = (): readonly string[] =>
    readdirSync(dirname(path)).filter((name) => name.endsWith(".bak"));
  await outcomeOf(["install", "--file", path], { env: env() });
  expect(backups()).toHaveLength(1);
  await outcomeOf(["uninstall", "--file", path], { env: env() });
  const kept = backups().map((name) => readFileSync(join(dirname(path), name), "utf8"));
  expect(kept).toEqual([expect.stringContaining("wrap")]);
  expect(existsSync(path)).toBe(true);
});
