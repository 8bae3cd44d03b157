import { join } from "node:path";
import type { ActivityEntry } from "@touchstone/gateway";
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

describe("activity show", () => {
  it("shows the issues of a blocked call, which are in the record of the decision", async () => {
    const { dataDir, records } = await recorded([
      DECISION,
      { type: "tool_call", source: "gateway", status: "blocked", request_id: "req-7" },
      { type: "tool_call", source: "gateway", status: "success", request_id: "req-8" },
    ]);
    const [decision, call, other] = records;
    const { stdout } = await run(["show", call?.id ?? "", "--data-dir", dataDir]);
    expect(stdout).toContain(
      `issues       2 (output, in record ${decision?.id})\n  1. /city is required\n     rule required`,
    );
    const without = await run(["show", other?.id ?? "", "--data-dir", dataDir]);
    expect(without.stdout).toMatch(/issues +0\n$/);
  });

  it("prints every field and every issue", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const record = records[0];
    const { code, stdout } = await run(["show", record?.id ?? "", "--data-dir", dataDir]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  "))).toEqual([
      `id  ${record?.id}`,
      "time  2026-08-31T09:00:00.000Z",
      "type  policy_decision",
      "source  gateway",
      "server  weather",
      "tool  get_\\u{1b}[31mweather",
      "direction  output",
      "mode  strict",
      "decision  blocked",
      "status  blocked",
      "outcome  violation",
      "reason  2 issues",
      "guard  maxDepth 64, was 65",
      "duration  12.5 ms",
      "bytes in  10",
      "bytes out  20",
      "request id  req-7",
      "session  -",
      "client  inspector/1.0",
      `schema hash  sha256:${"a".repeat(64)}`,
      `prev hash  ${"0".repeat(64)}`,
      `hash  ${record?.hash}`,
      "issues  2",
      "  1. /city is required",
      "  rule required, keyword required",
      "  2. bad\\u001b[2J",
      "  rule protocol",
      "",
    ]);
  });

  it("gives exactly the record as JSON and YAML", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const id = records[0]?.id ?? "";
    const json = await run(["show", id, "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toEqual(records[0]);
    const yaml = await run(["show", id, "--data-dir", dataDir, "--format", "yaml"]);
    expect(parse(yaml.stdout)).toEqual(records[0]);
  });

  it("colours the verdict on a terminal", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const { stdout } = await run(["show", records[0]?.id ?? "", "--data-dir", dataDir], {
      columns: 80,
    });
    expect(stdout).toContain("\u001b[31mblocked\u001b[39m");
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("takes the start of an id in any case, where it is the only one", async () => {
    const { dataDir, records } = await recorded([DECISION]);
    const prefix = records[0]?.id.slice(0, 8).toLowerCase() ?? "";
    const { stdout } = await run(["show", prefix, "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(stdout)).toEqual(records[0]);
  });

  it("lists the candidates where several ids start so", async () => {
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
      expect(ended.message).toContain("is no record id");
      expect(ended.message).not.toContain("\u001b");
    },
  );

  it("ends with 3 where there is no such record", async () => {
    const { dataDir } = await recorded([DECISION]);
    for (const dir of [dataDir, join(tempDir(), "none")]) {
      const ended = await run(["show", "7ZZZ", "--data-dir", dir]);
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.message).toContain(`There is no record 7ZZZ in ${dir}.`);
    }
  });

  it("has no JSON Lines", async () => {
    const ended = await run(["show", "0", "--data-dir", tempDir(), "-o", "jsonl"]);
    expect(ended).toMatchObject({ code: 2, message: expect.stringContaining("table, json, yaml") });
  });
});
