import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { type Outcome, outcomeOf, tempDir, touchstone } from "../testing/touchstone.ts";

const SERVER = fileURLToPath(new URL("../testing/changing-server.mjs", import.meta.url));
const server = (...args: readonly string[]): readonly string[] => [
  "--",
  process.execPath,
  SERVER,
  ...args,
];

const folder = mkdtempSync(join(tmpdir(), "touchstone-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const INITIALIZE = {
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  },
};
const call = (name: string, args: object): object => ({
  method: "tools/call",
  params: { name, arguments: args },
});
const CALLS = [
  call("weather", { city: "Rome" }),
  call("weather", { city: "Berlin" }),
  call("weather", { city: "Atlantis" }),
  call("list", {}),
  call("write", {}),
  call("list", {}),
];

/** Wraps the server with a capture, sends requests one after the other, and returns the file. */
async function captured(calls: readonly object[] = CALLS): Promise<string> {
  const file = join(folder, `session-${calls.length}.jsonl`);
  const run = touchstone(["wrap", "--capture", file, ...server("unchanged")]);
  const send = (message: object): void =>
    void run.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for (const [id, message] of [INITIALIZE, { method: "tools/list" }, ...calls].entries()) {
    send({ id, ...message });
    await run.seen("stdout", new RegExp(`"id":${id}[,}]`));
    if (id === 0) send({ method: "notifications/initialized" });
  }
  run.child.stdin.end();
  await run.ended;
  return file;
}

let session: Promise<string> | undefined;
/** The capture of all calls; the first test that needs it makes it. */
function capture(): Promise<string> {
  session ??= captured();
  return session;
}

interface Found {
  readonly code: number;
  readonly err: string;
  readonly findings: readonly {
    rule: string;
    level: string;
    subject: string;
    path: string;
    message: string;
  }[];
  readonly summary: Readonly<Record<string, unknown>>;
}

async function verified(change: string, ...options: readonly string[]): Promise<Found> {
  const args = ["verify", await capture(), "-o", "json", ...options, ...server(change)];
  const { code, out, err }: Outcome = await outcomeOf(args);
  return { code, err, ...JSON.parse(out) };
}

/** A server without an SDK whose tools return its argument as the result. */
const RAW = `
const tools = ["weather", "list"].map((name) => ({
  name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true },
}));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? JSON.stringify({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "raw", version: "1" },
        })
      : method === "tools/list"
        ? JSON.stringify({ tools })
        : process.argv[1];
  process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + "}\\n");
});
`;
const EXACT = ["--exact", "/structuredContent"];

describe("touchstone verify", () => {
  it("finds nothing in a server that has not changed, ten times", long, async () => {
    for (let time = 0; time < 10; time += 1) {
      const found = await verified("unchanged", ...EXACT, "--fail-on", "note");
      expect([found.code, found.findings]).toEqual([0, []]);
      expect(found.summary).toMatchObject({
        recorded: 6,
        repeated: 4,
        not_repeated: { same: 1, "not-read-only": 1 },
        // The time and the id of each of two results.
        varying: 4,
        unchecked: 0,
        unconfirmed: 0,
      });
    }
  });

  it.each([
    ["other-type", [], "type", "error", "weather", "/structuredContent/degrees"],
    ["other-value", EXACT, "value", "error", "weather", "/structuredContent/degrees"],
    ["undeclared-value", [], "output-schema", "error", "weather", "/structuredContent/sky"],
    ["missing-member", [], "missing", "error", "weather", "/structuredContent/wind"],
    ["null-value", [], "type", "error", "weather", "/structuredContent/wind/from"],
    ["new-member", [], "added", "note", "weather", "/structuredContent/humidity"],
    ["no-structure", [], "missing", "error", "weather", "/structuredContent"],
    ["shorter-names", [], "outcome", "error", "weather", ""],
    ["refuses", [], "outcome", "error", "weather", ""],
    ["accepts", [], "outcome", "error", "weather", ""],
    ["exits", [], "outcome", "error", "weather", ""],
    ["gone", [], "gone", "error", "list", ""],
    ["other-items", [], "type", "error", "list", "/content/*/text/items/*/id"],
    ["image", [], "missing", "error", "list", "/content/*/text"],
    ["no-json", [], "type", "error", "list", "/content/*/text"],
  ] as const)("finds the change %s", async (change, options, rule, level, subject, path) => {
    const { code, findings } = await verified(change, ...options);
    expect(findings).toContainEqual(expect.objectContaining({ rule, level, subject, path }));
    expect(code).toBe(level === "error" ? 1 : 0);
    expect(new Set(findings.map((finding) => finding.subject))).toEqual(new Set([subject]));
  });

  it("does not call what does not declare that it only reads, unless it is named", async () => {
    const file = join(tempDir(), "written");
    const args = ["verify", await capture(), "-o", "json"];
    const quiet = await outcomeOf([...args, ...server("no-hint", file)]);
    expect(JSON.parse(quiet.out).summary).toMatchObject({
      repeated: 1,
      not_repeated: { same: 1, "not-read-only": 4 },
    });
    expect([quiet.code, existsSync(file)]).toEqual([0, false]);
    const named = await outcomeOf([
      ...args,
      "--tools",
      "write,weather",
      ...server("no-hint", file),
    ]);
    expect([named.code, readFileSync(file, "utf8")]).toEqual([0, "written\n"]);
    const wrong = await outcomeOf([...args, "--tools", "wrote", ...server("unchanged")]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('the capture has no calls of "wrote"'),
    ]);
  });

  it.each([
    ["null", "malformed result"],
    ["[]", "malformed result"],
    ["{}", "malformed result"],
    ['{"structuredContent":{"degrees":4}}', "malformed result"],
    ['{"content":[],"isError":"true"}', "malformed result"],
    ['{"content":[],"resultType":"input_required"}', "result that is not complete"],
  ])("takes the result %s for another outcome", async (result, kind) => {
    const args = [
      "verify",
      await capture(),
      "-o",
      "json",
      "--",
      process.execPath,
      "-e",
      RAW,
      result,
    ];
    const { code, out } = await outcomeOf(args);
    const { findings } = JSON.parse(out);
    const outcome = { rule: "outcome", level: "error", subject: "weather" };
    const message = expect.stringContaining(`now there is a ${kind}`);
    expect(findings).toContainEqual(expect.objectContaining({ ...outcome, message }));
    expect(code).toBe(1);
  });

  it("does not report a tool as gone that was never listed", async () => {
    const file = await captured([call("list", {}), call("lists", {})]);
    const args = ["verify", file, "-o", "json", "--tools", "lists", ...server("unchanged")];
    const { code, out } = await outcomeOf(args);
    expect([code, JSON.parse(out).findings]).toEqual([0, []]);
    expect(JSON.parse(out).summary).toMatchObject({ repeated: 1, not_repeated: { unlisted: 1 } });
  });

  it("reports in every format", async () => {
    const file = await capture();
    const reports = ["sarif", "junit", "markdown"].flatMap((format) => [
      "--report",
      `${format}=${join(folder, format)}`,
    ]);
    const { code, out } = await outcomeOf(["verify", file, ...reports, ...server("refuses")]);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^weather\n {2}error outcome: there was a result, and now there is a tool error: out of order \(in 1 of 3 calls\)\n {6}\{"city":"Rome"\}\n[\s\S]*6 recorded calls, 4 repeated; 2 not repeated: 1 are of tools that do not declare readOnlyHint, then and now, 1 repeat another recorded call\n$/,
      ),
    ]);
    expect(JSON.parse(readFileSync(join(folder, "sarif"), "utf8")).runs[0].results).toMatchObject([
      { ruleId: "outcome" },
    ]);
    expect(readFileSync(join(folder, "junit"), "utf8")).toContain('name="weather"');
    expect(readFileSync(join(folder, "markdown"), "utf8")).toContain("`outcome`");
  });

  it("matches removed secrets with anything, and leaves out calls that lack them", async () => {
    const file = join(folder, "redacted.jsonl");
    const about = { time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c", session: "x" };
    const line = (from: string, to: string, message: object, redacted?: object): string =>
      JSON.stringify({
        ...about,
        ...{ revision: "2025-11-25", from, to, ...redacted },
        text: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
    const reading = {
      degrees: 4,
      sky: "rain",
      at: "[redacted]",
      wind: "[redacted]",
      request: "[redacted]",
    };
    const lines = readFileSync(await capture(), "utf8").split("\n");
    const list = lines.find((text) => text.includes("outputSchema")) ?? "";
    writeFileSync(
      file,
      [
        line("server", "gateway", { id: 1, result: JSON.parse(JSON.parse(list).text).result }),
        line("client", "server", { id: 7, ...call("weather", { city: "Rome" }) }),
        line("server", "client", {
          id: 7,
          result: { content: [], structuredContent: reading },
        }),
        line(
          "client",
          "server",
          { id: 8, ...call("weather", { city: "[redacted]" }) },
          { redactions: 1 },
        ),
        line("server", "client", { id: 8, result: { content: [], structuredContent: reading } }),
        "{",
      ].join("\n"),
    );
    const args = ["verify", file, "-o", "json", ...EXACT, ...server("unchanged")];
    const { out } = await outcomeOf(args);
    expect(JSON.parse(out)).toMatchObject({
      findings: [],
      summary: { recorded: 2, repeated: 1, not_repeated: { redacted: 1 }, unreadable_lines: 1 },
    });
  });

  it.each([
    ["no file", () => join(folder, "none"), 3, /there is no such file/],
    ["a directory", () => folder, 3, /it is a directory/],
    ["an empty file", () => written(""), 2, /the file is empty/],
    ["another file", () => written('{"a":1}'), 2, /not a capture/],
    [
      "a list of tools",
      () => written('{"tools":[{"name":"t"}]}'),
      2,
      /a list of tools has no calls/,
    ],
    [
      "half a line",
      async () => written(readFileSync(await capture(), "utf8").slice(0, 300)),
      2,
      /no capture|cannot be read/,
    ],
    ["no calls", () => captured([]), 3, /has no calls of tools/],
  ] as const)("refuses %s with a clear error", async (_, file, code, wanted) => {
    const ended = await outcomeOf(["verify", await file(), ...server("unchanged")]);
    expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(wanted)]);
  });
});

let files = 0;
function written(text: string): string {
  files += 1;
  const file = join(folder, `written-${files}`);
  writeFileSync(file, text);
  return file;
}
