import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import { refuseMisplaced } from "./call/misplaced-arguments.ts";
import { run } from "./program.ts";
import { EVERYTHING_SERVER, outcomeOf, tempDir, touchstone } from "./testing/touchstone.ts";

const SERVER = ["--", process.execPath, EVERYTHING_SERVER];

describe("call with the tool behind the command", () => {
  it.each([
    [["echo", '{"message":"hi"}'], "touchstone call echo '{…}' -- "],
    [["stdio", "echo", "{}"], "touchstone call echo '{…}' -- "],
    [["echo", "-a", "message=hi"], "touchstone call echo -a key=value -- "],
    [["echo", "-a", "a=1", "--argument", "b=2"], "touchstone call echo -a key=value -- "],
  ])("explains itself: %j", async (words, typed) => {
    const { code, out, err } = await outcomeOf(["call", ...SERVER, ...words]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`the tool and its arguments go before --: ${typed}`);
    expect(err).not.toContain("hi");
  });

  it("still lists the tools of a command without them", async () => {
    const { out } = await outcomeOf(["call", ...SERVER, "stdio"]);
    expect(out).toContain("echo");
  });

  it.each([
    [["files", "{}"]],
    [["--", "server"]],
    [["--", "server", "{"]],
    [["--", "server", '{"a":1}']],
    [["--", "server", "-a", "b=1"]],
    [["--", "server", "./path", '{"a":1}']],
    [["--", "server", "tool", "-a", "b"]],
    [["--", "server", "tool", "[1]"]],
  ])("does not take %j for it", (words) => {
    expect(() => refuseMisplaced(words)).not.toThrow();
  });
});

it.each([
  ["allow", 'open its call in touchstone ui, or set "rules" in touchstone.json'],
  ["strict", "touchstone install --mode strict"],
  ["logs", "touchstone activity list"],
  ["rollout", "touchstone activity rollout"],
  ["presets", "--preset with touchstone install"],
])("%s is not a command, and the error names what to use", async (word, wanted) => {
  const { code, out, err } = await outcomeOf([word, "files"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(new RegExp(`^error: unknown command '${word}': `));
  expect(err).toContain(wanted);
});

it("serve takes --port for a port of this machine", long, async () => {
  const file = join(tempDir(), "touchstone.json");
  writeFileSync(file, "{}");
  const serve = touchstone(["serve", "--config", file, "--port", "0"]);
  await serve.seen("stderr", /http:\/\/127\.0\.0\.1:\d+/);
  serve.child.kill("SIGTERM");
  expect(await serve.ended).toBe(0);
  for (const [args, said] of [
    [["--port", "1", "--listen", "127.0.0.1:2"], "--port and --listen both name a port"],
    [["--port", "127.0.0.1:1"], "It must be a port from 0 to 65535; --listen takes HOST:PORT."],
    [["--port", "65536"], "It must be a port"],
  ] as const) {
    const { code, err } = await outcomeOf(["serve", "--config", file, ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  }
});

const TOOLS = ["a", "b", "c"].map((name) => ({
  name,
  description: "Does it",
  inputSchema: { type: "object", properties: { x: { type: "string", format: "nope" } } },
}));

function list(): string {
  const file = join(tempDir(), "tools-list.json");
  writeFileSync(file, JSON.stringify({ tools: TOOLS }));
  return file;
}

it("lint without --for takes all providers, but not for --rewrite", async () => {
  const file = list();
  const all = await outcomeOf(["lint", file, "-o", "json"]);
  const rules = JSON.parse(all.out).findings.map(({ rule }: { rule: string }) => rule);
  expect(new Set(rules.map((rule: string) => rule.split("/")[0])).size).toBeGreaterThan(1);
  const out = join(tempDir(), "out.json");
  const { code, err } = await outcomeOf(["lint", file, "--rewrite", out]);
  expect([code, err]).toEqual([2, expect.stringContaining("--rewrite needs --for")]);
});

it.each(["check", "lint"])("%s lists each finding once, or by tool", async (command) => {
  const file = list();
  const { out } = await outcomeOf([command, file, "--fail-on", "error"]);
  expect(out).toMatch(/, 3 of 3 tools.*: .*\n {6}a[^,\n]*, b[^,\n]*, c/);
  const byTool = await outcomeOf([command, file, "--by", "tool", "--fail-on", "error"]);
  expect(byTool.out).toMatch(/^a\n {2}\w+ /m);
  const totals = (text: string): string | undefined => text.trimEnd().split("\n").at(-1);
  expect(totals(out)).toBe(totals(byTool.out));
});

it("activity stats is activity summary", async () => {
  const dataDir = tempDir();
  const [one, other] = await Promise.all(
    ["stats", "summary"].map((word) => outcomeOf(["activity", word, "-o", "json"], { dataDir })),
  );
  const keys = (text = ""): readonly string[] => Object.keys(JSON.parse(text));
  expect(keys(one?.out)).toEqual(keys(other?.out));
  expect(one?.code).toBe(0);
});

it.each(["check", "lint", "doctor", "validate", "audit"])(
  "%s --help says what the commands that check look at, in a line each",
  async (command) => {
    const { out } = await outcomeOf([command, "--help"]);
    const [, lines = ""] =
      /\n\nWhat the commands that check look at:\n((?: {4}\w.*\n)+)\n/.exec(out) ?? [];
    expect(lines.split("\n").map((line) => line.trim().split(" ")[0])).toEqual([
      ...["check", "lint", "doctor", "validate", "audit"],
      "",
    ]);
  },
);

it("wrap on a terminal says what it waits for, and nothing of that to a client", long, async () => {
  const said = async (isTTY: boolean): Promise<string> => {
    const stderr: string[] = [];
    const stdin = Object.assign(new PassThrough(), { isTTY });
    const stdout = Object.assign(new PassThrough(), { isTTY });
    stdin.end();
    await run(["wrap", "--data-dir", tempDir(), ...SERVER], {
      ...{ stdin, stdout, stdoutStream: stdout, signals: new EventEmitter() },
      stderr: { write: (text) => stderr.push(text) },
      env: process.env,
      now: () => new Date(),
      exit: () => {},
    });
    return stderr.join("");
  };
  expect(await said(true)).toContain("waiting for an MCP client on stdin");
  expect(await said(false)).not.toContain("waiting");
});

it("version --check says that a registry has no package", async () => {
  const registry = createServer((_, response) => response.writeHead(404).end("{}"));
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  onTestFinished(() => void registry.close());
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  const { code, err } = await outcomeOf(["version", "--check"], {
    env: { npm_config_registry: url },
  });
  expect([code, err]).toEqual([
    3,
    expect.stringContaining(`${url} has no package touchstone; it is not published there`),
  ]);
});
