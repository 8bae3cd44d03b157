import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { TOOLS_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { outcomeOf, TOUCHSTONE, tempDir, touchstone } from "../testing/touchstone.ts";

const PLAN = {
  tools: [
    {
      name: "add",
      inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    },
  ],
};
type Calls = readonly Readonly<Record<string, unknown>>[];
const [GOOD, UNDECLARED, WRONG] = [{ n: 1 }, { n: 1, extra: 1 }, { n: "x" }];

/** A home directory with one server in a client's file. */
function home() {
  const dir = tempDir();
  const client = join(dir, ".cursor", "mcp.json");
  const env = {
    ...{ HOME: dir, XDG_CONFIG_HOME: join(dir, "config") },
    TOUCHSTONE_DATA_DIR: join(dir, "data"),
  };
  const file = join(dir, "config", "touchstone", "touchstone.json");
  const run = (...args: readonly string[]) => outcomeOf([...args], { env, cwd: dir });
  mkdirSync(join(dir, ".cursor"));
  return {
    file,
    run,
    async install(...options: readonly string[]) {
      const entry = { command: process.execPath, args: [TOOLS_SERVER, JSON.stringify(PLAN)] };
      writeFileSync(client, JSON.stringify({ mcpServers: { e: entry } }));
      expect((await run("install", "--client", "cursor", ...options)).code).toBe(0);
    },
    /** Makes calls as a client would, and returns how many were blocked. */
    async call(calls: Calls, ...options: readonly string[]): Promise<number> {
      const { args } = JSON.parse(readFileSync(client, "utf8")).mcpServers.e;
      const own = [TOUCHSTONE, "wrap", ...options, ...args.slice(args.indexOf("wrap") + 1)];
      const connected = new Client({ name: "test", version: "1" });
      const environment = { PATH: process.env["PATH"] ?? "", ...env };
      await connected.connect(
        new StdioClientTransport({
          ...{ command: process.execPath, args: own, env: environment, stderr: "ignore" },
        }),
      );
      await connected.listTools();
      let blocked = 0;
      for (const args of calls) {
        const { isError } = await connected.callTool({ name: "add", arguments: args });
        if (isError === true) blocked += 1;
      }
      await connected.close();
      return blocked;
    },
    /** Returns the state of the arguments that the API of a gateway with the same file reports. */
    async overHttp(): Promise<string> {
      const serving = touchstone(["serve", "--listen", "127.0.0.1:0"], { env, cwd: dir });
      serving.child.stdin.end();
      const [, url] = await serving.seen("stderr", /(http:\/\/127\.0\.0\.1:\d+)/);
      const response = await fetch(`${url}/api/v1/activity/rollout`);
      const { tools } = (await response.json()) as { tools: { input: { text: string } }[] };
      serving.child.kill("SIGTERM");
      await serving.ended;
      return tools[0]?.input.text ?? "";
    },
  };
}

const ELSEWHERE = "not set in the file";
const OTHER = "not checked: 1 call (with other settings: 1)";
const ALLOWED = "the current settings allow 1 of these";

it(
  "shows what options of a wrap line blocked, and that the file does not have them",
  long,
  async () => {
    const { call, install, overHttp, run } = home();
    const shown = async () => {
      const { out } = await run("activity", "rollout");
      const [, text] = /^ {2}arguments {2}(.*)$/m.exec(out) ?? [];
      expect(await overHttp()).toBe(text);
      return [text, out.includes("options of a wrap line")];
    };
    await install("--preset", "guard");
    expect(await call([GOOD, GOOD, UNDECLARED])).toBe(1);
    expect(await shown()).toEqual([`strict already: blocks 1 of 3 checked; ${ELSEWHERE}`, true]);
    await install("--mode", "strict");
    expect(await call([WRONG, UNDECLARED])).toBe(1);
    expect(await shown()).toEqual([
      `strict already: blocks 2 of 5 checked; ${ALLOWED}; ${ELSEWHERE}`,
      true,
    ]);
    await install("--preset", "guard");
    expect(await call([UNDECLARED], "--input-mode", "warn")).toBe(0);
    // The undeclared argument that strict forwarded is not evidence for settings that look for such arguments.
    expect(await shown()).toEqual([`would block 3 of 5; ${ELSEWHERE}; ${OTHER}`, true]);
    await install();
    expect(await call([GOOD])).toBe(0);
    expect(await shown()).toEqual([`would block 2 of 7; ${ALLOWED}`, false]);
  },
);
