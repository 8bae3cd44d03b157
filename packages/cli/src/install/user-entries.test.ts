import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
    // The entries can also be removed one after the other.
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
  expect(dry.out).toContain(`${user} would get an entry for 1 more server`);
  expect(dry.out).toMatch(/\nNothing was written\..*\n$/);
  expect(existsSync(user)).toBe(false);
  const first = await run("install", "--client", "cursor");
  expect(first.out).toContain(`${user} has an entry for 1 more server`);
  expect(names(user)).toEqual(["files"]);
  const again = await run("install", "--client", "claude");
  expect(again.out).not.toContain("more server");
  const same = await run("install", "--client", "cursor", "--dry-run");
  expect(same.out).not.toContain(user);
  // Claude Code still wraps the server.
  const kept = await run("uninstall", "--client", "cursor", "--dry-run");
  expect(kept.out).not.toContain(user);
  await run("uninstall", "--client", "cursor");
  expect(names(user)).toEqual(["files"]);
  const planned = await run("uninstall", "--client", "claude", "--dry-run");
  expect(planned.out).toContain(`${user}: 1 entry without settings would be removed\n`);
  expect(names(user)).toEqual(["files"]);
  const last = await run("uninstall", "--client", "claude");
  expect(last.out).toContain(`${user}: 1 entry without settings removed`);
  expect([existsSync(user), read(cursor)]).toEqual([false, JSON.stringify(FILES)]);
});

it("a dry run says that an entry is missing of what is wrapped already, and why none can be added", async () => {
  const { put, cwd, env, user } = home();
  put(".cursor/mcp.json", { mcpServers: { own: { command: "touchstone", args: ["wrap", "x"] } } });
  const run = () => outcomeOf(["install", "--client", "cursor", "--dry-run"], { cwd, env });
  const { out } = await run();
  expect(out).toContain("nothing to change\n");
  expect(out).toContain(`${user} would get an entry for 1 more server`);
  expect(out).toMatch(/\nNothing was written\..*\n$/);
  mkdirSync(dirname(user), { recursive: true });
  writeFileSync(user, "{");
  expect((await run()).out).toContain(`no entry can be added to ${user}, so the console would not`);
  expect(read(user)).toBe("{");
});

it("uninstall keeps entries with settings, and names their servers", async () => {
  const { put, cwd, env, user } = home();
  const servers = { files: FILES.mcpServers.files, plain: { command: "npx", args: ["plain"] } };
  put(".cursor/mcp.json", { mcpServers: servers });
  const run = (...args: readonly string[]) => outcomeOf(args, { cwd, env });
  await run("install", "--client", "cursor");
  const text = readFileSync(user, "utf8");
  const set = text.replace(
    '"files": { "touchstone": {} }',
    '"files": { "touchstone": { "tools": {} } }',
  );
  expect(set).not.toBe(text);
  writeFileSync(user, set);
  const missing = await run("uninstall");
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("Found here: cursor\n")]);
  const planned = await run("uninstall", "--client", "cursor", "--dry-run");
  expect(planned.out).toContain(
    `${user}: 1 entry without settings would be removed, 1 entry with settings would be kept (files)\n`,
  );
  expect(read(user)).toBe(set);
  const { out } = await run("uninstall", "--client", "cursor");
  expect(out).toContain(
    `${user}: 1 entry without settings removed, 1 entry with settings kept (files)\n`,
  );
  expect(names(user)).toEqual(["files"]);
});

it.each([
  [["--", "npx", "-y", "@acme/weather"], "weather"],
  [["node", "/srv/files.js"], "files"],
  [["--mode", "warn", "--name=web", "--", "x"], "web"],
  [["--name", "a", "--name=b", "--", "x"], "b"],
  [["--url", "https://mcp.example.com/mcp"], "mcp.example.com"],
  [["--url=https://mcp.example.com/mcp"], "mcp.example.com"],
] as const)(
  "install enters what is wrapped by hand under the name that wrap gives it: %j",
  async (args, name) => {
    const { put, cwd, env, user } = home();
    put(".cursor/mcp.json", {
      mcpServers: { own: { command: "touchstone", args: ["wrap", ...args] } },
    });
    await outcomeOf(["install", "--client", "cursor"], { cwd, env });
    expect(names(user)).toEqual([name]);
  },
);

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

it("init --user keeps what install has entered for servers that init does not read", async () => {
  const { put, cwd, env, user } = home();
  const codex = put(".codex/config.toml", {});
  writeFileSync(codex, '[mcp_servers.notes]\ncommand = "npx"\nargs = ["notes"]\n');
  const other = put("other.json", { mcpServers: { far: { command: "npx", args: ["far"] } } });
  const slash = { "io.github.acme/weather": { command: "npx", args: ["weather"] } };
  put(".cursor/mcp.json", { mcpServers: { ...slash, ...FILES.mcpServers } });
  put(".claude.json", FILES);
  const run = (...args: readonly string[]) => outcomeOf(args, { cwd, env });
  for (const given of [
    ["--client", "codex"],
    ["--file", other],
    ["--client", "cursor"],
  ]) {
    expect((await run("install", ...given)).code).toBe(0);
  }
  expect(names(user)).toEqual(["notes", "far", "files"]);
  const { code, out, err } = await run("init", "--user", "--yes");
  // Claude Code starts "files" itself, so its entry has the command.
  expect([code, out, err]).toEqual([
    0,
    expect.stringContaining("1 server, 2 wrapped servers, mode warn"),
    expect.any(String),
  ]);
  expect([...names(user)].sort()).toEqual(["far", "files", "notes"]);
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`N${at}_SECRET`, `value-${at}`]));

it.each([
  ["a name that is too long", { ["n".repeat(125)]: { command: "a", env: { KEY: "new" } } }],
  ["a secret that is too long", { a: { command: "a", env: { KEY: "x".repeat(70_000) } } }],
  ["more secrets than a file may name", { a: { command: "a", env: many(101) } }],
])("init --user leaves no file behind if it refuses %s", async (_, servers) => {
  const { put, cwd, env, user } = home();
  put(".cursor/mcp.json", { mcpServers: servers });
  // A second server with this name gets its client's name added.
  put(".claude.json", {
    mcpServers: { ...Object.fromEntries(Object.keys(servers).map((n) => [n, { command: "b" }])) },
  });
  const secrets = join(dirname(user), "secrets");
  mkdirSync(secrets, { recursive: true });
  writeFileSync(join(secrets, "OTHER"), "old");
  const { code, out } = await outcomeOf(["init", "--user", "--yes"], { cwd, env });
  expect([code, out]).toEqual([expect.toSatisfy((status) => status !== 0), ""]);
  expect([readdirSync(dirname(user)), readdirSync(secrets)]).toEqual([["secrets"], ["OTHER"]]);
});

it("enters and removes what --client all could change if a file is broken, and exits with 3", async () => {
  const { put, cwd, env, user } = home();
  put(".cursor/mcp.json", FILES);
  put(".claude.json", { mcpServers: { other: { command: "npx", args: ["other"] } } });
  const broken = put(".junie/mcp/mcp.json", {});
  writeFileSync(broken, "{");
  const run = (...args: readonly string[]) => outcomeOf(args, { cwd, env });
  const installed = await run("install", "--client", "all");
  expect([installed.code, installed.err]).toEqual([3, expect.stringContaining(broken)]);
  expect(installed.out).toContain("has an entry for 2 more servers");
  expect(names(user)).toEqual(["other", "files"]);
  const unknown = await run("install", "none", "--client", "all");
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining(broken)]);
  const restored = await run("uninstall", "--client", "all");
  expect([restored.code, restored.err]).toEqual([3, expect.stringContaining(broken)]);
  expect(existsSync(user)).toBe(false);
});

it("goes on after a file that it cannot write", async () => {
  const { put, cwd, env, user } = home();
  // The name of its backup would be too long.
  const long = put("n".repeat(250), FILES);
  const desktop = put("config/Claude/claude_desktop_config.json", {});
  rmSync(desktop);
  symlinkSync(long, desktop);
  put(".claude.json", { mcpServers: { other: { command: "npx", args: ["other"] } } });
  const { code, out, err } = await outcomeOf(["install", "--client", "claude"], { cwd, env });
  expect([code, err]).toEqual([3, expect.stringContaining("cannot be written")]);
  expect(out).toContain("other: wrapped");
  expect(names(user)).toEqual(["other"]);
});
