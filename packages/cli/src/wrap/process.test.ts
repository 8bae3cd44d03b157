import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { run } from "../program.ts";
import {
  FAULTY_SERVER,
  recordsIn,
  SCRIPTED_SERVER,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const node = process.execPath;
const message = (id: number | undefined, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const initialize = message(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
});
const weather = (id: number, city: unknown): string =>
  message(id, "tools/call", { name: "get_weather", arguments: { city } });
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** Runs the command line in this process, for cases that end before anything is started. */
async function runHere(args: readonly string[]) {
  const text = { stdout: "", stderr: "" };
  const writer = (name: "stdout" | "stderr") => ({
    write(piece: string) {
      text[name] += piece;
    },
  });
  let code: number | undefined;
  await run(args, {
    stdin: new PassThrough(),
    stdout: writer("stdout"),
    stdoutStream: new PassThrough(),
    stderr: writer("stderr"),
    env: {},
    now: () => new Date(),
    signals: new EventEmitter(),
    exit: (status) => {
      code = status;
    },
  });
  return { ...text, code };
}

describe("usage", () => {
  it.each([
    ["an unknown mode", ["--mode", "Strict"], /off, warn, strict/],
    ["a wrong policy", ["--missing-structured-content", "no"], /allow, block/],
    ["another wrong policy", ["--on-invalid-schema", "Block"], /allow, block/],
    ["a wrong log level", ["--log-level", "loud"], /debug, info, warn, error, silent/],
    ["a number that is none", ["--max-bytes", "1e3"], /whole number of at least 1/],
    ["a number too small", ["--max-depth", "0"], /whole number of at least 1/],
    ["an unknown option", ["--strict"], /unknown option '--strict'/],
  ])("%s exits with 2 and lists the choices", async (_, options, told) => {
    const ended = await runHere(["wrap", ...options, "--", node, "--version"]);
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(told) });
  });

  it("exits with 2 without a command, and with 0 for --help and --version", async () => {
    const without = await runHere(["wrap"]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("needs a command or --url URL");
    const help = await runHere(["wrap", "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("Exit status: the server's own");
    const wrong = touchstone(["wrap", "--mode", "x", node]);
    expect(await wrong.ended).toBe(2);
  });

  it("exits with 2 for an invalid configuration, and names the place", async () => {
    const config = join(tempDir(), "touchstone.json");
    writeFileSync(config, '{\n  "input_validation": { "mode": "Strict" }\n}\n');
    const { code, stderr } = await runHere(["wrap", "--config", config, "--", node, "--version"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${config}:2:`);
    expect(stderr).toMatch(/off.*warn.*strict/);
  });
});

describe("failures", () => {
  it("exits with 3 if the command does not exist, and tells stderr and the client", async () => {
    const run = touchstone(["wrap", "--", "touchstone-no-such-command"]);
    run.child.stdin.write(initialize);
    expect(await run.ended).toBe(3);
    for (const text of [run.stderr(), run.stdout()]) {
      expect(text).toContain("touchstone-no-such-command");
      expect(text).toContain("command not found");
    }
    expect(JSON.parse(run.stdout())).toMatchObject({ id: 0, error: { code: -32603 } });
    expect(run.stderr()).not.toMatch(/^\s+at /m);
  });

  it(
    "exits with 3 if the data directory is a file or holds an invalid database",
    long,
    async () => {
      const folder = tempDir();
      const file = join(folder, "file");
      writeFileSync(file, "text");
      const other = join(folder, "dir");
      mkdirSync(other);
      writeFileSync(join(other, "activity.db"), "this is not a database, for sure it is none");
      for (const dataDir of [file, other]) {
        const run = touchstone(["wrap", "--", node, SCRIPTED_SERVER], { dataDir });
        expect(await run.ended).toBe(3);
        expect(run.stderr()).toContain(dataDir);
        expect(run.stderr()).toContain("--data-dir");
        expect(run.stderr()).not.toMatch(/^\s+at /m);
        expect(run.stdout()).toBe("");
      }
    },
  );

  it("exits with the server's code, and answers pending requests", long, async () => {
    const exits = ["--on", "tools/call=exit:7"];
    const run = touchstone(["wrap", "--", node, SCRIPTED_SERVER, ...exits]);
    run.child.stdin.write(`${initialize}${weather(1, "Rome")}`);
    expect(await run.ended).toBe(7);
    const [, answer] = run.stdout().trimEnd().split("\n");
    expect(JSON.parse(answer ?? "")).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("exited with code 7") },
    });
  });

  it("exits with 128 plus the signal if a signal ends the server", long, async () => {
    const run = touchstone(["wrap", "--", node, "-e", "process.kill(process.pid, 'SIGKILL')"]);
    run.child.stdin.end();
    expect(await run.ended).toBe(137);
    expect(run.stderr()).toContain("was ended by SIGKILL");
  });
});

describe("the server's process", () => {
  it("gets the caller's environment without Touchstone's variables, and its stderr is labeled", async () => {
    const code = "console.error(JSON.stringify(process.env))";
    const env = { WRAP_TEST: "é 1", TOUCHSTONE_OTHER: "secret" };
    const run = touchstone(["wrap", "--name", "env", "--", node, "-e", code], { env });
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    const [, seen] = (await run.seen("stderr", /^\[env\] (\{.*\})$/m)) ?? [];
    const inner = JSON.parse(seen ?? "") as Record<string, string>;
    expect(inner).toMatchObject({ WRAP_TEST: "é 1", PATH: process.env["PATH"] });
    expect(Object.keys(inner).filter((name) => name.startsWith("TOUCHSTONE_"))).toEqual([]);
  });

  it("can have a registry name that does not fit into a URL", long, async () => {
    const dataDir = tempDir();
    const name = "io.github.acme/weather";
    const run = touchstone(["wrap", "--name", name, "--", node, FAULTY_SERVER], { dataDir });
    run.child.stdin.end(`${initialize}${weather(1, "Rome")}`);
    expect(await run.ended).toBe(0);
    const shown = touchstone(["activity", "list", "--server", name, "-o", "json"], { dataDir });
    expect(await shown.ended).toBe(0);
    const { activities } = JSON.parse(shown.stdout());
    expect(activities).toContainEqual(
      expect.objectContaining({ server: name, type: "tool_call", tool: "get_weather" }),
    );
  });

  it("gets its own options unchanged, even those that wrap has too", long, async () => {
    const code = "console.error(JSON.stringify(process.argv.slice(1)))";
    const options = ["--mode", "x", "--help", "--", "-y"];
    const run = touchstone(["wrap", "--name", "argv", node, "-e", code, "--", ...options]);
    run.child.stdin.end();
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toContain(`[argv] ${JSON.stringify(options)}`);
  });
});

describe("shutdown", () => {
  it("on SIGTERM exits with 0, stops the server and writes the records", long, async () => {
    const dataDir = tempDir();
    const code = `console.error("pid=" + process.pid); process.stdin.resume(); setInterval(() => {}, 60000)`;
    const run = touchstone(["wrap", "--name", "t", "--", node, "-e", code], { dataDir });
    const pid = Number((await run.seen("stderr", /pid=(\d+)/))[1]);
    run.child.stdin.write(weather(1, "Rome"));
    await run.seen("stderr", /checking/);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    expect(isGone(pid)).toBe(true);
    const types = (await recordsIn(dataDir)).map(({ type }) => type);
    expect(types[0]).toBe("system_start");
    expect(types.at(-1)).toBe("system_stop");
  });

  it("loses no record of a response if it is killed right after", long, async () => {
    const dataDir = tempDir();
    const run = touchstone(["wrap", "--mode", "strict", "--", node, FAULTY_SERVER], { dataDir });
    run.child.stdin.write(`${initialize}${weather(1, "Berlin")}`);
    await run.seen("stdout", /"id":1\b.*\n/);
    run.child.kill("SIGKILL");
    expect(await run.ended).toBe("SIGKILL");
    const records = await recordsIn(dataDir);
    const [decision, call] = records.filter(({ tool }) => tool === "get_weather");
    expect(call).toMatchObject({ type: "tool_call", status: "blocked", client: "raw/1" });
    expect(decision).toMatchObject({ type: "policy_decision", request_id: call?.request_id });

    const show = touchstone(["activity", "show", decision?.id ?? ""], { dataDir });
    expect(await show.ended).toBe(0);
    const facts = show.stdout().replace(/ {2,}/g, "  ");
    for (const fact of [
      "server  faulty-server",
      "tool  get_weather",
      "direction  output",
      "mode  strict",
      "decision  blocked",
      "1. /temperature must be a number (got a string)",
      "rule type, keyword type",
    ]) {
      expect(facts).toContain(fact);
    }
  });

  it("records the call in progress if the client disappears", long, async () => {
    const dataDir = tempDir();
    const asks = ["--on", "tools/call=ask:roots/list"];
    const run = touchstone(["wrap", "--", node, SCRIPTED_SERVER, ...asks], { dataDir });
    run.child.stdin.write(`${initialize}${weather(1, "Rome")}`);
    await run.seen("stdout", /roots\/list/);
    run.child.stdout.destroy();
    run.child.stdin.destroy();
    expect(await run.ended).toBe(0);
    const calls = (await recordsIn(dataDir)).filter(({ type }) => type === "tool_call");
    expect(calls).toMatchObject([{ tool: "get_weather", status: "error" }]);
  });
});

it("lets five wraps start at once on a new data directory, and all record", long, async () => {
  const dataDir = join(tempDir(), "new", "dir");
  const runs = [1, 2, 3, 4, 5].map((n) => {
    const run = touchstone(["wrap", "--name", `s${n}`, "--", node, FAULTY_SERVER], { dataDir });
    run.child.stdin.end(`${initialize}${weather(1, "Berlin")}`);
    return run;
  });
  expect(await Promise.all(runs.map((run) => run.ended))).toEqual([0, 0, 0, 0, 0]);
  const records = await recordsIn(dataDir);
  for (const n of [1, 2, 3, 4, 5]) {
    const types = records.filter(({ server }) => server === `s${n}`).map(({ type }) => type);
    expect(types).toEqual(["system_start", "policy_decision", "tool_call", "system_stop"]);
  }
});
