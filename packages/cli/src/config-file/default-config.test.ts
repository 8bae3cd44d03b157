import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  FAULTY_SERVER,
  outcomeOf,
  TOUCHSTONE,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";
import { userConfigFile } from "./default-config.ts";

describe("the user's file", () => {
  it.each([
    ["linux", {}, "/home/ada/.config/touchstone/touchstone.json"],
    ["linux", { XDG_CONFIG_HOME: "/etc/ada" }, "/etc/ada/touchstone/touchstone.json"],
    ["linux", { XDG_CONFIG_HOME: "rel" }, "/home/ada/.config/touchstone/touchstone.json"],
    ["darwin", {}, "/home/ada/Library/Application Support/Touchstone/touchstone.json"],
    ["win32", { APPDATA: "C:\\Ada" }, "C:\\Ada\\Touchstone\\touchstone.json"],
  ] as const)("on %s with %j is %s", (platform, env, path) => {
    expect(userConfigFile({ platform, home: "/home/ada", env })).toBe(path);
  });
});

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };
const serversOf = (...names: string[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, FAULTY])) });

/** A home directory and a working directory. */
function place() {
  const [home, cwd] = [tempDir(), tempDir()];
  const folder = join(home, "config", "touchstone");
  mkdirSync(folder, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const [user, project] = [join(folder, "touchstone.json"), join(cwd, "touchstone.json")];
  const run = (...args: string[]) => {
    const started = touchstone(args, { env, cwd });
    started.child.stdin.end();
    return started;
  };
  const outcome = (...args: string[]) => outcomeOf(args, { env, cwd });
  return { home, cwd, env, user, project, run, outcome };
}

describe("the default configuration", () => {
  it("is ./touchstone.json, else the user's file, and the command reports which", async () => {
    const { user, project, outcome } = place();
    const check = async () => Object.values(await outcome("config", "check"));
    const [status, , missing] = await check();
    expect([status, missing]).toEqual([2, expect.stringContaining(`no ${project} or ${user}`)]);
    writeFileSync(user, serversOf("a", "b"));
    expect(await check()).toEqual([
      0,
      `${user}: valid (2 servers, no server was started)\n`,
      `touchstone: configuration ${user}\n`,
    ]);
    writeFileSync(project, serversOf("a"));
    expect(await check()).toEqual([
      0,
      `${project}: valid (1 server, no server was started)\n`,
      `touchstone: configuration ${project}\n`,
    ]);
  });

  it("is refused if other users can write it, own it, or own the link to it", async () => {
    const { user, project, cwd, outcome } = place();
    writeFileSync(user, serversOf("a", "b"));
    const ignored = async (why: string) => {
      const { code, out, err } = await outcome("config", "check");
      expect([why, code]).toEqual([why, 0]);
      expect(out).toContain("2 servers");
      expect(err).toContain(`touchstone: warning: ${project} is ignored: ${why}`);
    };
    writeFileSync(project, serversOf("a"));
    for (const mode of [0o664, 0o646]) {
      chmodSync(project, mode);
      await ignored("other users can write it");
    }
    chmodSync(project, 0o600);
    if (process.getuid?.() !== 0) return;
    chownSync(project, 1234, 1234);
    await ignored("another user owns it");
    const { rmSync, lchownSync } = await import("node:fs");
    rmSync(project);
    writeFileSync(join(cwd, "own.json"), serversOf("a"));
    symlinkSync("own.json", project);
    lchownSync(project, 1234, 1234);
    await ignored("another user owns it");
  });

  it.each([
    ["doctor", []],
    ["check", ["a"]],
    ["lint", ["a", "--for", "openai"]],
    ["call", ["a", "get_weather", '{"city":"Oslo"}']],
  ] as const)(
    "is not used by %s without a terminal, unless --config names it",
    async (command, words) => {
      const { project, outcome } = place();
      writeFileSync(project, serversOf("a"));
      const refused = await outcome(command, ...words);
      expect([refused.code, refused.out]).toEqual([2, ""]);
      expect(refused.err).toContain("would start 1 command; if you trust it, run this with");
      const named = await outcome(command, ...words, "--config", project);
      expect(named.code).not.toBe(2);
      expect(named.err).not.toContain("would start");
    },
  );

  it("is used by serve, also if it is created later", async () => {
    const { user } = place();
    const empty = place();
    const serving = empty.run("serve", "--listen", "127.0.0.1:0");
    await serving.seen("stderr", /ready listen/);
    expect(serving.stderr()).toContain(`"mcpServers" in ${empty.project} or ${empty.user}`);
    writeFileSync(empty.user, serversOf("later"));
    await serving.seen("stderr", /later: http:/);
    serving.child.kill("SIGTERM");
    expect(await serving.ended).toBe(0);
    expect(user).not.toBe(empty.user);
  });
});

it("ignores the alerts of a file found in the working directory", long, async () => {
  const { project, user, run } = place();
  const alerts = [{ when: "blocked", command: ["touch", "alerted"] }];
  const serve = async () => {
    const serving = run("serve", "--listen", "127.0.0.1:0");
    await serving.seen("stderr", /ready listen/);
    serving.child.kill("SIGTERM");
    expect(await serving.ended).toBe(0);
    return serving.stderr();
  };
  writeFileSync(user, JSON.stringify({ alerts }));
  expect(await serve()).not.toContain("alerts are ignored");
  writeFileSync(project, JSON.stringify({ alerts }));
  expect(await serve()).toContain("alerts are ignored: they are read only from your own file");
});

/** Calls a tool with invalid arguments through `touchstone wrap`. */
async function wrapped(cwd: string, env: Record<string, string>, ...options: string[]) {
  const lines: string[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [TOUCHSTONE, "wrap", "--data-dir", tempDir(), ...options, "--", ...commandOf()],
    env: { PATH: process.env["PATH"] ?? "", ...env },
    cwd,
    stderr: "pipe",
  });
  transport.stderr?.on("data", (text: Buffer) => lines.push(text.toString()));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    lines,
    isBlocked: async () => {
      const { isError } = await client.callTool({ name: "get_weather", arguments: { city: 5 } });
      return isError === true;
    },
  };
}
const commandOf = (): readonly string[] => [process.execPath, FAULTY_SERVER];

describe("wrap", () => {
  const settings = (mode: string): string =>
    JSON.stringify({
      mcpServers: { mine: { touchstone: { input_validation: { mode } } } },
    });

  it(
    "reads its server's entry in the user's file, and follows changes while it runs",
    long,
    async () => {
      const { user, cwd, env } = place();
      writeFileSync(user, settings("strict"));
      const mine = await wrapped(cwd, env, "--name", "mine");
      const other = await wrapped(cwd, env, "--name", "other");
      expect([await mine.isBlocked(), await other.isBlocked()]).toEqual([true, false]);
      writeFileSync(user, settings("warn"));
      await vi.waitFor(async () => expect(await mine.isBlocked()).toBe(false), { timeout: 10_000 });
      expect(mine.lines.join("")).toContain(`the configuration is ${user}`);
    },
  );

  it(
    "picks up a user's file created later, and keeps the settings if the file becomes unusable",
    long,
    async () => {
      const { user, cwd, env } = place();
      const mine = await wrapped(cwd, env, "--name", "mine");
      expect(await mine.isBlocked()).toBe(false);
      writeFileSync(user, settings("strict"));
      await vi.waitFor(async () => expect(await mine.isBlocked()).toBe(true), { timeout: 10_000 });
      chmodSync(user, 0o666);
      writeFileSync(user, settings("off"));
      await vi.waitFor(() => expect(mine.lines.join("")).toContain("other users can write it"), {
        timeout: 10_000,
      });
      expect(await mine.isBlocked()).toBe(true);
    },
  );

  it("never reads a file in its working directory", async () => {
    const { project, cwd, env } = place();
    writeFileSync(project, settings("strict"));
    const mine = await wrapped(cwd, env, "--name", "mine");
    expect(await mine.isBlocked()).toBe(false);
    expect(mine.lines.join("")).not.toContain(project);
  });
});

it("activity reads the user's file, and never one in the working directory", async () => {
  const { user, project, outcome } = place();
  writeFileSync(project, "{ not json");
  expect((await outcome("activity", "rollout")).code).toBe(0);
  writeFileSync(user, "{ not json");
  const broken = await outcome("activity", "rollout");
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining(user)]);
});
