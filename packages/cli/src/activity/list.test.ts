import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ActivityEntry } from "@touchstone/gateway";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { recorded, run, tempDir } from "./testing/run.ts";

const HOSTILE = "\u001b[2J\u202eevil\nSERVER";
const ENTRIES: readonly ActivityEntry[] = [
  { type: "tool_call", source: "gateway", server: "weather", tool: "get", status: "success" },
  {
    type: "policy_decision",
    source: "gateway",
    server: "weather",
    tool: HOSTILE,
    direction: "output",
    mode: "warn",
    decision: "warning",
    status: "warning",
    reason: `/city ${HOSTILE} must be string and this text goes on for quite a while`,
    issues: [{ path: "/city", message: HOSTILE, rule: "type", keyword: "type" }],
  },
  { type: "tool_call", source: "gateway", server: "files", tool: "read", status: "error" },
];
/** Uses the longest possible decision. */
const CALL_REFUSED = {
  type: "tool_call",
  source: "gateway",
  direction: "output",
  mode: "strict",
  decision: "blocked",
  status: "rejected",
} as const;

describe("activity list", () => {
  it("reads the data directory of --data-dir, even if the environment names a store", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const env = { TOUCHSTONE_STORE: "postgresql://127.0.0.1:1/none" };
    const { code, stdout } = await run(["list", "--records", "--data-dir", dataDir, "-o", "json"], {
      env,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ total: records.length });
    const store = ["--store", "postgresql://127.0.0.1:2/typed"];
    const typed = await run(["list", "--records", "--data-dir", dataDir, ...store], { env });
    expect([typed.code, typed.message]).toEqual([3, expect.stringContaining("127.0.0.1:2/typed")]);
  });

  it("takes several filters as one text, and names what does not exist", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const query = async (text: string) =>
      run(["list", "--data-dir", dataDir, "-o", "jsonl", "--query", text]);
    const { code, stdout } = await query("-status:success tool:read,get");
    expect([
      code,
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).tool),
    ]).toEqual([0, ["read"]]);
    const wrong = await query("stauts:error");
    expect([wrong.code, wrong.message]).toEqual([
      2,
      expect.stringContaining("did you mean status?"),
    ]);
    const text = await query("kelvin");
    expect([text.code, text.message]).toEqual([
      2,
      expect.stringContaining("is text to search for"),
    ]);
    const exported = await run(["export", "--data-dir", dataDir, "--query", "read"]);
    expect(
      exported.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).tool),
    ).toEqual(["read"]);
  });

  it("prints a table, newest first", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const { code, stdout, stderr } = await run(["list", "--records", "--data-dir", dataDir]);
    const lines = stdout.trimEnd().split("\n");
    expect([code, stderr]).toEqual([0, ""]);
    expect(lines).toHaveLength(4);
    expect(lines[0]?.split(/ +/)).toEqual(
      "TIME ID TYPE SERVER TOOL DIRECTION MODE DECISION/STATUS REASON".split(" "),
    );
    expect(lines[1]).toMatch(
      /^2026-08-31T09:02:00\.000Z {2}\w{26} {2}tool_call +files +read +error *$/,
    );
    expect(lines[2]).toMatch(
      /output +warn +warning +\/city \\u\{1b\}\[2J\\u\{202e\}evil\\u\{a\}SERVER/,
    );
    expect(lines.slice(1).map((line) => line.slice(26, 52))).toEqual(
      records.map((record) => record.id).reverse(),
    );
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("shows everything in a wide table, whatever the width of the terminal", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const args = ["list", "--records", "--data-dir", dataDir, "-o", "wide"];
    const { code, stdout } = await run(args, { columns: 80, env: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    const [titles = "", ...lines] = stdout.trimEnd().split("\n");
    expect(titles.replace(/ {2,}/g, "|")).toBe(
      "TIME|ID|TYPE|SOURCE|SERVER|TOOL|DIRECTION|MODE|DECISION/STATUS|OUTCOME|CLIENT|CALLER|REQUEST|BYTES IN|BYTES OUT|MS|ISSUES|REASON",
    );
    for (const [i, record] of [...records].reverse().entries()) {
      expect(lines[i]).toContain(record.time);
      expect(lines[i]).toContain(`  ${record.id}  `);
    }
    expect(lines[1]).toContain("goes on for quite a while");
    expect(stdout).not.toContain("…");
  });

  it("cuts the reason to the terminal and colors the result", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const { stdout } = await run(["list", "--records", "--data-dir", dataDir], { columns: 100 });
    expect(stdout).toContain("\u001b[33mwarning");
    expect(stdout).toContain("\u001b[31merror");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: color sequences start with one
    const plain = stdout.replace(/\u001b\[\d+m/g, "");
    expect(plain).toMatch(/^2h ago {2,}\w{10,26} {2}[^\n]*…\n/m);
    expect(Math.max(...plain.split("\n").map((line) => line.length))).toBe(100);
    expect(plain).not.toContain("quite a while");
    const plainRun = await run(["list", "--records", "--data-dir", dataDir], {
      columns: 100,
      env: { NO_COLOR: "1" },
    });
    expect(plainRun.stdout).toBe(plain);
  });

  it("describes a record without a tool if its type column is hidden", async () => {
    const { dataDir } = await recorded([
      { type: "system_stop", source: "gateway" },
      { type: "tool_call", source: "gateway", tool: "a" },
    ]);
    const shown = async (columns: number) => {
      const given = { columns, env: { NO_COLOR: "1" } };
      return (await run(["list", "--records", "--data-dir", dataDir], given)).stdout;
    };
    for (const columns of [80, 160]) expect(await shown(columns)).toContain("(system_stop)");
    expect(await shown(80)).toMatch(/^\dh ago {2}\w{10,26} {2}(tool_call +)?a /m);
  });

  it.each([
    [60, "WHEN ID SERVER/TOOL STATUS"],
    [80, "WHEN ID SERVER/TOOL STATUS REASON"],
    [100, "WHEN ID TYPE SERVER/TOOL STATUS REASON"],
    [140, "WHEN ID TYPE SERVER/TOOL STATUS REASON"],
  ])(
    "fits a terminal of %i columns and drops columns that have no room",
    async (columns, titles) => {
      const { dataDir, records } = await recorded([
        ...ENTRIES,
        {
          type: "tool_call",
          source: "gateway",
          server: "天気予報の長い名前",
          tool: "調べる道具".repeat(9),
        },
        {
          type: "tool_call",
          source: "gateway",
          server: "שלום",
          tool: "👩‍👩‍👧‍👦é̂̂".repeat(9),
          status: "success",
        },
        { ...CALL_REFUSED, server: "s".repeat(90), tool: "t".repeat(90), reason: "r".repeat(500) },
      ]);
      const given = { columns, env: { NO_COLOR: "1" } };
      const { stdout } = await run(["list", "--records", "--data-dir", dataDir], given);
      const lines = stdout.trimEnd().split("\n");
      expect(lines[0]?.split(/ +/).join(" ")).toBe(titles);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      const shown = lines
        .slice(1)
        .map((line) => /[\dA-HJKMNP-TV-Z]{10,26}(?= )/.exec(line)?.[0] ?? "");
      expect(new Set(shown).size).toBe(records.length);
      const ids = records.map(({ id }) => id).reverse();
      for (const [at, id] of ids.entries()) expect(id.startsWith(shown[at] ?? "-")).toBe(true);
    },
  );

  const CALLS: readonly ActivityEntry[] = [
    { type: "system_start", source: "gateway", server: "weather" },
    ...ENTRIES,
    { ...CALL_REFUSED, server: "weather", tool: "get", reason: "/city is required" },
  ];

  it("lists calls, and counts the records that it does not list", async () => {
    const { dataDir, records } = await recorded(CALLS);
    const calls = records.filter(({ type }) => type === "tool_call").reverse();
    const at = ["list", "--data-dir", dataDir];
    const json = await run([...at, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ activities: calls, total: 3 });
    expect(json.stderr).toBe("");
    const not = "not listed: 2 records that are not calls; --records lists all\n";
    for (const form of ["table", "wide"]) {
      const { stdout, stderr } = await run([...at, "-o", form]);
      expect([stdout.trimEnd().split("\n").length, stderr]).toEqual([4, not]);
    }
    const filtered = await run([...at, "--server", "files"]);
    expect(filtered.stderr).toBe("");
    const one = await run([...at, "--decision", "warning"]);
    expect(one).toMatchObject({
      code: 0,
      stderr: "not listed: 1 record that is not a call; --records lists all\n",
    });
  });

  it("shows on a terminal when a call was, then the id for show", async () => {
    const { dataDir } = await recorded(CALLS);
    const given = { columns: 100, env: { NO_COLOR: "1" } };
    const { stdout } = await run(["list", "--data-dir", dataDir], given);
    const [titles, first] = stdout.split("\n");
    expect(titles?.split(/ +/)).toEqual(["WHEN", "ID", "SERVER/TOOL", "STATUS", "REASON"]);
    expect(first).toMatch(/^2h ago {2}\w{10,26} {2}weather\/get +rejected +\/city is required$/);
    const id = first?.split(/ {2,}/)[1] ?? "";
    expect((await run(["show", id, "--data-dir", dataDir])).code).toBe(0);
  });

  it("names the next page of calls", async () => {
    const { dataDir } = await recorded(CALLS);
    const { stderr } = await run(["list", "--data-dir", dataDir, "-n", "2"]);
    expect(stderr).toMatch(/^2 of 3 calls; the next: --cursor \S+\nnot listed: 2 records /);
  });

  it("applies --fail-on to records that it does not list", async () => {
    const { dataDir } = await recorded(CALLS);
    const ended = await run(["list", "--data-dir", dataDir, "--fail-on", "warning"]);
    expect(ended).toMatchObject({ code: 1, message: "1 of 5 records is warning" });
  });

  it.each(["-o", "--output", "--format"])(
    "gives exactly the page as JSON with %s",
    async (flag) => {
      const { dataDir, records } = await recorded(ENTRIES);
      const { stdout, stderr } = await run([
        "list",
        "--records",
        "--data-dir",
        dataDir,
        flag,
        "json",
      ]);
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({
        activities: [...records].reverse(),
        total: 3,
        limit: 50,
        offset: 0,
        next_cursor: null,
      });
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  );

  it("accepts -f and -o for the same format", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const at = ["list", "--records", "--data-dir", dataDir, "-o", "json"];
    expect(await run([...at, "--format", "json"])).toEqual(await run(at));
  });

  it("gives exactly the page as YAML, and the records as JSON Lines", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const yaml = await run(["list", "--records", "--data-dir", dataDir, "-o", "yaml"]);
    expect(parse(yaml.stdout)).toMatchObject({ activities: [...records].reverse(), total: 3 });
    const jsonl = await run(["list", "--records", "--data-dir", dataDir, "-o", "jsonl"]);
    const lines = jsonl.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([...records].reverse());
  });

  it.each([
    [["-t", "policy_decision"], [1]],
    [
      ["--type", "tool_call,policy_decision"],
      [2, 1, 0],
    ],
    [
      ["-s", "weather"],
      [1, 0],
    ],
    [["--tool", "read"], [2]],
    [["--tool", HOSTILE], [1]],
    [["--direction", "output"], [1]],
    [["--decision", "warning"], [1]],
    [
      ["--status", "success,error"],
      [2, 0],
    ],
    [
      ["--since", "2026-08-31T09:01:00Z"],
      [2, 1],
    ],
    [["--since", "179m", "--until", "2026-08-31T09:02:00Z"], [1]],
    [["--session", "none"], []],
    [["--request", "none"], []],
    [["-n", "1", "--offset", "1"], [1]],
  ])("filters by %j", async (args, expected) => {
    const { dataDir, records } = await recorded(ENTRIES);
    const { stdout } = await run([
      "list",
      "--records",
      "--data-dir",
      dataDir,
      "-o",
      "json",
      ...args,
    ]);
    expect(JSON.parse(stdout).activities).toEqual(expected.map((index) => records[index]));
  });

  it("prints the cursor of the next page and continues from it", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const first = await run(["list", "--records", "--data-dir", dataDir, "-n", "2"]);
    const cursor = /^2 of 3 records; the next: --cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? "";
    const second = await run([
      "list",
      "--records",
      "--data-dir",
      dataDir,
      "--cursor",
      cursor,
      "-o",
      "json",
    ]);
    expect(JSON.parse(second.stdout)).toMatchObject({
      activities: [records[0]],
      next_cursor: null,
    });
  });

  it.each([
    ["error", 1, "1 of 3 records is error"],
    ["warning", 1, "1 of 3 records is warning"],
    ["blocked", 0, ""],
    ["blocked,error", 1, "1 of 3 records is blocked or error"],
    ["warning,error", 1, "2 of 3 records are warning or error"],
  ])("with --fail-on %s exits with %d", async (words, code, message) => {
    const { dataDir } = await recorded(ENTRIES);
    const ended = await run([
      "list",
      "--records",
      "--data-dir",
      dataDir,
      "-o",
      "json",
      "--fail-on",
      words,
    ]);
    expect(ended).toMatchObject({ code, message });
    expect(JSON.parse(ended.stdout).total).toBe(3);
  });

  it("exits with 1 for --fail-on rejected if a call was rejected", async () => {
    const { dataDir } = await recorded([
      { type: "tool_call", source: "gateway", tool: "a", status: "rejected" },
      { type: "tool_call", source: "gateway", tool: "a", status: "success" },
    ]);
    const ended = await run([
      "list",
      "--records",
      "--data-dir",
      dataDir,
      "--fail-on",
      "blocked,rejected",
    ]);
    expect(ended).toMatchObject({ code: 1, message: "1 of 2 records is blocked or rejected" });
  });

  it.each([
    [["-n", "1", "--fail-on", "warning"], 1],
    [["-n", "1", "--offset", "2", "--fail-on", "error"], 1],
    [["--status", "success", "--fail-on", "error"], 0],
    [["--decision", "allowed", "--fail-on", "warning"], 0],
    [["--tool", "read", "--fail-on", "warning"], 0],
  ])("applies --fail-on to all pages but only within the filters: %j", async (args, code) => {
    const { dataDir } = await recorded(ENTRIES);
    expect(await run(["list", "--records", "--data-dir", dataDir, ...args])).toMatchObject({
      code,
    });
  });

  it.each([
    [["--status", "Blocked"], "--status: "],
    [["--type", "x"], "--type: "],
    [["--since", "\u001b[2J"], "--since: "],
    [["-n", "0"], "--limit: "],
    [["-n", "1001"], "--limit: "],
    [["--offset", "-1"], "--offset: "],
    [["--cursor", "x"], "--cursor: "],
    [["-o", "xml"], "error: option '-o, --output <format>' argument 'xml' is invalid."],
    [["-o", "json", "--format", "yaml"], "error: --output and --format"],
    [["--fail-on", "success"], "--fail-on: "],
  ])("refuses %j with exit 2 before it opens the records", async (args, start) => {
    const ended = await run(["list", "--records", "--data-dir", join(tempDir(), "none"), ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: "" });
    expect(ended.message.startsWith(start)).toBe(true);
    expect(ended.message).not.toContain("\u001b");
  });

  it.each([
    ["table", /^TIME {2}ID .* REASON\n$/],
    ["json", /^\{\n {2}"activities": \[\],\n {2}"total": 0,/],
    ["jsonl", /^$/],
    ["yaml", /^activities: \[\]\n/],
  ])(
    "prints an empty %s for a data directory that does not exist, and does not create it",
    async (format, empty) => {
      const dataDir = join(tempDir(), "none");
      const ended = await run(["list", "--records", "--data-dir", dataDir, "-o", format]);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toMatch(empty);
      expect(ended.stderr).toBe(`No activity has been recorded in ${dataDir}.\n`);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  it("exits with 3 if the database is invalid", async () => {
    const dataDir = tempDir();
    writeFileSync(join(dataDir, "activity.db"), "not a database\n".repeat(1000));
    const ended = await run(["list", "--records", "--data-dir", dataDir]);
    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.message).toContain("is not a SQLite database");
  });
});
