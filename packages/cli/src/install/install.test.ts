import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  EVERYTHING_SERVER,
  outcomeOf,
  TOUCHSTONE,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";
import { clientFiles } from "./clients.ts";

const FILE = `{
  // my servers
  "mcpServers": {
    "every": { "command": "node", "args": ["${EVERYTHING_SERVER}", "stdio"] },
    "web": {
      "type": "http",
      "url": "https://x.example/mcp",
      "headers": { "Authorization": "Bearer hunter2" }
    },
    "open": { "url": "https://open.example/mcp" },
    "off": { "command": "x", "disabled": true },
    "old": { "type": "sse", "url": "https://old.example/sse", "headers": {} },
    "secret": { "url": "https://s.example/mcp?key=hunter2", "headers": { "A": "b" } },
    "surf": { "serverUrl": "https://w.example/mcp" },
    "gemini": { "httpUrl": "https://g.example/mcp" },
    "short": { "cmd": "x" },
    "twice": { "url": "https://t.example/mcp", "headers": { "X-A": "1", "x-a": "2" } },
  },
}
`;

function file(text = FILE): string {
  const path = join(tempDir(), "mcp.json");
  writeFileSync(path, text, { mode: 0o640 });
  return path;
}
/** Runs a command with a separate home directory, which contains the user's file. */
const outcome = (args: readonly string[], env: Record<string, string> = {}) =>
  outcomeOf(args, { env: { HOME: tempDir(), XDG_CONFIG_HOME: "", ...env } });
/** Returns the entry of a server in the file, as an editor would read it. */
function entry(
  path: string,
  name: string,
): { command: string; args: string[]; env?: Record<string, string> } {
  const text = readFileSync(path, "utf8")
    .replace(/^ *\/\/.*$/m, "")
    .replace(/,(\s*\})/g, "$1");
  return JSON.parse(text).mcpServers[name];
}

it.each(["install", "uninstall"])(
  "%s refuses pipes and devices without waiting on them",
  async (command) => {
    const pipe = join(tempDir(), "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/full"]) {
      const { code, err } = await outcome([command, "--file", path]);
      expect([code, err]).toEqual([
        3,
        `touchstone: ${path} cannot be read: it is not a file; name a file\n`,
      ]);
    }
  },
);

it("leaves no partial backup if the disk is full", () => {
  const path = file();
  // The limit on a file's size is enforced by the kernel: a write beyond it fails as on a full disk.
  const script = 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"';
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-c", script, process.execPath, TOUCHSTONE, "install", "--file", path],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([3, expect.stringMatching(/mcp\.json cannot be written: /)]);
  expect(stdout).toBe("");
  expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
  expect(readFileSync(path, "utf8")).toBe(FILE);
});

it("hides a password in a Windows-style argument", async () => {
  const path = file(
    '{"mcpServers":{"a":{"command":"mysql","args":["-phunter2","-u","me:hunter2"]}}}',
  );
  const { out } = await outcome(["install", "--file", path, "--dry-run"]);
  expect(out).toContain('"mysql","args":["-p(set, not shown)","-u","me:(set, not shown)"]');
  expect(out).not.toContain("hunter2");
});

describe("touchstone install", () => {
  it("wraps what it can, says why it leaves the rest, and keeps a backup", async () => {
    const path = file();
    const { code, out } = await outcome(["install", "--file", path, "--command", "touchstone"]);
    expect([code, out]).toEqual([0, expect.stringContaining("every: wrapped")]);
    expect(out).toMatch(/web: wrapped/);
    expect(out).toMatch(/open: unchanged \(has no headers.*OAuth/);
    expect(out).toMatch(/off: unchanged \(disabled/);
    expect(out).toMatch(/old: unchanged \(speaks "sse"/);
    expect(out).toMatch(/secret: unchanged \(its url contains more/);
    expect(out).toMatch(/surf: unchanged \(reached by serverUrl/);
    expect(out).toMatch(/gemini: unchanged \(has no headers/);
    expect(out).toMatch(
      /short: unchanged \(has no command and no url; "cmd".* did you mean "command"/,
    );
    expect(out).toMatch(/twice: unchanged \(a header occurs twice\)/);
    expect(out).not.toContain("hunter2");
    const [backup = ""] = readdirSync(dirname(path)).filter((name) => name.endsWith(".bak"));
    expect(readFileSync(join(dirname(path), backup), "utf8")).toBe(FILE);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(entry(path, "web")).toMatchObject({
      args: [
        "wrap",
        "--name",
        "web",
        "--url",
        "https://x.example/mcp",
        "--header-env",
        "Authorization=TOUCHSTONE_HEADER_1",
      ],
      env: { TOUCHSTONE_HEADER_1: "Bearer hunter2" },
    });
    const again = await outcome(["install", "--file", path]);
    expect(again.out).toMatch(/every: unchanged \(wrapped, mode warn\)[\s\S]*nothing to change/);
    const back = await outcome(["uninstall", "--file", path]);
    expect(back.code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(FILE);
  });

  it("writes entries that start working servers", long, async () => {
    const path = file();
    await outcome(["install", "--file", path, "every"]);
    const { command, args } = entry(path, "every");
    const [program, ...words] = args;
    expect([command, program]).toEqual([process.execPath, TOUCHSTONE]);
    const run = touchstone(words);
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    run.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`,
    );
    await run.seen("stdout", /"serverInfo"/);
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
  });

  it("shows what would change, without secrets, and changes nothing", async () => {
    const path = file();
    const { out } = await outcome(["install", "--file", path, "--dry-run", "--mode", "strict"]);
    expect(out).toContain("  every: would be wrapped\n");
    expect(out).not.toMatch(/: wrapped/);
    expect(out).toMatch(/^-.*"every": .*"node"/m);
    expect(out).toMatch(/^\+.*"wrap", "--name", "every", "--mode", "strict", "--", "node"/m);
    expect(out).toContain("TOUCHSTONE_HEADER_1");
    expect(out).not.toContain("hunter2");
    expect(readFileSync(path, "utf8")).toBe(FILE);
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
  });

  it("says what uninstall would do in a dry run", async () => {
    const path = file();
    await outcome(["install", "--file", path, "every"]);
    const { out } = await outcome(["uninstall", "--file", path, "--dry-run", "every"]);
    expect(out).toContain("  every: would be restored\n");
    expect(entry(path, "every").args).toContain("wrap");
  });

  it("prints tabs unescaped in a diff", async () => {
    const path = join(tempDir(), "mcp.json");
    writeFileSync(path, '{\n\t"mcpServers": {\n\t\t"a": { "command": "node\u202e" }\n\t}\n}\n');
    const { out } = await outcome(["install", "--file", path, "--dry-run"]);
    expect(out).toMatch(/^-\t\t"a": \{ "command": "node\\u\{202e\}" \}$/m);
  });

  it("leaves a server whose name wrap refuses, and wraps one with a registry name", async () => {
    const names = ["", " ", "a\0b", "io.github.acme/weather"];
    const servers = Object.fromEntries(names.map((name) => [name, { command: "node" }]));
    const path = file(JSON.stringify({ mcpServers: servers }));
    const { code, out } = await outcome(["install", "--file", path]);
    expect(code).toBe(0);
    expect(out.match(/unchanged \(wrap does not accept this name; rename it\)/g)).toHaveLength(3);
    expect(entry(path, " ")).toEqual({ command: "node" });
    expect(entry(path, "io.github.acme/weather").args).toContain("io.github.acme/weather");
  });

  it("wraps only the named servers, even disabled ones", async () => {
    const path = file();
    const { out } = await outcome(["install", "--file", path, "off", "open"]);
    expect(out.match(/: wrapped/g)).toHaveLength(2);
    expect(entry(path, "every").command).toBe("node");
  });

  it("finds the file of a client through a symbolic link", async () => {
    const home = tempDir();
    const real = join(home, "dotfiles.json");
    writeFileSync(real, FILE);
    mkdirSync(join(home, ".cursor"));
    symlinkSync(real, join(home, ".cursor", "mcp.json"));
    const { code } = await outcome(["install", "--client", "cursor"], { HOME: home });
    expect(code).toBe(0);
    expect(lstatSync(join(home, ".cursor", "mcp.json")).isSymbolicLink()).toBe(true);
    expect(entry(real, "every").args).toContain("wrap");
  });

  it.each([
    ["no client", () => ["install"], 2, /--client/],
    [
      "no such server",
      () => ["install", "--file", file(), "x"],
      2,
      /no server is named "x" there; there are: every/,
    ],
    [
      "no file",
      () => ["install", "--file", "/no/such"],
      3,
      /cannot be read: there is no such file/,
    ],
    [
      "a file of something else",
      () => ["install", "--file", file('{"name":"x"}')],
      3,
      /it is not a file of an MCP client: that has an object "mcpServers", or "servers"/,
    ],
    [
      "servers that are a list",
      () => ["uninstall", "--file", file('{"mcpServers":[]}')],
      3,
      /it is not a file of an MCP client/,
    ],
    ["no JSON", () => ["install", "--file", file("{")], 3, /it is not JSON: .* on line 1/],
    [
      "no client file",
      () => ["install", "--client", "vscode"],
      3,
      /VS Code has no MCP configuration at .*Nothing was changed/,
    ],
    [
      "a file beside a client",
      () => ["install", "--file", file(), "--client", "cursor"],
      2,
      /--file and --client name different files/,
    ],
    [
      "a file beside a project",
      () => ["uninstall", "--file", file(), "--project"],
      2,
      /--file and --project name different files/,
    ],
    [
      "no files of a project",
      () => ["install", "--client", "windsurf", "--project"],
      2,
      /windsurf keeps no file for a project/,
    ],
  ])("%s exits with the documented status", async (_, args, wanted, text) => {
    const { code, err } = await outcome(args(), { HOME: tempDir(), XDG_CONFIG_HOME: "" });
    expect([code, err]).toEqual([wanted, expect.stringMatching(text)]);
  });

  it("reports a header whose variable is not set", async () => {
    const { code, err } = await outcome([
      "wrap",
      "--url",
      "http://127.0.0.1:1",
      "--header-env",
      "A=NO_SUCH_VARIABLE",
    ]);
    expect([code, err]).toEqual([2, expect.stringMatching(/NO_SUCH_VARIABLE is not set/)]);
  });
});

describe("clientFiles", () => {
  const env = { APPDATA: "C:\\Users\\a\\AppData\\Roaming" };
  it.each([
    [
      "claude",
      "darwin",
      "/Users/a",
      [
        "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
        "/Users/a/.claude.json",
      ],
    ],
    [
      "claude",
      "win32",
      "C:\\Users\\a",
      [
        "C:\\Users\\a\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
        "C:\\Users\\a\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
        "C:\\Users\\a\\.claude.json",
      ],
    ],
    [
      "claude",
      "linux",
      "/home/a",
      ["/home/a/.config/Claude/claude_desktop_config.json", "/home/a/.claude.json"],
    ],
    ["cursor", "linux", "/home/a", ["/home/a/.cursor/mcp.json"]],
    ["vscode", "darwin", "/Users/a", ["/Users/a/Library/Application Support/Code/User/mcp.json"]],
    ["vscode", "win32", "C:\\Users\\a", ["C:\\Users\\a\\AppData\\Roaming\\Code\\User\\mcp.json"]],
    ["vscode", "linux", "/home/a", ["/home/a/.config/Code/User/mcp.json"]],
    ["windsurf", "win32", "C:\\Users\\a", ["C:\\Users\\a\\.codeium\\windsurf\\mcp_config.json"]],
    ["windsurf", "linux", "/home/a", ["/home/a/.codeium/windsurf/mcp_config.json"]],
  ] as const)("finds the files of %s on %s", (client, platform, home, paths) => {
    const place = { platform, home, cwd: "/w", env };
    expect(clientFiles(client, place, false).map(({ path }) => path)).toEqual(paths);
  });

  it("follows the environment variables that move the files", () => {
    const paths = (platform: "linux" | "win32", env: Record<string, string>) =>
      clientFiles("claude", { platform, home: "/home/a", cwd: "/w", env }, false).map(
        ({ path }) => path,
      );
    expect(paths("linux", { CLAUDE_CONFIG_DIR: "/home/a/work", XDG_CONFIG_HOME: "/x" })).toEqual([
      "/x/Claude/claude_desktop_config.json",
      "/home/a/work/.claude.json",
    ]);
    expect(paths("win32", { LOCALAPPDATA: "D:\\local" })[1]).toMatch(
      /^D:\\local\\Packages\\Claude_/,
    );
  });

  it.each([
    ["claude", "/w/.mcp.json"],
    ["cursor", "/w/.cursor/mcp.json"],
    ["vscode", "/w/.vscode/mcp.json"],
  ] as const)("finds the project file of %s", (client, path) => {
    const place = { platform: "linux", home: "/home/a", cwd: "/w", env: {} } as const;
    expect(clientFiles(client, place, true)).toMatchObject([{ path }]);
  });
});
