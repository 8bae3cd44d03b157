import { describe, expect, it } from "vitest";
import { defaultServerName } from "./wrap.ts";

describe("defaultServerName", () => {
  const table: [string, string][] = [
    ["npx -y @modelcontextprotocol/server-everything", "server-everything"],
    ["npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /data", "server-filesystem"],
    ["/usr/bin/node ./servers/weather.mjs --port 1", "weather"],
    ["uv run server.py", "server"],
    ["node examples/faulty-server/server.mjs", "faulty-server"],
    ["node ./weather/dist/index.js", "weather"],
    ["uvx mcp-server-git", "mcp-server-git"],
    ["C:/tools/npx.cmd -y context7", "context7"],
    ["my-server --verbose data", "my-server"],
    ["node", "node"],
  ];
  it.each(table)("%s: %s", (line, name) => {
    const [command = "", ...args] = line.split(" ");
    expect(defaultServerName(command, args)).toBe(name);
  });
});
