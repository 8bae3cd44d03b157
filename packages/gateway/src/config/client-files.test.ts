// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { describe, expect, it } from "vitest";
import { parseServers } from "./client-servers.ts";
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

  it("loads Cursor's file, with its variable syntax and our settings", () => {
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
      /workspaceFolder.*only an editor knows it/,
    ],
    [
      '{"servers":{"a":{"type":"Stdio","command":"c"}}}',
      1,
      25,
      "INVALID_VALUE",
      /got "Stdio" — did you mean "stdio"/,
    ],
    ['{"mcp":{}}', 1, 1, "MISSING_KEY", /neither "mcpServers" nor "servers".*"mcp"/],
    ['{"servers":[]}', 1, 12, "WRONG_TYPE", /must be an object; got an array/],
    [
      '{"servers":{"a":{"command":"c","touchstone":{"mode":"off"}}}}',
      1,
      46,
      "UNKNOWN_KEY",
      /move it into "input_validation", "output_validation", "protocol_validation" or "policy/,
    ],
  ])("refuses %s", (text, line, column, code, words) => {
    const { faults } = refusal(() => parseServers(text, "mcp.json", { env: {} }));
    expect(faults).toEqual([
      expect.objectContaining({ line, column, code, message: expect.stringMatching(words) }),
    ]);
  });
});

it("reports that servers is ignored if a client's file has mcpServers too", () => {
  const text = '{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"y"}}}';
  const { servers, ignoredKeys } = parseServers(text, "mcp.json");
  expect([[...servers].length, ignoredKeys]).toEqual([1, ["servers"]]);
});

it.each([
  ['{"mcp":{"inputs":[],"servers":{"a":{"command":"x","dev":1}}}}', ["mcp.servers.a.dev"]],
  ['{"mcp.servers":{"a":{"command":"x"}},"editor.fontSize":12}', []],
  ['{"mcp":{"servers":{"a":{"command":"x"}}},"mcp.servers":{"b":{}}}', ["mcp.servers"]],
  ['{"mcp":{"servers":{"a":{"command":"x"},"x":{"command":"${NOPE}"}}}}', []],
])("reads the servers in VS Code's settings: %s", (text, ignored) => {
  const { servers, ignoredKeys } = parseServers(text, "settings.json", { env: {} });
  expect([servers.map(({ name }) => name), ignoredKeys]).toEqual([["a"], ignored]);
});

it("reads the URL keys of Windsurf and Gemini CLI", () => {
  const text =
    '{"mcpServers":{"w":{"serverUrl":"https://w","headers":{"A":"b"}},"g":{"httpUrl":"https://g"}}}';
  expect(parseServers(text, "mcp.json", { env: {} })).toMatchObject({
    servers: [
      { upstream: { type: "http", url: "https://w", headers: { A: "b" } } },
      { upstream: { type: "http", url: "https://g" } },
    ],
    ignoredKeys: [],
  });
});

it("hides values of VS Code's settings in errors", () => {
  const text =
    '{"mcp":{"servers":{"a":{"command":"x"},"b":{"command":"x","env":{"K":["hunter2"]}, "args":"hunter2"}}}}';
  const { leftOut } = parseServers(text, "settings.json", { env: {} });
  expect(leftOut).toHaveLength(1);
  expect(JSON.stringify(leftOut)).not.toContain("hunter2");
});

describe("an unsupported entry of a client's file", () => {
  const parse = (text: string) => parseServers(text, "mcp.json", { env: {} });
  const good = '"good":{"command":"c"}';

  it.each([
    ['"x":{"type":"sse","url":"https://x/sse"}', "UNSUPPORTED_TRANSPORT", "/mcpServers/x/type"],
    ['"x":{"endpoint":"https://x"}', "MISSING_KEY", "/mcpServers/x"],
    ['"x":{"command":"${NOPE}"}', "UNSET_VARIABLE", "/mcpServers/x/command"],
    ['"x":{"command":"c","env":{"K":"${input:k}"}}', "INVALID_VARIABLE", "/mcpServers/x/env/K"],
    ['"x":{"type":"ws","url":"wss://x"}', "INVALID_VALUE", "/mcpServers/x/type"],
    ['"x":{"command":"c","env":{"PORT":1}}', "WRONG_TYPE", "/mcpServers/x/env/PORT"],
    ['"x":[]', "WRONG_TYPE", "/mcpServers/x"],
    ['"x":{"command":"c"},"x":{"command":"d"}', "DUPLICATE_KEY", "/mcpServers/x"],
    ['"x":{"command":"c","disabled":"no"}', "WRONG_TYPE", "/mcpServers/x/disabled"],
  ])("is left out: %s", (entry, code, path) => {
    const { servers, leftOut } = parse(`{"mcpServers":{\n${entry},\n${good}}}`);
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    const fault = { code, path, file: "mcp.json", line: 2 };
    expect(leftOut).toEqual([{ name: "x", faults: [expect.objectContaining(fault)] }]);
  });

  it("is left out if its name does not fit into a URL", () => {
    const { servers, leftOut } = parse(`{"servers":{"a/b":{"command":"c"},${good}}}`);
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(leftOut).toMatchObject([{ name: "a/b", faults: [{ code: "INVALID_NAME" }] }]);
  });

  it("is an error if no enabled entry is left", () => {
    const off = '"off":{"command":"c","disabled":true}';
    const { faults } = refusal(() => parse(`{"mcpServers":{"x":{},"y":{"type":"sse"},${off}}}`));
    expect(faults.map(({ path }) => path)).toEqual(["/mcpServers/x", "/mcpServers/y/type"]);
    expect(parse(`{"mcpServers":{${off}}}`)).toMatchObject({ servers: [{}], leftOut: [] });
  });

  it("reports at most 100 faults at once", () => {
    const many = Array.from({ length: 150 }, (_, at) => `"s${at}":{}`).join();
    const { faults, omitted } = refusal(() => parse(`{"mcpServers":{${many}}}`));
    expect([faults.length, omitted]).toEqual([100, 50]);
  });

  it("does not excuse faults in our own keys or in the list", () => {
    const own = '"x":{"command":"c","touchstone":{"input_validation":{"mode":"Strict"}}}';
    for (const [text, path] of [
      [`{"mcpServers":{${own},"y":{},${good}}}`, "/mcpServers/x/touchstone/input_validation/mode"],
      [`{"mcpServers":{${good}},"mcpServers":{}}`, "/mcpServers"],
    ] as const) {
      expect(refusal(() => parse(text)).faults.map((fault) => fault.path)).toEqual([path]);
    }
  });
});

it("redacts secrets in a schema of narrow", () => {
  const narrow = {
    enum: [`\${env:API_TOKEN}`, `\${API_KEY}`, `\${env:HOME}`, `$\${env:API_TOKEN}`],
  };
  const touchstone = { tools: { t: { narrow } } };
  const text = JSON.stringify({ mcpServers: { s: { command: "c", touchstone } } });
  const env = { API_TOKEN: "token-1", API_KEY: "key-1", HOME: "/home/me" };
  const [server] = parseServers(text, "mcp.json", { env }).servers;
  expect(server?.tools.get("t")?.policy?.narrow).toEqual({
    schema: { enum: ["token-1", "key-1", "/home/me", `\${env:API_TOKEN}`] },
    written: { enum: [`\${API_TOKEN}`, `\${API_KEY}`, `\${HOME}`, `$\${env:API_TOKEN}`] },
    secrets: ["token-1", "key-1"],
  });
});
