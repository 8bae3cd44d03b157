import { expect, it } from "vitest";
import { parseConfig } from "./load.ts";

/** Every setting that existed in commit 84575e0b, with a value that was valid then. */
const BEFORE = `{
  // Comments and trailing commas are allowed.
  "mcpServers": {
    "files": {
      "command": "npx", "args": ["-y", "server-filesystem", "\${HOME}/notes"], "env": { "A": "b" }, "cwd": "/srv",
      "touchstone": {
        "input_validation": { "mode": "strict" },
        "output_validation": { "mode": "off" },
        "protocol_validation": { "mode": "warn" },
        "capability": "add",
        "tools": {
          "get_file_info": { "output_validation": { "rules": { "extra": "warning" } } },
        },
      },
    },
    "search": {
      "url": "https://search.example/mcp", "type": "streamableHttp", "headers": { "Authorization": "Bearer \${TOKEN}" },
      "touchstone": { "forward_authorization": true },
    },
    "old": { "command": "\${UNSET}", "disabled": true },
  },
  "input_validation": {
    "mode": "warn", "max_bytes": 5242880, "max_depth": 64, "on_invalid_schema": "block", "rules": { "format": "ignore" },
  },
  "output_validation": { "mode": "strict", "missing_structured_content": "block" },
  "protocol_validation": { "mode": "warn", "max_bytes": 262144 },
  "activity": {
    "sync": "full", "store": "postgres://u:p@db/t", "bodies": true, "body_max_bytes": 65536, "on_write_failure": "continue",
    "retention_days": 90, "max_records": 1000000, "max_bytes": 1073741824, "drift": true,
  },
  "limits": {
    "request_bytes": 16777216, "upstream_frame_bytes": 67108864, "concurrent_calls": 50, "call_timeout": 600,
    "sessions": 100, "children": 200,
  },
  "listen": {
    "address": "127.0.0.1:7411", "allowed_hosts": ["mcp.example.com"], "allowed_origins": ["https://app.example.com"],
  },
  "forward_authorization": false,
  "capability": "pass",
  "auth": { "api_key": "k" },
  "telemetry": { "metrics": true, "otlp": false },
  "logging": { "format": "json", "level": "debug" },
  "http": { "allow_execute": true },
}`;

/** Settings that commit 800b42f1 added. */
const ADDED = `{
  "mcpServers": {
    "files": {
      "command": "npx", "isActive": false,
      "touchstone": {
        "input_validation": { "on_unknown_schema": "allow" },
        "tools": { "read": { "input_validation": { "rules": { "guard": "warning", "budget": "ignore" } } } },
      },
    },
    "on": { "command": "npx", "enabled": true, "touchstone": { "output_validation": { "on_unknown_schema": "allow" } } },
  },
  "output_validation": { "on_unknown_schema": "block", "rules": { "budget": "warning" } },
  "limits": { "object_keys": 65536, "message_keys": 1000000, "tools": 10000 },
  "alerts": [
    { "when": "blocked", "server": "files", "tool": "read", "webhook": { "url": "https://a.example/", "secret": "s" } },
    { "when": "call_error", "command": ["page", "--low"], "min_interval": 60 },
  ],
}`;

it("loads a configuration of an earlier release with its meaning unchanged", () => {
  const env = { HOME: "/home/ada", TOKEN: "t" };
  const config = parseConfig(BEFORE, { file: "touchstone.json", env });
  const [files, search, old] = config.servers;
  expect(files?.settings.input.mode).toBe("strict");
  expect(files?.settings.output.mode).toBe("off");
  expect(files?.tools.get("get_file_info")?.output.rules).toMatchObject({ extra: "warning" });
  expect(files?.settings.capability).toBe("add");
  expect(search?.upstream).toMatchObject({ url: "https://search.example/mcp" });
  expect(search?.settings.input).toMatchObject({
    mode: "warn",
    onInvalidSchema: "block",
    rules: { format: "ignore" },
  });
  expect(old?.disabled).toBe(true);
  expect(config.limits).toMatchObject({ concurrentCalls: 50, callTimeout: 600, children: 200 });
  expect(config.activity).toMatchObject({
    store: "postgres://u:p@db/t",
    bodies: "all",
    drift: true,
  });
  expect(config.telemetry).toMatchObject({ metrics: true, otlp: false });
});

it("loads settings that were added later", () => {
  const config = parseConfig(ADDED, { file: "touchstone.json", env: {} });
  const [files, on] = config.servers;
  expect([files?.disabled, on?.disabled]).toEqual([true, false]);
  expect(files?.tools.get("read")?.input).toMatchObject({
    onUnknownSchema: "allow",
    rules: { guard: "warning", budget: "ignore" },
  });
  expect(on?.settings.output).toMatchObject({
    onUnknownSchema: "allow",
    rules: { budget: "warning" },
  });
  expect(config.limits).toMatchObject({
    objectKeys: 65_536,
    messageKeys: 1_000_000,
    tools: 10_000,
  });
  expect(config.alerts).toMatchObject([{ when: "blocked" }, { when: "call_error" }]);
});
