import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ActivityEntry } from "@touchstone/gateway/activity";
import { expect, it } from "vitest";
import { recorded, run, tempDir } from "./testing/run.ts";

const WRONG: ActivityEntry = {
  ...{ type: "policy_decision", source: "gateway", server: "files", tool: "read_text_file" },
  ...{ direction: "input", mode: "strict", decision: "blocked", outcome: "violation" },
  caller: "alice",
  issues: [
    {
      ...{ path: "/path", message: "must have required property 'path'", rule: "required" },
      ...{ keyword: "required", params: { missingProperty: "path" } },
    },
  ],
};
const ENTRIES: readonly ActivityEntry[] = [
  WRONG,
  { ...WRONG, caller: "bob" },
  {
    ...{ ...WRONG, tool: "\u001b[2J", decision: "warning" },
    issues: [{ path: "/edits/3/old", message: "must be string", rule: "type", keyword: "type" }],
  },
  { ...WRONG, decision: "allowed" },
];

it("groups calls by what was wrong, as a table and as JSON", async () => {
  const { dataDir } = await recorded(ENTRIES);
  const { stdout, stderr, code } = await run(["problems", "--data-dir", dataDir]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("2 problems: 2 open, 0 not seen in later calls, 0 ignored, 0 allowed\n");
  expect(stdout).toMatch(
    /open +2 +2 +2 +.* files +read_text_file +arguments +\/path is required\n/,
  );
  expect(stdout).toMatch(/open +1 +0 +1 +.* arguments +\/edits\/\* must be|\/edits\/\*\/old/);
  expect(stdout).toContain(
    "no configuration was read, so no problem is allowed: --config FILE reads one\n",
  );
  expect(stdout).not.toContain("\u001b");
  const json = await run([
    "problems",
    "--data-dir",
    dataDir,
    "-o",
    "json",
    "--tool",
    "read_text_file",
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ total: 1, others: 0, not_counted: 0 },
    problems: [
      {
        ...{ place: "/path", rule: "required", keyword: "required", state: "open", calls: 2 },
        callers: { count: 2, names: expect.arrayContaining(["alice", "bob"]) },
      },
    ],
  });
});

it("judges by the rules of a file, and filters by the state", async () => {
  const { dataDir } = await recorded(ENTRIES);
  const file = join(tempDir(), "touchstone.json");
  const rules = { "/path": "warning" };
  const tools = { read_text_file: { input_validation: { rules } } };
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { files: { command: "x", touchstone: { tools } } } }),
  );
  const { stdout } = await run(["problems", "--data-dir", dataDir, "--config", file]);
  expect(stdout).toMatch(/^2 problems: 1 open, .* 1 allowed\n/);
  expect(stdout).toMatch(/allowed +2 +2 +2/);
  const some = await run([
    ...["problems", "--data-dir", dataDir, "--config", file],
    ...["--state", "allowed,ignored", "-o", "json"],
  ]);
  expect(JSON.parse(some.stdout)).toMatchObject({ total: 1, problems: [{ state: "allowed" }] });
});

it("shows a page, and how many there are", async () => {
  const { dataDir } = await recorded(ENTRIES);
  const { stdout } = await run(["problems", "--data-dir", dataDir, "-n", "1"]);
  expect(stdout).toContain("and 1 more problem: --offset 1 shows the next ones\n");
  const next = await run([
    "problems",
    "--data-dir",
    dataDir,
    "-n",
    "1",
    "--offset",
    "1",
    "-o",
    "json",
  ]);
  expect(JSON.parse(next.stdout)).toMatchObject({ total: 2, offset: 1, problems: [{ calls: 1 }] });
});

it.each([
  [["--state", "closed"], 'state: "closed" is none of open, not_seen, ignored, allowed'],
  [["-n", "201"], 'limit: "201" is not a whole number from 1 to 200'],
  [["--since", "soon"], 'since: "soon" is not'],
])("refuses %j", async (options, message) => {
  const { dataDir } = await recorded([]);
  const ended = await run(["problems", "--data-dir", dataDir, ...options]);
  expect(ended.code).toBe(2);
  expect(ended.message).toContain(message);
});

it("reports that nothing has been recorded", async () => {
  const { stdout, stderr, code } = await run(["problems", "--data-dir", tempDir()]);
  expect([stdout, code]).toEqual(["", 0]);
  expect(stderr).toContain("No activity has been recorded in ");
});
