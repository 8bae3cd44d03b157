import { describe, expect, it } from "vitest";
import { defaultServerName } from "./server-name.ts";

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
    ["node --import ./hook.mjs -r dotenv ./weather.mjs", "weather"],
    ["node --env-file=.env --env-file prod.env weather.mjs", "weather"],
    ["node -e require('weather')", "node"],
    ["node --eval=hunter2 hunter2", "node"],
    ["node -p hunter2", "node"],
    ["npx --env TOKEN=hunter2 -y weather", "weather"],
    ["npx -y --package @acme/weather@1.2.0 serve", "weather"],
    ["npx --package=weather -c hunter2", "weather"],
    ["npx https://user:hunter2@host/?k=v", "npx"],
    ["npx KEY=hunter2", "npx"],
    ["python3 -c hunter2", "python3"],
    ["python -X dev -m weather", "weather"],
    ["uvx --with hunter2 --from weather-mcp weather", "weather-mcp"],
    ["uv --directory /srv/app run weather.py", "weather"],
    ["uv run python weather.py", "weather"],
    ["uv run --with mcp python3.12 -m weather", "weather"],
    ["uv run --with fastmcp fastmcp run /srv/weather.py", "weather"],
    ["uv run --with mcp mcp run weather.py:app", "weather"],
    ["uvx --from fastmcp fastmcp run --transport stdio weather.py", "weather"],
    ["uvx --from weather-mcp python -c hunter2", "weather-mcp"],
    ["uv run python -c hunter2", "python"],
    ["uv run uv run uv", "uv"],
    ["poetry -C /srv run python weather.py", "weather"],
    ["pdm run -p /srv weather-mcp", "weather-mcp"],
    ["pipx run --spec weather-mcp==1.2 serve", "weather-mcp"],
    ["python3.11 weather.py", "weather"],
    ["uvx weather-mcp[cli]>=1.2", "weather-mcp"],
    ["uvx --from mcp[cli]==1.30.0 mcp run weather.py", "weather"],
    ["mcp serve", "mcp"],
    ["docker run -i node weather.mjs", "weather"],
    ["docker mcp gateway run", "mcp"],
    ["deno eval hunter2", "deno"],
    ["my$server", "server"],
    ["cmd /c npx -y @acme/weather@1.2.0", "weather"],
    ["cmd.exe /d /s /c npx.cmd -y weather-mcp", "weather-mcp"],
    ["CMD.EXE /C node ./weather/dist/index.js", "weather"],
    ["cmd /c weather.exe --port 1", "weather"],
    ["cmd /c", "cmd"],
    ["cmd", "cmd"],
    ["cmd /c cmd /c cmd", "cmd"],
    ["docker run -i --rm -e TOKEN ghcr.io/acme/weather-mcp", "weather-mcp"],
    ["docker run -i --rm -e TOKEN=hunter2 --name hunter2 mcp/weather:1.2 serve", "weather"],
    ["docker run --rm host:5000/acme/weather@sha256:0123abcd", "weather"],
    ["podman container run -v /srv:/srv weather", "weather"],
    ["docker run -i mcp-weather:latest", "mcp-weather"],
    ["docker", "docker"],
    ["node C:\\mcp\\node_modules\\@acme\\server-weather\\dist\\index.js", "server-weather"],
  ];
  it.each(table)("%s: %s", (line, name) => {
    const [command = "", ...args] = line.split(" ");
    expect(defaultServerName(command, args)).toBe(name);
  });

  it.each([
    ["npx -y @acme/weather", "weather"],
    ["node weather.mjs", "weather"],
    ["C:/Program Files/weather.exe", "weather"],
    ["type hunter2", "server"],
  ])("cmd /c %j: %s", (line, name) => {
    expect(defaultServerName("cmd", ["/c", line])).toBe(name);
  });
});
