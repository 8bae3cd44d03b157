import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ActivityEntry } from "@touchstone/gateway/activity";
import { expect, it } from "vitest";
import { recorded, run, tempDir } from "./testing/run.ts";

const HOSTILE = "\u001b[2J\u009b31m\u202eevil\u200b";
const ENTRIES: readonly ActivityEntry[] = [
  { type: "tool_call", source: "gateway", tool: HOSTILE, reason: "two\r\nlines, and more" },
];
const UNSAFE = /[\p{Cc}\p{Cf}]/u;

async function exported(args: readonly string[], columns?: number): Promise<string> {
  const { dataDir } = await recorded(ENTRIES);
  const given = ["export", "--data-dir", dataDir, ...args];
  return (await run(given, columns === undefined ? {} : { columns })).stdout;
}

it.each([
  ["jsonl", undefined],
  ["jsonl", 80],
  ["ecs", undefined],
  ["ocsf", 80],
])(
  "escapes hostile text as %s and still parses to the same value (columns: %s)",
  async (format, columns) => {
    const text = await exported(["--format", format], columns);
    expect(text.replaceAll("\n", "")).not.toMatch(UNSAFE);
    expect(text).toContain("\\u009b31m\\u202eevil\\u200b");
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(HOSTILE));
  },
);

it("writes the same text to a file as to stdout", async () => {
  const { dataDir } = await recorded(ENTRIES);
  const file = join(tempDir(), "out.jsonl");
  await run(["export", "--data-dir", dataDir, "--out", file]);
  const { stdout } = await run(["export", "--data-dir", dataDir]);
  expect(readFileSync(file, "utf8")).toBe(stdout);
});

it("leaves CSV unescaped, except on a terminal", async () => {
  expect(await exported(["--format", "csv"])).toContain(`,${HOSTILE},`);
  const shown = await exported(["--format", "csv"], 80);
  expect(shown).toContain(",\\u{1b}[2J\\u{9b}31m\\u{202e}evil\\u{200b},");
  expect(shown).toContain('"two\r\nlines, and more"');
  expect(shown.replaceAll("\r\n", "")).not.toMatch(UNSAFE);
});

it("writes unescaped CSV to a file even if messages go to a terminal", async () => {
  const file = join(tempDir(), "out.csv");
  await exported(["--format", "csv", "--out", file], 80);
  expect(readFileSync(file, "utf8")).toContain(`,${HOSTILE},`);
});
