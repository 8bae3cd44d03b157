import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseConfig } from "@touchstone/gateway/config";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import { addUserEntries, removeUserEntries } from "./user-entries.ts";

const NAMES = ["files", "web"];

function userFile(text?: string): string {
  const file = join(tempDir(), "config", "touchstone.json");
  if (text === undefined) return file;
  mkdirSync(dirname(file));
  writeFileSync(file, text);
  return file;
}
const read = (file: string): string => readFileSync(file, "utf8");
const names = (file: string): readonly string[] =>
  parseConfig(read(file), { file, env: {} }).servers.map(({ name }) => name);

describe.each([
  ["no file", undefined],
  ["an empty object", "{}"],
  ["an object with a comment", "{\n  // mine\n}\n"],
  ["no servers", '{\n  "input_validation": { "mode": "strict" } // strict\n}\n'],
  ["no servers, on a line, with a comma", '{"policy":{"mode":"warn"},}'],
  ["empty servers", '{ "mcpServers": {} }'],
  ["empty servers over lines", '{\r\n\t"mcpServers": {\r\n\t}\r\n}'],
  ["servers on a line", '{"mcpServers":{"a":{"command":"x"}}}'],
  [
    "servers over lines, with a comma at the end",
    '{\n  "mcpServers": {\n    "a": { "command": "x" }, // a\n    "b": { "command": "y" },\n  },\n}\n',
  ],
  ["one of them", '{ "mcpServers": { "files": { "touchstone": { "capability": "add" } } } }'],
  ["a byte order mark", '\uFEFF{ "mcpServers": {} }'],
])("entries in %s", (_, text) => {
  it("are added, and removed so that every byte is as it was", () => {
    const file = userFile(text);
    const { fault, names: added } = addUserEntries(file, NAMES, {});
    expect(fault).toBeUndefined();
    expect(names(file)).toEqual(expect.arrayContaining(NAMES));
    expect(addUserEntries(file, NAMES, {}).names).toEqual([]);
    // One after the other, too.
    removeUserEntries(file, ["web"]);
    expect(names(file)).toContain("files");
    expect(removeUserEntries(file, NAMES).names).toEqual(added.filter((name) => name !== "web"));
    expect(existsSync(file) ? read(file) : undefined).toBe(text);
    expect(existsSync(dirname(file))).toBe(text !== undefined);
  });
});

it("keeps an entry that has settings, and the file it is in", () => {
  const file = userFile();
  addUserEntries(file, NAMES, {});
  const edited = read(file).replace(
    '"web": { "touchstone": {} }',
    '"web": { "touchstone": { "capability": "add" } }',
  );
  writeFileSync(file, edited);
  expect(removeUserEntries(file, NAMES).names).toEqual(["files"]);
  expect(names(file)).toEqual(["web"]);
});

it.each([
  ["is not JSON", "{"],
  ["is refused", '{ "input_validation": { "mode": "strct" } }'],
])("leaves a file that %s as it is, and says why", (_, text) => {
  const file = userFile(text);
  expect(addUserEntries(file, NAMES, {})).toMatchObject({ names: [], fault: expect.any(String) });
  expect(read(file)).toBe(text);
});

it("adds no entry for a name that a configuration cannot have", () => {
  const file = userFile();
  expect(addUserEntries(file, ["io.github.acme/weather", "a"], {}).names).toEqual(["a"]);
});

function home() {
  const HOME = tempDir();
  const put = (name: string, value: object): string => {
    const path = join(HOME, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const env = {
    HOME,
    XDG_CONFIG_HOME: join(HOME, "config"),
    CODEX_HOME: "",
    CLAUDE_CONFIG_DIR: "",
  };
  return { put, cwd: tempDir(), env, user: join(HOME, "config/touchstone/touchstone.json") };
}
const FILES = { mcpServers: { files: { command: "npx", args: ["files"] } } };

it("install enters wrapped servers, and the last uninstall restores both files", async () => {
  const { put, cwd, env, user } = home();
  const cursor = put(".cursor/mcp.json", FILES);
  put(".claude.json", FILES);
  const run = (...args: readonly string[]) => outcomeOf(args, { cwd, env });
  const dry = await run("install", "--client", "cursor", "--dry-run");
  expect([dry.out, existsSync(user)]).toEqual([expect.not.stringContaining(user), false]);
  const first = await run("install", "--client", "cursor");
  expect(first.out).toContain(`${user} has an entry for 1 more server`);
  expect(names(user)).toEqual(["files"]);
  const again = await run("install", "--client", "claude");
  expect(again.out).not.toContain("more server");
  // Claude Code still wraps it.
  await run("uninstall", "--client", "cursor");
  expect(names(user)).toEqual(["files"]);
  const last = await run("uninstall", "--client", "claude");
  expect(last.out).toContain(`${user}: 1 entry without settings removed`);
  expect([existsSync(user), read(cursor)]).toEqual([false, JSON.stringify(FILES)]);
});

it("install with --config enters nothing: wrap reads that file", async () => {
  const { put, cwd, env, user } = home();
  put(".cursor/mcp.json", FILES);
  const config = put("mine.json", {});
  await outcomeOf(["install", "--client", "cursor", "--config", config], { cwd, env });
  expect(existsSync(user)).toBe(false);
});

it("init --user keeps wrapped servers, before and after install", async () => {
  const { put, cwd, env, user } = home();
  put(".cursor/mcp.json", FILES);
  put(".claude.json", { mcpServers: { other: { command: "x" } } });
  const run = (...args: readonly string[]) => outcomeOf(args, { cwd, env });
  await run("install", "--client", "cursor");
  const { code, out } = await run("init", "--user", "--yes");
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("1 server, 1 wrapped server, mode warn"),
  ]);
  expect(names(user)).toEqual(["files", "other"]);
  const taken = await run("init", "--user", "--yes");
  expect([taken.code, taken.err]).toEqual([2, expect.stringContaining("already exists")]);
  await run("uninstall", "--client", "cursor");
  expect(names(user)).toEqual(["other"]);
});
