import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../testing/touchstone.ts";
import { serverTarget } from "./target.ts";

const stdio = (command: string, ...args: string[]) => ({ type: "stdio", command, args, env: {} });

function configured(): { config: string } {
  const config = join(tempDir(), "touchstone.json");
  const files = { command: "files-server" };
  const off = { command: `\${NOPE}`, disabled: true };
  writeFileSync(config, JSON.stringify({ mcpServers: { files, off } }));
  return { config };
}

describe("serverTarget", () => {
  it.each([
    [["http://127.0.0.1:1/mcp"], { type: "http", url: "http://127.0.0.1:1/mcp", headers: {} }],
    [["--", "files"], stdio("files")],
    [["--", "npx", "-y", "x"], stdio("npx", "-y", "x")],
  ])("reads a URL or a command: %j", (words, upstream) => {
    expect(serverTarget(words, {}, {})).toMatchObject({ upstream });
    expect(serverTarget(words, configured(), {})).toMatchObject({ upstream });
  });

  it("accepts header options only for a URL", () => {
    const options = { header: ["X-Tenant=a=b"], headerEnv: ["Authorization=TOKEN"] };
    const env = { TOKEN: "Bearer secret" };
    expect(serverTarget(["https://h/mcp"], options, env).upstream).toEqual({
      ...{ type: "http", url: "https://h/mcp" },
      headers: { "X-Tenant": "a=b", Authorization: "Bearer secret" },
    });
    expect(() => serverTarget(["https://h/mcp"], options, {})).toThrow("TOKEN is not set");
    const twice = { header: ["a=1", "A=2"] };
    expect(() => serverTarget(["https://h/mcp"], twice, {})).toThrow("a is given twice");
    for (const [words, why] of [
      [["--", "node"], "a command has no headers"],
      [["files"], "has them in its entry"],
    ] as const) {
      const typed = { ...configured(), header: ["a=1"] };
      expect(() => serverTarget(words, typed, {})).toThrow(`--header goes with a URL`);
      expect(() => serverTarget(words, typed, {})).toThrow(why);
    }
  });

  it("finds a server by its name in the configuration", () => {
    const upstream = { type: "stdio", command: "files-server" };
    expect(serverTarget(["files"], configured(), {})).toMatchObject({ name: "files", upstream });
    expect(() => serverTarget(["others"], configured(), {})).toThrow(/it has: files, off$/);
  });

  it("refuses a disabled server whose settings are incomplete", () => {
    expect(() => serverTarget(["off"], configured(), {})).toThrow(/variable NOPE is not set/);
  });

  it("never runs a program that merely has the name", () => {
    expect(() => serverTarget(["files"], {}, {})).toThrow(
      '"files" names a server of a configuration, but none is given: name its file with --config or --servers, or put -- before a command',
    );
  });

  it.each(["http://user:hunter2@x/mcp", "https://user@x/mcp", "http://:hunter2@x/mcp"])(
    "refuses a login in a URL, and does not show it: %s",
    (url) => {
      const refusal =
        "the URL of a server must not contain a user name or password; use --header Authorization=…";
      expect(() => serverTarget([url], {}, {})).toThrow(refusal);
    },
  );

  it.each(["http://user:hunter2@x y/mcp", "ftp://user:hunter2@x/mcp"])(
    "does not show the login of what is not the URL of a server: %s",
    (url) => {
      expect(() => serverTarget([url], {}, {})).toThrow(/https?:\/\//);
      expect(() => serverTarget([url], {}, {})).not.toThrow(/hunter2/);
    },
  );

  it.each(["ftp://x/y", "file:///etc/passwd", "ws://x"])("refuses the URL %s", (url) => {
    for (const options of [{}, configured()]) {
      expect(() => serverTarget([url], options, {})).toThrow(
        `"${url}" is not a URL of a server: it must begin with http:// or https://`,
      );
    }
  });
});
