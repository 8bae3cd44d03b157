import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { long } from "../packages/core/src/testing/sample.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const BUILT = join(ROOT, "packages/cli");

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}
const action: Action = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
const { steps } = action.runs;

/** The folder of a GitHub runner, with an npm that installs the packages built here. */
class Runner {
  readonly path = mkdtempSync(join(tmpdir(), "touchstone-action-"));
  readonly temp = join(this.path, "temp");
  readonly work = join(this.path, "work");
  readonly outputs: Record<string, string> = {};
  readonly env: Record<string, string>;
  out = "";

  constructor(env: Readonly<Record<string, string>> = {}) {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
    for (const folder of [this.temp, this.work, join(this.path, "bin")]) mkdirSync(folder);
    const npm = join(this.path, "bin/npm");
    // `npm install --prefix FOLDER … touchstone@VERSION`
    const script = `#!/bin/sh\necho "npm $*" >> "${this.path}/npm.log"\nmkdir -p "$3/node_modules"\nln -sfn "${BUILT}" "$3/node_modules/touchstone"\n`;
    writeFileSync(npm, script);
    chmodSync(npm, 0o755);
    this.env = {
      PATH: [join(this.path, "bin"), process.env["PATH"]].join(delimiter),
      HOME: this.path,
      RUNNER_TEMP: this.temp,
      GITHUB_OUTPUT: join(this.path, "output"),
      GITHUB_STEP_SUMMARY: join(this.path, "summary.md"),
      GITHUB_REPOSITORY: "ada/tools",
      GITHUB_WORKFLOW: "CI",
      GITHUB_JOB: "mcp",
      ...env,
    };
  }

  get summary(): string {
    return readFileSync(join(this.path, "summary.md"), "utf8");
  }

  tools(...tools: readonly object[]): void {
    writeFileSync(join(this.work, "tools.json"), JSON.stringify({ tools }));
  }

  /** Replaces expressions with values, as the runner does. */
  #filled(text: string, inputs: Readonly<Record<string, string>>): string {
    return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
      const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
      if (input !== undefined) return inputs[input] ?? action.inputs[input]?.default ?? "";
      const [, output] = /^steps\.run\.outputs\.(\w+)$/.exec(expression) ?? [];
      if (output !== undefined) return this.outputs[output] ?? "";
      if (expression === "github.action_path") return ROOT.replace(/\/$/, "");
      if (expression === "github.token") return "t0ken";
      throw new Error(`the test does not know ${expression}`);
    });
  }

  /** Runs those steps that are scripts. Returns the status of the last step. */
  async run(inputs: Readonly<Record<string, string>>): Promise<number> {
    let status = 0;
    for (const { run, env = {}, ...step } of steps) {
      if (run === undefined) continue;
      const own = Object.entries(env).map(([name, value]) => [name, this.#filled(value, inputs)]);
      const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
        cwd: join(this.work, this.#filled(step["working-directory"] ?? ".", inputs)),
        env: { ...this.env, ...Object.fromEntries(own) },
      });
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          this.out += text;
        });
      }
      [status] = (await once(child, "close")) as [number];
      const file = join(this.path, "output");
      for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
        const [name = "", value = ""] = line.split("=", 2);
        this.outputs[name] = value;
      }
    }
    return status;
  }
}

const tool = (name: string, more: object = {}): object => ({
  name,
  description: "Does it.",
  inputSchema: { type: "object", properties: { a: { type: "string" } }, ...more },
});

/** A server over stdio that lists the tools of a file in its folder. */
const SERVER = `const { readFileSync } = require("node:fs");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": JSON.parse(readFileSync("tools.json", "utf8")),
  };
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "no" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});`;

/** A runner whose folder has a server and a lock of its tools. */
function locked(env?: Readonly<Record<string, string>>): Runner {
  const runner = new Runner(env);
  writeFileSync(join(runner.work, "my server.cjs"), SERVER);
  runner.tools(tool("add"), tool("gone"));
  const command = [
    join(BUILT, "bin/touchstone.js"),
    "lock",
    "--",
    process.execPath,
    "my server.cjs",
  ];
  const { status, stderr } = spawnSync(process.execPath, command, {
    cwd: runner.work,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("wrote touchstone.lock")]);
  return runner;
}
const COMMAND = `"${process.execPath}" 'my server.cjs'`;

/** GitHub's API, limited to comments. */
async function github(comments: object[], status = 200) {
  const asked: { readonly method: string; readonly url: string; readonly body: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = "", url = "" } = request;
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ method, url, body });
    if (method === "POST") comments.push({ id: 7, user: { type: "Bot" }, ...JSON.parse(body) });
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(method === "GET" ? comments : {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function pull(runner: Runner, from: string): void {
  const event = join(runner.path, "event.json");
  const repo = (name: string): object => ({ repo: { full_name: name } });
  const pull_request = { number: 5, head: repo(from), base: repo("ada/tools") };
  writeFileSync(event, JSON.stringify({ pull_request }));
  Object.assign(runner.env, { GITHUB_EVENT_NAME: "pull_request", GITHUB_EVENT_PATH: event });
}

describe("action.yml", () => {
  it("passes inputs to scripts only through the environment, and pins other actions", () => {
    for (const { run = "", uses } of steps) {
      expect(run).not.toContain("${{");
      if (uses !== undefined) expect(uses).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/);
    }
    expect(readFileSync(join(ROOT, "action.yml"), "utf8")).toMatch(/uses: \S+@[0-9a-f]{40} # v\d/);
  });

  it("passes with a summary and a SARIF report if nothing has changed", async () => {
    const runner = locked();
    expect([await runner.run({ command: COMMAND, for: "openai,vscode" }), runner.out]).toEqual([
      0,
      expect.stringContaining("::group::touchstone lock"),
    ]);
    expect(readFileSync(join(runner.path, "npm.log"), "utf8")).toMatch(
      / touchstone@\d+\.\d+\.\d+\n$/,
    );
    expect(runner.summary).toMatch(
      /^## touchstone check\n[\s\S]*^## touchstone lint\n[\s\S]*^## touchstone lock\n/m,
    );
    const { runs } = JSON.parse(readFileSync(String(runner.outputs["sarif"]), "utf8"));
    expect(runs).toHaveLength(1);
  });

  it("serves a recording for the steps that follow", async () => {
    const runner = new Runner();
    const session = join(ROOT, "examples/mocked-agent/session.jsonl");
    expect([await runner.run({ mock: session }), runner.out]).toEqual([
      0,
      expect.stringContaining(`touchstone mock serves ${session} at http://127.0.0.1:`),
    ]);
    const { url = "", pid } = runner.outputs;
    onTestFinished(() => void process.kill(Number(pid)));
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(await response.text()).toContain('"name":"forecast"');
  });

  it("fails if a recording differs from the lock file", async () => {
    const runner = locked();
    const session = join(ROOT, "examples/mocked-agent/session.jsonl");
    await runner.run({ command: COMMAND, mock: session });
    expect(runner.out).toMatch(/::error::Touchstone cannot start the mock: .*does not match/);
    expect(runner.outputs["url"]).toBeUndefined();
  });

  it("fails if a tool is gone, after writing every report", long, async () => {
    const { asked, url } = await github([
      { id: 1, user: { type: "User" }, body: "<!-- touchstone CI/mcp -->" },
    ]);
    const runner = locked({ GITHUB_API_URL: url });
    pull(runner, "ada/tools");
    runner.tools(tool("add"));
    const version = "9.8.7";
    expect(await runner.run({ command: COMMAND, version })).toBe(1);
    expect(readFileSync(join(runner.path, "npm.log"), "utf8")).toContain(" touchstone@9.8.7\n");
    expect(runner.summary).toContain("**`gone`** `breaking/gone`");
    const sarif = JSON.parse(readFileSync(String(runner.outputs["sarif"]), "utf8"));
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain(
      "breaking/gone",
    );
    // The comment of another user stays.
    expect(asked.map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(JSON.parse(asked[1]?.body ?? "").body).toMatch(
      /^<!-- touchstone CI\/mcp -->\n## touchstone check/,
    );
    await runner.run({ command: COMMAND });
    expect(asked.at(-1)).toMatchObject({
      method: "PATCH",
      url: "/repos/ada/tools/issues/comments/7",
    });
  });

  it("respects fail-on, and lets no server issue runner commands", long, async () => {
    const runner = locked();
    runner.tools(tool("add", { description: "x" }), tool("gone"), tool("::error::x"));
    expect(await runner.run({ command: COMMAND })).toBe(0);
    const runnerCommands = runner.out.split(/::stop-commands::(\S+)\n[\s\S]*?::\1::\n/);
    expect(runnerCommands.join("")).not.toContain("::error::x");
    expect(await runner.run({ command: COMMAND, "fail-on": "any" })).toBe(1);
  });

  it("lets the changes pass that allow names", long, async () => {
    const runner = locked();
    runner.tools(tool("add", { additionalProperties: false }), tool("gone"));
    expect(await runner.run({ command: COMMAND })).toBe(1);
    expect(await runner.run({ command: COMMAND, allow: "unproven, closed" })).toBe(0);
  });

  it("repeats the calls of captures", long, async () => {
    const runner = locked();
    const missing = { command: COMMAND, verify: "a.jsonl\n b.jsonl \n" };
    expect(await runner.run(missing)).toBe(3);
    expect(runner.summary.match(/^## touchstone verify$/gm)).toHaveLength(2);
    expect(runner.out).toContain("b.jsonl cannot be read: there is no such file");
  });

  it("writes no comment for a fork, or with a token that lacks the right", long, async () => {
    const { asked, url } = await github([], 403);
    const runner = locked({ GITHUB_API_URL: url });
    pull(runner, "eve/tools");
    expect(await runner.run({ command: COMMAND })).toBe(0);
    expect([asked, runner.out]).toEqual([
      [],
      expect.stringContaining("::notice::This pull request is from a fork"),
    ]);
    pull(runner, "ada/tools");
    expect(await runner.run({ command: COMMAND })).toBe(0);
    expect(runner.out).toMatch(/::warning::No comment was written: .*403.*pull-requests: write/);
  });

  it.each([
    [{}, /set one of the inputs command, url and config/],
    [{ command: "a", url: "b" }, /set one of the inputs/],
    [{ config: "touchstone.json" }, /set the input server/],
    [{ command: "a", lock: "other.lock" }, /there is no other\.lock/],
  ])("fails for invalid inputs: %j", async (inputs, wanted) => {
    const runner = new Runner();
    const inputsOf: Readonly<Record<string, string>> = inputs;
    expect([await runner.run(inputsOf), runner.out]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it("fails if the server does not respond", long, async () => {
    const runner = locked();
    expect(await runner.run({ command: `${process.execPath} -e 0` })).toBe(3);
    expect(runner.summary).toMatch(/`server`: .*cannot be reached/);
  });
});
