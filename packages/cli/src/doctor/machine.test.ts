import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { EVERYTHING_SERVER, outcomeOf, TOUCHSTONE, tempDir } from "../testing/touchstone.ts";

function home(files: Readonly<Record<string, string>> = {}) {
  const HOME = tempDir();
  for (const [name, text] of Object.entries(files)) {
    const path = join(HOME, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const env = { HOME, XDG_CONFIG_HOME: join(HOME, ".config"), APPDATA: "", CODEX_HOME: "" };
  return { HOME, cwd: tempDir(), env: { ...env, CLAUDE_CONFIG_DIR: "" } };
}

const wrapped = (...options: readonly string[]) => ({
  command: process.execPath,
  args: [TOUCHSTONE, "wrap", ...options, "--", process.execPath, EVERYTHING_SERVER, "stdio"],
});

it("reports what is on the machine if there is no configuration, and starts nothing", async () => {
  const mcpServers = {
    strict: wrapped("--name", "strict", "--mode", "strict"),
    plain: { command: "touch", args: ["/no/such/place/x"] },
    off: { ...wrapped("--mode", "off"), disabled: true },
  };
  const { HOME, cwd, env } = home({
    ".cursor/mcp.json": JSON.stringify({ mcpServers }),
    ".codex/config.toml": '[mcp_servers.c]\ncommand = "npx"\n',
  });
  const cursor = join(HOME, ".cursor/mcp.json");
  const dataDir = join(HOME, "records", "here");
  const { code, out, err } = await outcomeOf(["doctor"], { cwd, env, dataDir });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^touchstone \S+, Node\.js \d+\.\S+, \w+ \w+\n/);
  expect(out).toContain(`records in ${dataDir}: none yet; the directory can be created\n`);
  expect(out).toContain(
    `Cursor: ${cursor}: 3 servers, 2 wrapped\n  strict: wrapped, mode strict\n  plain: not wrapped\n  off: wrapped, mode off, disabled in the client\n`,
  );
  expect(out).toContain("1 server, 0 wrapped\n  c: not wrapped\n");
  expect(out).toContain("No server was started.");
  mkdirSync(dataDir, { recursive: true });
  const json = await outcomeOf(["doctor", "-o", "json"], { cwd, env, dataDir });
  expect(JSON.parse(json.out).machine).toMatchObject({
    records: { dataDir, exists: true },
    clients: [{ program: "Codex" }, { program: "Cursor", file: cursor }],
  });
});

it("reports what is wrong with the machine", async () => {
  const { HOME, cwd, env } = home({
    ".cursor/mcp.json": JSON.stringify({
      mcpServers: {
        moved: { command: "/no/such/node", args: ["/no/touchstone.js", "wrap", "--", "x"] },
        wrong: { ...wrapped("--mode", "strct") },
      },
    }),
    ".codeium/windsurf/mcp_config.json": "{",
    records: "a file",
  });
  const { code, out, err } = await outcomeOf(["doctor"], {
    cwd,
    env,
    dataDir: join(HOME, "records"),
  });
  expect(code).toBe(1);
  expect(err).toContain("with findings: records cannot be written, Windsurf's file, moved, wrong");
  expect(out).toMatch(/^! records in .* cannot be written: /m);
  expect(out).toMatch(
    /^! moved: wrapped, mode warn: it starts \/no\/such\/node, which does not exist/m,
  );
  expect(out).toMatch(/^! wrong: wrapped: touchstone wrap cannot start: .*'strct' is invalid/m);
  expect(out).toMatch(/^! Windsurf: \S+mcp_config.json cannot be read: it is not JSON/m);
});

it("reports the machine for a user's file that has only settings of wrapped servers", async () => {
  const { HOME, cwd, env } = home({
    ".config/touchstone/touchstone.json": '{"mcpServers":{"e":{"touchstone":{}}}}',
  });
  const { code, out } = await outcomeOf(["doctor"], { cwd, env, dataDir: HOME });
  expect([code, out]).toEqual([0, expect.stringContaining(`records in ${HOME}: can be written\n`)]);
  expect(out).toContain("e: settings for touchstone wrap, not examined\n");
  expect(out).toMatch(/\nNo server was started\. Next:\n.* demo /);
});

it("reports the tools whose modes differ from those of a wrapped server, and what comes next", async () => {
  const strict = { mode: "strict" };
  const tools = {
    echo: { input_validation: strict },
    other: { input_validation: strict, output_validation: strict, protocol_validation: strict },
    same: { input_validation: { mode: "warn" } },
  };
  const { HOME, cwd, env } = home({
    ".cursor/mcp.json": JSON.stringify({ mcpServers: { e: wrapped("--name", "e") } }),
    ".config/touchstone/touchstone.json": JSON.stringify({
      mcpServers: { e: { touchstone: { tools } } },
    }),
  });
  const { code, out } = await outcomeOf(["doctor"], { cwd, env, dataDir: HOME });
  expect(code).toBe(0);
  expect(out).toContain(
    "  e: wrapped, mode warn; tool echo: arguments strict, results warn, protocol warn; tool other: mode strict\n",
  );
  expect(out).toContain(`doctor --servers ${join(HOME, ".cursor/mcp.json")}`);
  const named = await outcomeOf(["doctor", "e"], { cwd, env, dataDir: HOME });
  expect([named.code, named.err]).toEqual([2, expect.stringContaining("starts it with --servers")]);
});

it("needs a configuration for a named server", async () => {
  const { cwd, env } = home();
  const { code, err } = await outcomeOf(["doctor", "files"], { cwd, env });
  expect([code, err]).toEqual([2, expect.stringContaining("doctor needs a configuration")]);
});

it("examines a wrapped entry without its wrap, with the options of that wrap", async () => {
  const { HOME, cwd, env } = home();
  const file = join(HOME, "mcp.json");
  const mcpServers = {
    a: wrapped("--mode", "strict", "--output-mode", "off"),
    b: wrapped("--mode", "strct"),
  };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const dataDir = join(HOME, "records");
  const { code, out } = await outcomeOf(["doctor", "--servers", file], { cwd, env, dataDir });
  expect(code).toBe(1);
  expect(out).toMatch(/^a: stdio \S+ \S+server-everything\S+ stdio\n {2}answers: /m);
  expect(out).toContain(
    "checks: input strict, output off, protocol strict (by touchstone wrap in its entry)",
  );
  expect(out).toMatch(/^b: .*\n {2}cannot be reached: touchstone wrap cannot start: .*strct/m);
});
