import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { outcomeOf, SCRIPTED_SERVER, tempDir, touchstone } from "../testing/touchstone.ts";

const SERVER = { command: process.execPath, args: [SCRIPTED_SERVER, "--stderr", "up\u001b[2J"] };
const WRAPPED = ["--", SERVER.command, ...SERVER.args];

const events = (stderr: string): Record<string, unknown>[] =>
  stderr
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

function configuration(content: object): string {
  const file = join(tempDir(), "touchstone.json");
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(`${file}.new`, JSON.stringify({ listen, ...content }));
  renameSync(`${file}.new`, file);
  return file;
}

describe("--log-format json", () => {
  it("writes everything that serve logs, from start to end", async () => {
    const file = configuration({ mcpServers: { crm: SERVER } });
    const run = touchstone(["serve", "--config", file, "--log-format", "json"]);
    const [, listen = ""] = await run.seen("stderr", /"message":"ready".*"listen":"([^"]+)"/);
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "a", version: "1" },
      },
    };
    await fetch(`http://${listen}/mcp/crm`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(initialize),
    });
    await run.seen("stderr", /"stream":"stderr"/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    const all = events(run.stderr());
    expect(all.map(({ message }) => message)).toEqual(
      expect.arrayContaining(["ready", "up\u001b[2J", expect.stringMatching(/^stopping/)]),
    );
    for (const event of all) {
      expect(event).toMatchObject({
        "@timestamp": expect.stringMatching(/Z$/),
        "log.level": expect.stringMatching(/^(?:info|warn)$/),
        "service.name": "touchstone",
      });
    }
    expect(all.find(({ message }) => message === "up\u001b[2J")).toMatchObject({
      touchstone: { server: "crm", stream: "stderr" },
    });
    expect(run.stdout()).toBe("");
  });

  it("reports a refused configuration, and a program that cannot be started", async () => {
    const file = configuration({ mcpServer: {} });
    const env = { TOUCHSTONE_LOG_FORMAT: "json" };
    const refused = await outcomeOf(["serve", "--config", file, "--log-level", "silent"], { env });
    expect(refused.code).toBe(2);
    expect(events(refused.err)).toEqual([
      expect.objectContaining({
        "log.level": "error",
        message: expect.stringContaining('did you mean "mcpServers"?'),
        "error.code": "UNKNOWN_KEY",
      }),
    ]);
    const args = ["wrap", "--log-format", "json", "--name", "crm", "--", "/no/such"];
    const gone = await outcomeOf(args);
    expect(gone.code).toBe(3);
    expect(events(gone.err).at(-1)).toMatchObject({
      "log.level": "error",
      touchstone: { server: "crm" },
    });
  });

  eachOf(
    [
      [
        "the option before the variable",
        ["--log-format", "text"],
        { TOUCHSTONE_LOG_FORMAT: "json" },
      ],
      ["the variable before the file", [], { TOUCHSTONE_LOG_FORMAT: "text" }],
    ],
    1,
  )("prefers %s", async (_, options, env) => {
    const file = configuration({ logging: { format: "json" } });
    const run = touchstone(["wrap", "--config", file, ...options, ...WRAPPED], { env });
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toMatch(/^touchstone info: .*checking/m);
  });

  it("uses the file's format and level by default", long, async () => {
    const file = configuration({ logging: { format: "json", level: "warn" } });
    const run = touchstone(["wrap", "--config", file, ...WRAPPED]);
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    expect(events(run.stderr()).map(({ message }) => message)).toEqual(["up\u001b[2J"]);
  });

  it("follows changes of the file while serve runs", long, async () => {
    const mcpServers = { crm: SERVER };
    const file = configuration({ mcpServers });
    const run = touchstone(["serve", "--config", file]);
    await run.seen("stderr", /^touchstone info: ready/m);
    renameSync(configuration({ mcpServers, logging: { format: "json" } }), file);
    // The change itself is logged in the old format, even if it turns the log off.
    await run.seen("stderr", /^touchstone info: .*has changed: the log's settings have changed/m);
    await run.seen("stderr", /^\{.*crm: http/m);
    renameSync(configuration({ mcpServers, logging: { format: "xml" } }), file);
    await run.seen(
      "stderr",
      /^\{.*must be one of \\"text\\", \\"json\\".*"error\.code":"INVALID_VALUE"/m,
    );
    renameSync(configuration({ mcpServers }), file);
    await run.seen("stderr", /^\{.*has changed: the log's settings have changed/m);
    await run.seen("stderr", /^touchstone info: crm: http(?![\s\S]*^\{)/m);
  });

  it("refuses an unknown format in the variable", async () => {
    const run = await outcomeOf(["wrap", ...WRAPPED], { env: { TOUCHSTONE_LOG_FORMAT: "xml" } });
    expect(run.code).toBe(2);
    expect(run.err).toBe(
      'touchstone: TOUCHSTONE_LOG_FORMAT is "xml"; set it to text or json, or unset it\n',
    );
  });
});
