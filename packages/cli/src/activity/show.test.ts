import { join } from "node:path";
import type { ActivityEntry } from "@touchstone/gateway";
import { openActivityStore, type PinnedText } from "@touchstone/gateway/activity";
import { canonicalDefinition } from "@touchstone/protocol/lock";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { recorded, run, tempDir } from "./testing/run.ts";

const DECISION: ActivityEntry = {
  type: "policy_decision",
  source: "gateway",
  server: "weather",
  tool: "get_\u001b[31mweather",
  direction: "output",
  mode: "strict",
  decision: "blocked",
  status: "blocked",
  outcome: "violation",
  reason: "2 issues",
  issues: [
    {
      path: "/city",
      message: "must have required property 'city'",
      rule: "required",
      keyword: "required",
    },
    { path: "", message: "bad\u001b[2J", rule: "protocol" },
  ],
  guard: { guard: "maxDepth", limit: 64, actual: 65 },
  schema_hash: `sha256:${"a".repeat(64)}`,
  client: "inspector/1.0",
  request_id: "req-7",
  bytes_in: 10,
  bytes_out: 20,
  duration_ms: 12.5,
};

const CALL: ActivityEntry = {
  type: "tool_call",
  source: "gateway",
  server: "weather",
  tool: "get_weather",
  status: "success",
  session: `sha256:${"b".repeat(64)}`,
  client: "agent/1",
};
/** A blocked call with its decision, a call of another session, the next attempt, a call of another tool. */
const HISTORY: readonly ActivityEntry[] = [
  {
    ...DECISION,
    ...{ tool: "get_weather", direction: "input", session: CALL.session, client: CALL.client },
    reason: "/city is required",
  },
  { ...CALL, status: "blocked", reason: "/city is required", request_id: "req-7" },
  { ...CALL, session: `sha256:${"c".repeat(64)}`, request_id: "req-8" },
  { ...CALL, request_id: "req-9" },
  { ...CALL, tool: "list", request_id: "req-10" },
];

describe("activity show", () => {
  it("shows the issues of a blocked call from its decision record", async () => {
    const { dataDir, records } = await recorded([
      DECISION,
      { type: "tool_call", source: "gateway", status: "blocked", request_id: "req-7" },
      { type: "tool_call", source: "gateway", status: "success", request_id: "req-8" },
    ]);
    const [decision, call, other] = records;
    const { stdout } = await run(["show", call?.id ?? "", "--data-dir", dataDir]);
    expect(stdout).toContain(
      `issues     2 (output, in record ${decision?.id})\n  1. /city is required\n     rule required`,
    );
    const without = await run(["show", other?.id ?? "", "--data-dir", dataDir]);
    expect(without.stdout).toMatch(/issues +0\n\nreceived +the server's result\n$/);
  });

  it("shows first why a repaired call was blocked, in records of older versions too", async () => {
    const typed = {
      path: "/n",
      message: "must be integer",
      rule: "type",
      keyword: "type",
    } as const;
    const policy = {
      path: "/n",
      message: "must be 9 at most",
      rule: "policy",
      keyword: "narrow",
    } as const;
    const repaired = { ...DECISION, direction: "input", repairs: "coerce-scalars at /n" } as const;
    const { dataDir, records } = await recorded([
      { ...repaired, request_id: "req-1", issues: [typed, policy] },
      {
        ...repaired,
        request_id: "req-2",
        decision: "repaired",
        status: "repaired",
        issues: [typed],
      },
      { ...DECISION, request_id: "req-2", issues: [{ ...typed, path: "/result" }] },
      { ...CALL, request_id: "req-2", status: "blocked" },
    ]);
    const shown = async (index: number) => {
      const id = records[index]?.id ?? "";
      const { stdout } = await run(["show", id, "--data-dir", dataDir]);
      return stdout.split("\n\n")[0]?.replace(/^.*?\nissues/s, "issues");
    };
    expect(await shown(0)).toMatch(
      /^issues +2\n {2}1\. \/n must be 9 at most\n.*\n {2}before that, repaired: coerce-scalars at \/n\n {2}2\. \/n .*integer/,
    );
    expect(await shown(3)).toMatch(
      /^issues +1 \(output, .*\n {2}1\. \/result .*\n.*\nissues +1 \(input, .*\n {2}1\. \/n /,
    );
  });

  it("prints the text that the agent received, line by line", async () => {
    const [decision, call] = HISTORY;
    const text = "Blocked.\n- Add /city\u001b[2J.\nCall again.";
    const { dataDir, records } = await recorded([
      { ...DECISION, ...decision, response_text: text },
      { ...CALL, ...call },
    ]);
    const lines =
      "received   Blocked.\n           - Add /city\\u{1b}[2J.\n           Call again.\n";
    for (const { id } of records) {
      expect((await run(["show", id, "--data-dir", dataDir])).stdout).toContain(lines);
    }
  });

  it("prints what changed in a definition, and what the change means", async () => {
    const { dataDir } = await recorded([]);
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const [was, is] = ['{"a":{"type":"string"}}', '{"a\\u001b[2J":{"type":"string"}}'].map(
      (text) => {
        const declared = `{"inputSchema":{"properties":${text}},"name":"t"}`;
        return {
          kind: "tool",
          name: "t",
          text: declared,
          hash: canonicalDefinition(declared)?.hash ?? "",
        } as const;
      },
    ) as [PinnedText, PinnedText];
    await store.pins.saw("weather", [{ ...is, locked: was }]);
    const change = {
      type: "schema_change",
      source: "gateway",
      server: "weather",
      tool: "t",
    } as const;
    const [record, other] = await store.append([
      { ...change, schema_hash: is.hash, previous_schema_hash: was.hash },
      { ...change, schema_hash: is.hash, previous_schema_hash: "sha256:gone" },
    ]);
    await store.close();
    const { stdout } = await run(["show", record?.id ?? "", "--data-dir", dataDir]);
    expect(stdout.split("\n\n")[1]?.split("\n")).toEqual([
      "change     compatible /inputSchema: the schema has changed, but accepts what it accepted, except for arguments that were not declared",
      "diff",
      "   {",
      '     "inputSchema": {',
      '       "properties": {',
      '  -      "a": {',
      '  +      "a\\u001b[2J": {',
      '           "type": "string"',
      "         }",
      "       }",
      "  @@",
      "",
    ]);
    const unknown = await run(["show", other?.id ?? "", "--data-dir", dataDir]);
    expect(unknown.stdout).toMatch(/\n\ndiff +a text is not kept anymore\n$/);
    const json = await run(["show", record?.id ?? "", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      related: { change: { changes: [{ class: "compatible" }] } },
    });
  });

  it("prints how it ended, every issue, and other fields that are set", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const record = records[0];
    const shown = async (...args: readonly string[]) => {
      const { code, stdout } = await run([
        "show",
        record?.id ?? "",
        "--data-dir",
        dataDir,
        ...args,
      ]);
      return [code, ...stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  "))];
    };
    const first = [
      0,
      `id  ${record?.id}`,
      "time  2026-08-31T09:00:00.000Z",
      "type  policy_decision",
      "server  weather",
      "tool  get_\\u{1b}[31mweather",
      "decision  blocked",
      "status  blocked",
      "reason  2 issues",
      "issues  2",
      "  1. /city is required",
      "  rule required, keyword required",
      "  2. bad\\u001b[2J",
      "  rule protocol",
      "",
    ];
    expect(await shown()).toEqual([
      ...first,
      "direction  output",
      "mode  strict",
      "guard  maxDepth 64, was 65",
      "client  inspector/1.0",
      "duration  12.5 ms",
      "",
    ]);
    expect(await shown("-o", "wide")).toEqual([
      ...first,
      "source  gateway",
      "direction  output",
      "mode  strict",
      "outcome  violation",
      "guard  maxDepth 64, was 65",
      `schema hash  sha256:${"a".repeat(64)}`,
      "client  inspector/1.0",
      "session  -",
      "request  req-7",
      "bytes in  10",
      "bytes out  20",
      "duration  12.5 ms",
      `prev hash  ${"0".repeat(64)}`,
      `hash  ${record?.hash}`,
      "",
    ]);
  });

  it("joins a call with its decisions, the text that the agent received, and the next attempt", async () => {
    const { dataDir, records } = await recorded(HISTORY);
    const [decision, call, , next] = records;
    // Twelve digits distinguish ids that were made at the same time, except the last ones of a millisecond.
    const short = ({ id }: { id: string } = { id: "" }): string => {
      const others = records.filter((one) => one.id !== id);
      let length = 10;
      while (others.some((one) => one.id.startsWith(id.slice(0, length)))) length += 1;
      return id.slice(0, length);
    };
    const show = async (id: string | undefined) =>
      (await run(["show", id ?? "", "--data-dir", dataDir])).stdout.split("\n\n")[1];
    const received = "received   an error that names the issues; the server did not get the call";
    const after = `next       ${short(next)}  success  120.0 s later`;
    expect(await show(call?.id)).toBe(
      `decided    ${short(decision)}  input  blocked  /city is required\n${received}\n${after}`,
    );
    expect(await show(decision?.id)).toBe(
      `call       ${short(call)}  blocked  /city is required\n${received}\n${after}`,
    );
    const json = await run(["show", call?.id ?? "", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      ...call,
      related: { decisions: [decision], next_attempt: next },
    });
    const alone = await run(["show", next?.id ?? "", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(alone.stdout)).toEqual(next);
  });

  it("finds the next attempt of a client that has no session", async () => {
    const of = (client: string, more: object = {}): ActivityEntry => ({
      ...CALL,
      session: undefined,
      client,
      ...more,
    });
    const { dataDir, records } = await recorded([
      of("a", { status: "blocked" }),
      of("b"),
      of("a", { tool: "other" }),
      of("a"),
    ]);
    const { stdout } = await run([
      ...["show", records[0]?.id ?? "", "--data-dir", dataDir, "-o", "json"],
    ]);
    expect(JSON.parse(stdout).related.next_attempt).toEqual(records[3]);
  });

  it.each([
    [[], 4],
    [["--blocked"], 1],
    [["--blocked", "--server", "files"], undefined],
    [["--tool", "get_weather"], 3],
  ])("last %j shows the newest call", async (args, index) => {
    const { dataDir, records } = await recorded(HISTORY);
    const last = await run(["last", ...args, "--data-dir", dataDir]);
    if (index === undefined) {
      expect(last).toMatchObject({ code: 3, stdout: "" });
      expect(last.message).toContain("There is no such blocked call in ");
      expect(last.message).toContain("touchstone activity list --decision warning shows ");
      return;
    }
    expect(last.code).toBe(0);
    const shown = await run(["show", records[index]?.id ?? "", "--data-dir", dataDir]);
    expect(last.stdout).toBe(shown.stdout);
  });

  it("last --blocked shows a blocked message that is not a call", async () => {
    const { request_id: _, ...message } = DECISION;
    const { dataDir, records } = await recorded([
      ...HISTORY,
      { ...message, direction: "protocol" },
    ]);
    const args = ["last", "--blocked", "--data-dir", dataDir, "-o", "json"];
    expect(JSON.parse((await run(args)).stdout)).toEqual(records.at(-1));
  });

  it("last exits with 3 if nothing is recorded", async () => {
    const ended = await run(["last", "--data-dir", join(tempDir(), "none")]);
    expect(ended).toMatchObject({ code: 3, stdout: "" });
  });

  it("prints exactly the record as JSON and YAML", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const id = records[0]?.id ?? "";
    const json = await run(["show", id, "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toEqual(records[0]);
    const yaml = await run(["show", id, "--data-dir", dataDir, "--format", "yaml"]);
    expect(parse(yaml.stdout)).toEqual(records[0]);
  });

  it("colors the result on a terminal", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const { stdout } = await run(["show", records[0]?.id ?? "", "--data-dir", dataDir], {
      columns: 80,
    });
    expect(stdout).toContain("\u001b[31mblocked\u001b[39m");
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("accepts a unique prefix of an id in either case", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const prefix = records[0]?.id.slice(0, 8).toLowerCase() ?? "";
    const { stdout } = await run(["show", prefix, "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(stdout)).toEqual(records[0]);
  });

  it("lists the candidates if several ids start with the prefix", async () => {
    const { dataDir, records } = await recorded(Array.from({ length: 7 }, () => DECISION));
    const ended = await run(["show", "0", "--data-dir", dataDir]);
    const ids = records.slice(0, 5).map((record) => record.id);
    expect(ended).toMatchObject({
      code: 2,
      stdout: "",
      message: `0 fits several records: ${ids.join(", ")} and more. Give more of the id.`,
    });
  });

  it.each(["", "not an id", "01!", "\u001b[2J", "0".repeat(27)])(
    "refuses the id %j",
    async (id) => {
      const ended = await run(["show", id, "--data-dir", tempDir()]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.message).toContain("is not a record id");
      expect(ended.message).not.toContain("\u001b");
    },
  );

  it("exits with 3 if there is no such record", async () => {
    const { dataDir } = await recorded([DECISION]);
    for (const dir of [dataDir, join(tempDir(), "none")]) {
      const ended = await run(["show", "7ZZZ", "--data-dir", dir]);
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.message).toContain(`There is no record 7ZZZ in ${dir}.`);
    }
  });

  it("refuses JSON Lines", async () => {
    const ended = await run(["show", "0", "--data-dir", tempDir(), "-o", "jsonl"]);
    expect(ended).toMatchObject({
      code: 2,
      message: expect.stringContaining("table, wide, json, yaml"),
    });
  });
});
