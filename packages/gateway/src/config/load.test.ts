// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../settings/validation.ts";
import { type LoadOptions, parseConfig } from "./load.ts";
import { refusal } from "./testing/refusals.ts";

const parse = (text: string, options: LoadOptions = {}) =>
  parseConfig(text, { env: {}, ...options, file: "t.json" });

describe("parseConfig", () => {
  it("fills an empty object with the defaults", () => {
    expect(parse("{}")).toEqual({
      settings: DEFAULT_SETTINGS,
      servers: [],
      listen: {
        host: "127.0.0.1",
        port: 7411,
        allowedHosts: [],
        allowedOrigins: [],
        allowedHeaders: [],
        idleTimeout: 75_000,
      },
      auth: {},
      http: { allowExecute: false },
      telemetry: { metrics: false },
      activity: {
        sync: "normal",
        bodies: "failed",
        bodyMaxBytes: 65_536,
        onWriteFailure: "refuse",
        drift: false,
        retentionDays: 90,
      },
      limits: {
        requestBytes: 16_777_216,
        unfinishedBytes: 134_217_728,
        upstreamFrameBytes: 67_108_864,
        sessions: 100,
        children: 200,
        tools: 10_000,
        objectKeys: 65_536,
        messageKeys: 1_000_000,
      },
      ignoredKeys: [],
    });
  });

  it("reads every key, with comments, trailing commas and a byte order mark", () => {
    const config = parse(`\uFEFF// mine
      {
        "$schema": "./\${not}-read.json",
        "mcpServers": {
          "a b": { "type": "stdio", "command": "npx", "args": ["-y", "x"], "env": { "A": "1" },
                   "cwd": "/srv", "disabled": true, "autoApprove": [{ "x": 1, "x": 2 }] }, /* two */
          "web": { "type": "streamableHttp", "url": "https://x.example/mcp?k=1", "headers": { "X-A": "b" },
                   "touchstone": { "capability": "pass" } },
        },
        "input_validation": { "mode": "strict", "max_bytes": 1, "max_depth": 2,
                              "on_invalid_schema": "block", "on_unknown_schema": "allow", "rules": { "extra": "ignore" } },
        "output_validation": { "missing_structured_content": "block" },
        "protocol_validation": { "mode": "off", "max_bytes": 9 },
        "activity": { "sync": "full", "bodies": true, "body_max_bytes": 9, "on_write_failure": "continue",
          "drift": true, "retention_days": 7, "max_records": 5, "max_bytes": 6, "store": "postgres://h/d" },
        "limits": { "request_bytes": 10, "upstream_frame_bytes": 11, "sessions": 12, "children": 13, "call_timeout": 1.5, "concurrent_calls": 3, "tools": 14 },
        "listen": { "address": "0.0.0.0:0", "allowed_hosts": ["mcp.example:443", "[::1]"],
                    "allowed_origins": ["https://mcp.example"],
                    "allowed_headers": ["X-Request-Id"], "idle_timeout": 620 },
        "auth": { "api_key": "key-of-16-letters" },
        "http": { "allow_execute": true },
        "logging": { "format": "json", "level": "warn" },
        "capability": "add",
      }`);
    expect(config.servers).toMatchObject([
      {
        name: "a b",
        disabled: true,
        upstream: {
          type: "stdio",
          command: "npx",
          args: ["-y", "x"],
          env: { A: "1" },
          cwd: "/srv",
        },
      },
      {
        name: "web",
        disabled: false,
        upstream: { type: "http", url: "https://x.example/mcp?k=1", headers: { "X-A": "b" } },
      },
    ]);
    expect(config.settings).toEqual({
      input: {
        mode: "strict",
        maxBytes: 1,
        maxDepth: 2,
        onInvalidSchema: "block",
        onUnknownSchema: "allow",
        rules: { extra: "ignore" },
        repair: [],
        undeclared: "warning",
        undeclaredAt: "root",
        showSchema: "never",
      },
      output: { ...DEFAULT_SETTINGS.output, missingStructuredContent: "block" },
      protocol: { mode: "off", maxBytes: 9 },
      capability: "add",
    });
    expect(config.listen).toEqual({
      host: "0.0.0.0",
      port: 0,
      allowedHosts: ["mcp.example:443", "[::1]"],
      allowedOrigins: ["https://mcp.example"],
      allowedHeaders: ["X-Request-Id"],
      idleTimeout: 620_000,
    });
    expect(config.auth).toEqual({ apiKey: "key-of-16-letters" });
    expect(config.activity).toEqual({
      sync: "full",
      bodies: "all",
      bodyMaxBytes: 9,
      onWriteFailure: "continue",
      drift: true,
      retentionDays: 7,
      maxRecords: 5,
      maxBytes: 6,
      store: "postgres://h/d",
    });
    expect(config.http).toEqual({ allowExecute: true });
    expect(config.logging).toEqual({ format: "json", level: "warn" });
    expect([config, ...config.servers].map(({ settings }) => settings.capability)).toEqual([
      "add",
      "add",
      undefined,
    ]);
    expect(config.limits).toEqual({
      requestBytes: 10,
      unfinishedBytes: 134_217_728,
      upstreamFrameBytes: 11,
      sessions: 12,
      children: 13,
      objectKeys: 65_536,
      messageKeys: 1_000_000,
      callTimeout: 1.5,
      concurrentCalls: 3,
      tools: 14,
    });
    expect(config.ignoredKeys).toEqual(["mcpServers.a b.autoApprove"]);
  });

  it("merges global, server and tool settings, key by key and rule by rule", () => {
    const { servers } = parse(`{
      "input_validation": { "mode": "strict", "max_bytes": 7, "rules": { "extra": "ignore", "format": "warning", "/a/*": "ignore", "/b": "warning" } },
      "mcpServers": { "s": { "command": "x", "touchstone": {
        "input_validation": { "max_bytes": 8, "rules": { "extra": "violation", "/b": "ignore", "/c/**": "warning" } },
        "tools": { "t": { "input_validation": { "mode": "off" }, "protocol_validation": { "mode": "strict" } } }
      } } } }`);
    const [server] = servers;
    expect(server?.settings.input).toEqual({
      ...DEFAULT_SETTINGS.input,
      mode: "strict",
      maxBytes: 8,
      rules: {
        extra: "violation",
        format: "warning",
        "/a/*": "ignore",
        "/b": "ignore",
        "/c/**": "warning",
      },
    });
    expect(server?.settings.protocol.mode).toBe("warn");
    expect(server?.tools.get("t")).toEqual({
      ...server?.settings,
      input: { ...server?.settings.input, mode: "off" },
      protocol: { mode: "strict", maxBytes: 1_048_576 },
    });
  });

  it("gives the command line precedence at every level", () => {
    const text = `{ "input_validation": { "mode": "off" }, "listen": { "address": "localhost:1" },
      "mcpServers": { "s": { "command": "x", "touchstone": {
        "output_validation": { "mode": "off", "max_bytes": 3 },
        "tools": { "t": { "input_validation": { "mode": "warn" } } } } } } }`;
    const overrides = {
      mode: "strict",
      outputMode: "warn",
      maxBytes: 5,
      listen: "[::1]:0",
    } as const;
    const { settings, servers, listen } = parse(text, { overrides });
    const levels = [settings, servers[0]?.settings, servers[0]?.tools.get("t")];
    for (const level of levels) {
      expect(level).toMatchObject({
        input: { mode: "strict", maxBytes: 5 },
        output: { mode: "warn", maxBytes: 5 },
        protocol: { mode: "strict", maxBytes: 1_048_576 },
      });
    }
    expect(listen).toMatchObject({ host: "::1", port: 0 });
  });

  it("expands variables once, and not within their values", () => {
    const env = { A: "1", EMPTY: "", LOOP: "${A}" };
    const args = [
      "${A}",
      "x${A}y${A}",
      "${B:-d e}",
      "${EMPTY:-d}",
      "<${EMPTY}>",
      "$${A}",
      "${LOOP}",
      "$A",
    ];
    const text = JSON.stringify({ mcpServers: { s: { command: "c", args, "${A}": "${unread}" } } });
    const { servers, ignoredKeys } = parse(text, { env });
    expect(servers[0]?.upstream).toMatchObject({
      args: ["1", "x1y1", "d e", "d", "<>", "${A}", "${A}", "$A"],
    });
    expect(ignoredKeys).toEqual(["mcpServers.s.${A}"]);
  });

  it("accepts any tool or server name that an object can have", () => {
    const text = `{ "mcpServers": { "constructor": { "command": "x", "touchstone": {
      "tools": { "toString": { "input_validation": { "mode": "off" } } } } } } }`;
    const [server] = parse(text).servers;
    expect(server?.name).toBe("constructor");
    expect(server?.tools.get("toString")?.input.mode).toBe("off");
  });

  it("lists keys of the other transport as ignored", () => {
    const text =
      '{"mcpServers":{"s":{"url":"http://x","env":{"A":"b"},"x":1},"t":{"command":"c","headers":{}}}}';
    const ignored = ["mcpServers.s.env", "mcpServers.s.x", "mcpServers.t.headers"];
    expect(parse(text).ignoredKeys).toEqual(ignored);
  });

  it("reports all faults at once, in document order", () => {
    const { faults, message } = refusal(() =>
      parse(`{
  "input_validation": { "mode": "Strict", "max_byte": 1 },
  "mcpServers": { "a/b": { "command": "x", "url": "http://x" }, "c": { "args": [1, "\${NO}"] } },
  "listen": { "address": ":1" }
}`),
    );
    expect(faults.map(({ line, column, code }) => [line, column, code])).toEqual([
      [2, 33, "INVALID_VALUE"],
      [2, 43, "UNKNOWN_KEY"],
      [3, 19, "INVALID_NAME"],
      [3, 44, "CONFLICTING_KEYS"],
      [3, 81, "WRONG_TYPE"],
      [3, 84, "UNSET_VARIABLE"],
      [4, 26, "INVALID_VALUE"],
    ]);
    expect(message.split("\n")[0]).toBe(
      't.json:2:33: /input_validation/mode: must be one of "off", "warn", "strict"; got "Strict" — did you mean "strict"?',
    );
  });
});
