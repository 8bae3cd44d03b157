import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/load.ts";
import { configurationHash } from "./configuration-hash.ts";

const SERVERS = {
  files: { command: "files", args: ["--root", "/data"], env: { API_TOKEN: "one" } },
  web: { url: "https://example.com/mcp?key=one", headers: { Authorization: "Bearer one" } },
};
const CONFIG = {
  listen: { address: "127.0.0.1:1" },
  auth: { api_key: "one" },
  activity: { store: "postgresql://u:one@a/db" },
  mcpServers: SERVERS,
};

function hashOf(content: object): string {
  return configurationHash(
    parseConfig(JSON.stringify(content), { file: "touchstone.json", env: {} }),
  );
}
const held = hashOf(CONFIG);
const web = (change: object): object => ({
  ...CONFIG,
  mcpServers: { ...SERVERS, web: { ...SERVERS.web, ...change } },
});

describe("the hash of a configuration", () => {
  const same: [string, object][] = [
    ["where it listens", { ...CONFIG, listen: { address: "127.0.0.1:2" } }],
    ["the API key", { ...CONFIG, auth: { api_key: "two" } }],
    ["where the database is", { ...CONFIG, activity: { store: "postgresql://u:two@b/db" } }],
    ["a header's value", web({ headers: { Authorization: "Bearer two" } })],
    ["a URL's query", web({ url: "https://example.com/mcp?key=two" })],
    [
      "a variable's value",
      {
        ...CONFIG,
        mcpServers: { ...SERVERS, files: { ...SERVERS.files, env: { API_TOKEN: "two" } } },
      },
    ],
    ["the order of servers", { ...CONFIG, mcpServers: { web: SERVERS.web, files: SERVERS.files } }],
  ];
  it.each(same)("does not depend on %s", (_, content) => expect(hashOf(content)).toBe(held));

  const others: [string, object][] = [
    ["no API key", { ...CONFIG, auth: {} }],
    ["another store", { ...CONFIG, activity: {} }],
    ["another mode", { ...CONFIG, input_validation: { mode: "strict" } }],
    ["a server's own mode", web({ touchstone: { input_validation: { mode: "strict" } } })],
    ["another server", { ...CONFIG, mcpServers: { web: SERVERS.web } }],
    ["another URL", web({ url: "https://example.com/other" })],
    ["another word of a URL", web({ url: "https://example.com/tenant-b/mcp" })],
    [
      "another word of a URL among the arguments",
      {
        ...CONFIG,
        mcpServers: {
          web: SERVERS.web,
          files: { ...SERVERS.files, args: ["mcp-remote", "https://example.com/tenant-a/mcp"] },
        },
      },
    ],
    ["another header", web({ headers: { "X-Key": "one" } })],
    ["another limit", { ...CONFIG, limits: { sessions: 3 } }],
    ["another host", { ...CONFIG, listen: { allowed_hosts: ["x.example"] } }],
    ["another header", { ...CONFIG, listen: { allowed_headers: ["x-request-id"] } }],
    [
      "another directory",
      { ...CONFIG, mcpServers: { web: SERVERS.web, files: { ...SERVERS.files, cwd: "/" } } },
    ],
  ];
  it.each(others)("changes with %s", (_, content) => expect(hashOf(content)).not.toBe(held));

  it.each([
    [{ url: "https://example.com/tenant-a/mcp" }, { url: "https://example.com/tenant-b/mcp" }],
    [
      { command: "npx", args: ["mcp-remote", "https://example.com/tenant-a/mcp"] },
      { command: "npx", args: ["mcp-remote", "https://example.com/tenant-b/mcp"] },
    ],
  ])("distinguishes %j from %j although both are displayed alike", (one, other) => {
    const of = (server: object): string => hashOf({ ...CONFIG, mcpServers: { server } });
    expect(of(one)).not.toBe(of(other));
  });

  it("ignores random keys in a path", () => {
    const of = (key: string): string => hashOf(web({ url: `https://example.com/s/${key}/mcp` }));
    expect(of("NzE3hunter2YzMtMDRmNA")).toBe(of("ODE3hunter2YzMtMDRmNA"));
  });

  it("is a SHA-256", () => expect(held).toMatch(/^sha256:[0-9a-f]{64}$/));
});
