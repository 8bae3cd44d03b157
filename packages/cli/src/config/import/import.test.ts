// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the references of both programs look like this
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@touchstone/gateway/config";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outcomeOf, tempDir } from "../../testing/touchstone.ts";
import { importMcpproxy } from "./mcpproxy.ts";
import type { JsonObject } from "./note.ts";

function file(content: unknown): string {
  const path = join(tempDir(), "mcp_config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
const outcome = (args: readonly string[]) => outcomeOf(["config", "import", ...args]);
const noted = (from: JsonObject): readonly string[] =>
  importMcpproxy(from).notes.map(({ path }) => path);

const CONFIG: JsonObject = {
  listen: "127.0.0.1:8080",
  data_dir: "~/.mcpproxy",
  api_key: "k",
  top_k: 5,
  call_tool_timeout: "1m30s",
  trusted_hosts: ["a.example", ".b.example"],
  activity_retention_days: 30,
  activity_max_size_mb: 256,
  server_concurrency_defaults: { max_concurrent_requests: 4 },
  output_validation: {
    mode: "strict",
    max_bytes: 0,
    max_depth: 9,
    missing_structured_content: "block",
  },
  docker_isolation: { enabled: true },
  mcpServers: [
    {
      name: "files",
      protocol: "stdio",
      command: "npx",
      args: ["-y", "server-files", "${HOME}"],
      env: { TOKEN: "${env:FILES_TOKEN}", OTHER: "${keyring:my-secret}" },
      working_dir: "/srv",
      enabled: true,
      quarantined: false,
      created: "2026-01-01T00:00:00Z",
      isolation: { enabled: true },
    },
    {
      name: "web",
      protocol: "streamable-http",
      url: "https://x.example/mcp",
      headers: { Authorization: "Bearer ${env:WEB}" },
      enabled: false,
      oauth: { client_id: "c" },
    },
    { name: "old", protocol: "sse", url: "https://old.example/sse", enabled: true },
    { name: "both", command: "x", url: "http://127.0.0.1:1/mcp" },
    { name: "held", command: "x", quarantined: true, enabled: true },
  ],
};

describe("importMcpproxy", () => {
  const { config, notes, variables } = importMcpproxy(CONFIG);

  it("converts every setting that has a counterpart", () => {
    expect(config).toEqual({
      listen: { address: "127.0.0.1:8080", allowed_hosts: ["a.example"] },
      output_validation: { mode: "strict", max_depth: 9, missing_structured_content: "block" },
      activity: { retention_days: 30, max_bytes: 268_435_456 },
      limits: { call_timeout: 90, concurrent_calls: 4 },
      mcpServers: {
        files: {
          type: "stdio",
          command: "npx",
          args: ["-y", "server-files", "$${HOME}"],
          env: { TOKEN: "${FILES_TOKEN}", OTHER: "${MY_SECRET}" },
          cwd: "/srv",
        },
        web: {
          type: "http",
          url: "https://x.example/mcp",
          headers: { Authorization: "Bearer ${WEB}" },
          disabled: true,
        },
        held: { command: "x", disabled: true },
      },
    });
    expect([...variables].sort()).toEqual(["FILES_TOKEN", "MY_SECRET", "WEB"]);
  });

  it("reports every other setting once", () => {
    expect(notes.map(({ path }) => path).sort()).toEqual([
      "api_key",
      "data_dir",
      "docker_isolation",
      "mcpServers/both",
      "mcpServers/files/env",
      "mcpServers/files/isolation",
      "mcpServers/held/quarantined",
      "mcpServers/old/protocol",
      "mcpServers/web/oauth",
      "top_k",
      "trusted_hosts/1",
    ]);
  });

  it("treats names of Object.prototype as ordinary keys", () => {
    const { config: of, notes: told } = importMcpproxy(
      JSON.parse(
        '{"constructor":1,"__proto__":2,"mcpServers":{"a":{"command":"x","protocol":"constructor","toString":1,"__proto__":{"a":1}}}}',
      ),
    );
    expect(of["mcpServers"]).toEqual({ a: { command: "x" } });
    expect(told.map(({ path, reason }) => [path, reason])).toEqual([
      ["mcpServers/a/toString", "is not known to this import"],
      ["mcpServers/a/__proto__", "is not known to this import"],
      ["constructor", "is not known to this import"],
      ["__proto__", "is not known to this import"],
    ]);
  });

  it("writes variable references that resolve to the original values", () => {
    const env = { FILES_TOKEN: "f", MY_SECRET: "m", WEB: "w" };
    const { servers } = parseConfig(JSON.stringify(config), { file: "x", env });
    expect(servers[0]?.upstream).toMatchObject({
      args: ["-y", "server-files", "${HOME}"],
      env: { TOKEN: "f", OTHER: "m" },
    });
    expect(servers[1]?.upstream).toMatchObject({ headers: { Authorization: "Bearer w" } });
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      "a key that every client sends",
      { api_key: "k", require_mcp_auth: true, listen: "127.0.0.1:1" },
      { listen: { address: "127.0.0.1:1" }, auth: { api_key: "k" } },
      [],
    ],
    [
      "all addresses, with a key",
      { api_key: "k", listen: ":8080" },
      { listen: { address: "0.0.0.0:8080" }, auth: { api_key: "k" } },
      [],
    ],
    ["all addresses, without a key", { listen: ":8080" }, {}, ["listen"]],
    [
      "loopback, however it is written",
      { listen: "Localhost:1" },
      { listen: { address: "Localhost:1" } },
      [],
    ],
    [
      "loopback in full",
      { listen: "[0:0:0:0:0:0:0:1]:1" },
      { listen: { address: "[0:0:0:0:0:0:0:1]:1" } },
      [],
    ],
    ["no address", { listen: "" }, {}, []],
    ["what is not an address", { listen: "127.999.1:80" }, {}, ["listen"]],
    [
      "what is not an address, with a key for all",
      { api_key: "k", require_mcp_auth: true, listen: "nowhere" },
      { auth: { api_key: "k" } },
      ["listen"],
    ],
    ["no limit of size", { activity_max_size_mb: 0 }, {}, ["activity_max_size_mb"]],
    ["no duration", { call_tool_timeout: 5 }, {}, ["call_tool_timeout"]],
    ["a key of tomorrow", { brand_new: 1 }, {}, ["brand_new"]],
    ["a section that is text", { output_validation: "strict" }, {}, ["output_validation"]],
    [
      "members of a section that are of another type, or unknown",
      { output_validation: { mode: 5, max_bytes: "9", max_depth: 0, constructor: 1 } },
      { output_validation: {} },
      ["output_validation/mode", "output_validation/max_bytes", "output_validation/constructor"],
    ],
    [
      "limits that are of another type",
      { server_concurrency_defaults: 4 },
      {},
      ["server_concurrency_defaults"],
    ],
    [
      "a limit that is text",
      { server_concurrency_defaults: { max_concurrent_requests: "4" } },
      {},
      ["server_concurrency_defaults/max_concurrent_requests"],
    ],
    ["hosts that are text", { trusted_hosts: "a.example" }, {}, ["trusted_hosts"]],
    ["servers that are text", { mcpServers: "a" }, { mcpServers: {} }, ["mcpServers"]],
    [
      "servers by name",
      { mcpServers: { a: { command: "x" } } },
      { mcpServers: { a: { command: "x" } } },
      [],
    ],
    [
      "which tools of a server are served",
      {
        mcpServers: [
          { name: "a", command: "x", enabled_tools: ["get"], disabled_tools: ["drop"] },
          { name: "b", command: "x", enabled_tools: [], disabled_tools: "drop" },
        ],
      },
      {
        mcpServers: {
          a: {
            command: "x",
            touchstone: { policy: { allow_tools: ["get"], deny_tools: ["drop"] } },
          },
          b: { command: "x" },
        },
      },
      ["mcpServers/b/disabled_tools"],
    ],
    [
      "a name twice",
      {
        mcpServers: [
          { name: "a", command: "x" },
          { name: "a", command: "y" },
        ],
      },
      { mcpServers: { a: { command: "x" } } },
      ["mcpServers/a"],
    ],
  ])("converts %s", (_, from, to, paths) => {
    expect(importMcpproxy(from).config).toEqual(to);
    expect(noted(from)).toEqual(paths);
  });

  it("never throws", () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonObject[string]>;
    const key = fc.constantFrom(...Object.keys(CONFIG), "x", "__proto__");
    const server = fc.dictionary(
      fc.constantFrom("name", "command", "url", "args", "env", "protocol", "enabled", "oauth"),
      json,
    );
    const whole = fc.record({ rest: fc.dictionary(key, json), servers: fc.array(server) });
    fc.assert(
      fc.property(whole, ({ rest, servers }) => {
        expect(importMcpproxy({ ...rest, mcpServers: servers })).toHaveProperty("config");
      }),
    );
  });
});

describe("touchstone config import", () => {
  it("writes a file that only its owner can read and that config check accepts", async () => {
    const out = join(tempDir(), "touchstone.json");
    const { code, err } = await outcome([file(CONFIG), "--out", out]);
    expect([code, err]).toEqual([0, expect.stringMatching(/imported 3 servers/)]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const env = { FILES_TOKEN: "f", MY_SECRET: "m", WEB: "w" };
    const check = await outcomeOf(["config", "check", "--config", out], { env });
    expect([check.code, check.out]).toEqual([0, expect.stringMatching(/: valid/)]);
    expect((await outcome([file(CONFIG), "--out", out])).code).toBe(3);
    expect(readFileSync(out, "utf8")).toContain("server-files");
  });

  it("prints to stdout, and reports what to fix", async () => {
    const { code, out, err } = await outcome([
      file({ mcpServers: [{ name: "a", command: "x", args: 5 }] }),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({ mcpServers: { a: { command: "x", args: 5 } } });
    expect(err).toMatch(/fix this before you use it:\n.*args/);
  });

  it.each([
    ["{", 2, /not JSON/],
    ["[]", 2, /no configuration of mcpproxy's/],
    ["{}", 2, /no configuration of mcpproxy's/],
  ])("refuses %s", async (text, wanted, message) => {
    const { code, err } = await outcome([file(text)]);
    expect([code, err]).toEqual([wanted, expect.stringMatching(message)]);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
