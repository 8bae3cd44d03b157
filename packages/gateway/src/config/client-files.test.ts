// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { describe, expect, it } from "vitest";
import { parseServers } from "./load.ts";
import { refusal } from "./testing/refusals.ts";

describe("parseServers", () => {
  it("loads Claude Desktop's file", () => {
    const { servers, ignoredKeys } = parseServers(
      `{ "globalShortcut": "Ctrl+Space", "scale": 1, "scale": 2, "mcpServers": {
          "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/u"] },
          "github": { "command": "docker", "args": ["run"], "env": { "TOKEN": "t" }, "alwaysAllow": [] } } }`,
      "claude_desktop_config.json",
      { env: {} },
    );
    expect(servers.map(({ name, upstream }) => [name, upstream.type])).toEqual([
      ["filesystem", "stdio"],
      ["github", "stdio"],
    ]);
    expect(ignoredKeys).toEqual(["mcpServers.github.alwaysAllow"]);
  });

  it("loads Cursor's file, with its form of variables and our settings", () => {
    const { servers } = parseServers(
      `{ "mcpServers": { "api": { "url": "https://api.example/mcp",
          "headers": { "Authorization": "Bearer \${env:TOKEN}" },
          "touchstone": { "output_validation": { "mode": "strict" } } } } }`,
      "mcp.json",
      { env: { TOKEN: "t" }, overrides: { inputMode: "off" } },
    );
    expect(servers).toMatchObject([
      {
        upstream: { type: "http", headers: { Authorization: "Bearer t" } },
        settings: { input: { mode: "off" }, output: { mode: "strict" } },
      },
    ]);
  });

  it("loads VS Code's file", () => {
    const { servers, ignoredKeys } = parseServers(
      `{ // workspace
        "inputs": [{ "type": "promptString", "id": "key", "description": "\${x" }],
        "servers": {
          "play": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp"], "envFile": "\${workspaceFolder}/.env" },
          "gh": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" },
        },
      }`,
      "mcp.json",
      { env: {} },
    );
    expect(servers.map(({ name }) => name)).toEqual(["play", "gh"]);
    expect(ignoredKeys).toEqual(["servers.play.envFile"]);
  });

  it.each([
    [
      '{"servers":{"a":{"command":"c","env":{"K":"${input:key}"}}}}',
      1,
      43,
      "INVALID_VARIABLE",
      /input "key".*environment/,
    ],
    [
      '{"servers":{"a":{"command":"${workspaceFolder}/x"}}}',
      1,
      28,
      "UNSET_VARIABLE",
      /workspaceFolder/,
    ],
    [
      '{"servers":{"a":{"type":"Stdio","command":"c"}}}',
      1,
      25,
      "INVALID_VALUE",
      /got "Stdio" — did you mean "stdio"/,
    ],
    ['{"mcp":{}}', 1, 1, "MISSING_KEY", /neither "mcpServers" nor "servers"/],
    ['{"servers":[]}', 1, 12, "WRONG_TYPE", /must be an object; got an array/],
    [
      '{"servers":{"a":{"command":"c","touchstone":{"mode":"off"}}}}',
      1,
      46,
      "UNKNOWN_KEY",
      /keys here are input_validation, output_/,
    ],
  ])("refuses %s", (text, line, column, code, words) => {
    const { faults } = refusal(() => parseServers(text, "mcp.json", { env: {} }));
    expect(faults).toEqual([
      expect.objectContaining({ line, column, code, message: expect.stringMatching(words) }),
    ]);
  });
});

it("tells of the servers that are not read where both names of the list stand in a client's file", () => {
  const text = '{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}';
  const { servers, ignoredKeys } = parseServers(text, "mcp.json");
  expect([[...servers].length, ignoredKeys]).toEqual([1, ["servers"]]);
});
