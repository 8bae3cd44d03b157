import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import {
  EVERYTHING_SERVER,
  FAULTY_SERVER,
  outcomeOf,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  },
};
const call = (id: number, name: string, args: object): object => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: args },
});

/** Wraps a server with a capture, sends the messages of a client, and returns the file. */
async function captured(
  server: string,
  calls: readonly object[],
  options: readonly string[] = [],
): Promise<string> {
  const file = join(tempDir(), "session.jsonl");
  const args = ["wrap", "--capture", file, ...options, "--", process.execPath, server];
  const run = touchstone(args);
  const send = (message: object): void =>
    void run.child.stdin.write(`${JSON.stringify(message)}\n`);
  send(INITIALIZE);
  await run.seen("stdout", /"id":1[,}]/);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  for (const message of calls) send(message);
  for (const message of calls) {
    const { id } = message as { id: number };
    await run.seen("stdout", new RegExp(`"id":${id}[,}]`));
  }
  run.child.stdin.end();
  await run.ended;
  return file;
}

const replayed = (args: readonly string[]) => outcomeOf(["replay", ...args]);

describe("touchstone wrap --capture and replay", () => {
  it("reports exactly the frames that strict would have blocked", async () => {
    const file = await captured(EVERYTHING_SERVER, [
      call(2, "get-sum", { a: 1, b: "2" }),
      call(3, "get-sum", { a: 1, b: 2 }),
      call(4, "echo", { message: "x" }),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const strict = await replayed([file, "--mode", "strict", "-f", "json"]);
    expect(strict.code).toBe(1);
    const { findings, summary } = JSON.parse(strict.out);
    expect(findings).toEqual([
      expect.objectContaining({
        ...{ rule: "input", level: "error", subject: "server-everything/get-sum", path: "/b" },
        message: expect.stringContaining("client message would be blocked"),
      }),
    ]);
    expect(summary).toMatchObject({ calls: 3, blocked: 1, warned: 0, unjudged: 0, malformed: 0 });
    const { line } = findings[0];
    const text = readFileSync(file, "utf8").split("\n")[line - 1] ?? "";
    expect(JSON.parse(JSON.parse(text).text).id).toBe(2);

    const warn = await replayed([file, "-f", "json"]);
    expect(warn.code).toBe(0);
    expect(JSON.parse(warn.out).summary).toMatchObject({ calls: 3, blocked: 0, warned: 1 });
    const off = await replayed([file, "--mode", "off", "-f", "json"]);
    expect([off.code, JSON.parse(off.out).findings]).toEqual([3, []]);
    const allowed = await replayed([file, "--mode", "off", "-f", "json", "--allow-unchecked"]);
    expect(allowed.code).toBe(0);
  });

  it("replays calls that were blocked during capture and so have no response", long, async () => {
    const calls = [call(2, "get-sum", { a: 1, b: "2" }), call(3, "get-sum", { a: 1, b: 2 })];
    const file = await captured(EVERYTHING_SERVER, calls, ["--mode", "strict"]);
    const { code, out } = await replayed([file, "-f", "json"]);
    expect(code).toBe(0);
    const { subjects, summary } = JSON.parse(out);
    expect(summary).toMatchObject({ calls: 2, unjudged: 0, blocked: 0, warned: 1 });
    expect(subjects).toEqual(["server-everything/get-sum"]);
  });

  it("checks results with the settings of a configuration", long, async () => {
    const calls = [
      call(2, "get_weather", { city: "Berlin" }),
      call(3, "lookup_order", { number: "1" }),
    ];
    const file = await captured(FAULTY_SERVER, calls, [
      "--name",
      "weather",
      "--output-mode",
      "off",
    ]);
    const config = join(tempDir(), "touchstone.json");
    const strict = { output_validation: { mode: "strict" } };
    const entry = { command: "x", touchstone: strict };
    writeFileSync(config, JSON.stringify({ mcpServers: { weather: entry } }));
    const found = await replayed([file, "--config", config, "-f", "junit"]);
    expect(found.code).toBe(1);
    expect(found.out).toMatch(
      /name="weather\/get_weather">\s*<failure[^>]*>error output \/temperature/,
    );
    expect(found.err).toMatch(/1 would be blocked/);
    writeFileSync(config, JSON.stringify({ mcpServers: { other: entry } }));
    const off = await replayed([file, "--config", config]);
    expect([off.code, off.out]).toEqual([
      0,
      expect.stringMatching(/0 would be blocked, [12] noted/),
    ]);
  });

  it("keeps frames unchanged except for secrets", long, async () => {
    const secret = { message: "x", password: "hunter2" };
    const exact = '{"jsonrpc":"2.0", "id":3,"method":"ping" , "params":{"_meta":{"n":1.0}}}';
    const file = await captured(EVERYTHING_SERVER, [call(2, "echo", secret)]);
    expect(readFileSync(file, "utf8")).not.toContain("hunter2");
    const run = touchstone(["wrap", "--capture", file, "--", process.execPath, EVERYTHING_SERVER]);
    run.child.stdin.write(`${JSON.stringify(INITIALIZE)}\n${exact}\n`);
    await run.seen("stdout", /"id":3[,}]/);
    run.child.stdin.end();
    await run.ended;
    const lines = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ touchstone: start }) => start === "capture")).toHaveLength(2);
    expect(lines.map(({ text }) => text)).toContain(exact);
    expect(new Set(lines.flatMap(({ connection }) => connection ?? [])).size).toBe(2);
  });

  it("reports that it cannot check a redacted value", async () => {
    const file = join(tempDir(), "c.jsonl");
    const list = {
      ...{ jsonrpc: "2.0", id: 1 },
      result: {
        tools: [
          { name: "t", inputSchema: { type: "object", properties: { pin: { type: "integer" } } } },
        ],
      },
    };
    const about = { time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c", session: "x" };
    const line = (from: string, to: string, message: object, more: object = {}): string =>
      JSON.stringify({ ...about, from, to, text: JSON.stringify(message), ...more });
    const lines = [
      line("server", "gateway", list),
      line("client", "server", call(2, "t", { pin: "[redacted]" }), { redactions: 1 }),
      line("client", "server", call(3, "t", { pin: "x" }), { redactions: 1 }),
      "half a li",
      JSON.stringify({ time: "", lost: { frames: 3, bytes: 1, since: "", reason: "slow" } }),
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const { code, out } = await replayed([file, "--input-mode", "strict", "-f", "json"]);
    expect(code).toBe(1);
    const { findings, summary } = JSON.parse(out);
    expect(
      findings.map(({ level, line: at }: { level: string; line: number }) => [level, at]),
    ).toEqual([
      ["note", 2],
      ["error", 3],
      ["warning", 4],
    ]);
    expect(summary).toMatchObject({ blocked: 1, uncertain: 1, missing: 3, malformed: 1 });
  });

  it("exits with 3 if strict would block only what cannot be checked", async () => {
    const file = join(tempDir(), "c.jsonl");
    // A check by this schema does not end.
    const loop = { type: "object", anyOf: [{ $ref: "#" }] };
    const tools = {
      tools: [
        { name: "t", inputSchema: loop },
        { name: "u", inputSchema: { type: "object" } },
      ],
    };
    const about = { time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c", session: "x" };
    const line = (from: string, to: string, message: object): string =>
      JSON.stringify({ ...about, from, to, text: JSON.stringify(message) });
    const list = line("server", "gateway", { jsonrpc: "2.0", id: 1, result: tools });
    const run = async (lines: string[], ...args: string[]) => {
      writeFileSync(file, `${lines.join("\n")}\n`);
      return replayed([file, "--input-mode", "strict", ...args]);
    };
    const budget = await run([list, line("client", "server", call(2, "t", {}))], "-f", "json");
    const { findings, summary } = JSON.parse(budget.out);
    expect([budget.code, summary]).toEqual([
      3,
      expect.objectContaining({ blocked: 0, unchecked: 1 }),
    ]);
    expect(findings[0].message).toMatch(/would be blocked because it cannot be checked/);
    const unlisted = await run([line("client", "server", call(2, "t", {}))]);
    expect([unlisted.code, unlisted.out]).toEqual([
      3,
      expect.stringMatching(/1 message would be blocked because it cannot be checked/),
    ]);
    const calls = [call(2, "t", {}), call(3, "u", 5 as never)];
    const both = await run([list, ...calls.map((one) => line("client", "server", one))]);
    expect(both.code).toBe(1);
  });

  it("blames the server for a broken tool in the list that the gateway fetched, at that line", async () => {
    const file = join(tempDir(), "c.jsonl");
    const lists = [
      { tools: [{ name: "t", inputSchema: { required: ["a"], type: "object" } }], nextCursor: "2" },
      { tools: [{ name: "u", inputSchema: 5 }] },
    ];
    const about = {
      ...{ time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c", session: "x" },
      revision: "2025-11-25",
    };
    const line = (from: string, to: string, message: object): string =>
      JSON.stringify({ ...about, from, to, text: JSON.stringify(message) });
    const lines = [
      // A capture may contain the responses before the call that waited for them, or after it.
      line("server", "gateway", { jsonrpc: "2.0", id: 1, result: lists[0] }),
      line("client", "server", call(2, "t", {})),
      line("server", "gateway", { jsonrpc: "2.0", id: 2, result: lists[1] }),
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const { out } = await replayed([file, "--protocol-mode", "warn", "-f", "json"]);
    const found = JSON.parse(out).findings.map(
      (finding: { line: number; subject: string; message: string }) => {
        return [finding.line, finding.subject, finding.message.split(":")[0]];
      },
    );
    expect(found).toEqual([
      [3, "s/u", "server answer to the gateway's own tools/list would be noted"],
      [2, "s/t", "client message would be noted"],
    ]);
  });

  it.each([
    [
      "no file",
      () => "/no/such/file",
      3,
      /file cannot be read: there is no such file; check the path\n/,
    ],
    ["a directory", () => tempDir(), 3, /cannot be read: it is a directory; name a file/],
    [
      "an empty file",
      () => {
        const file = join(tempDir(), "x");
        writeFileSync(file, "");
        return file;
      },
      2,
      /not a capture: the file is empty/,
    ],
    [
      "not a capture",
      () => {
        const file = join(tempDir(), "x");
        writeFileSync(file, "[]\n");
        return file;
      },
      2,
      /not a capture: line 1 cannot be read/,
    ],
    [
      "what begins unlike a capture, and is not read to its end",
      () => {
        const file = join(tempDir(), "x");
        const frame = { server: "s", connection: "c", time: "2026-01-01T00:00:00Z" };
        const text = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
        const last = JSON.stringify({ ...frame, from: "client", to: "server", text });
        writeFileSync(file, `${"[]\n".repeat(1_000)}${last}\n`);
        return file;
      },
      2,
      /not a capture: line 1 cannot be read/,
    ],
  ])("%s exits with the documented status", async (_, file, wanted, text) => {
    const { code, err } = await replayed([file()]);
    expect([code, err]).toEqual([wanted, expect.stringMatching(text)]);
  });

  it.each([
    ["a directory", "", /cannot write the capture .*: it is not a file\n/],
    [
      "missing",
      "none/x.jsonl",
      /cannot write the capture .*: its directory does not exist; create/,
    ],
  ])("does not start if the capture path is %s", async (_, file, text) => {
    const place = join(tempDir(), file);
    const args = ["wrap", "--capture", place, "--", process.execPath, EVERYTHING_SERVER];
    const { code, err } = await outcomeOf(args);
    expect([code, err]).toEqual([3, expect.stringMatching(text)]);
  });
});
