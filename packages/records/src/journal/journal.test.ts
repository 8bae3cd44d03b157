import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { tempDir } from "../testing/temp-dir.ts";
import { Journal } from "./journal.ts";

function journal() {
  const folder = tempDir();
  const made = new Journal({ database: join(folder, "activity.db"), chain: "c", sync: "normal" });
  const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
  onTestFinished(() => {
    made.close();
    now.mockRestore();
  });
  const later = (ms = 1_001) => now.mockReturnValue(Date.now() + ms);
  const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return { folder, journal: made, later, files };
}

const line = (n: number): Uint8Array => Buffer.from(`{"n":${n}}\n`);

it.each([
  ["no longer than a second", 1_001],
  ["no longer where the clock is set back", -86_400_000],
])("writes to an unlinked file %s", (_how, ms) => {
  const { folder, journal: written, later } = journal();
  written.append(0, line(0));
  rmSync(folder, { recursive: true });
  later(ms);
  expect(() => written.append(1, line(1))).toThrow(/ENOENT/);
});

it("starts a new file if its own was removed", () => {
  const { folder, journal: written, later, files } = journal();
  written.append(0, line(0));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  later();
  written.append(1, line(1));
  written.append(2, line(2));
  expect(files()).toHaveLength(1);
  expect(files()[0]).not.toContain('{"n":0}');
  expect(
    files()[0]
      ?.split("\n")
      .filter((line) => line !== ""),
  ).toHaveLength(2);
});

it("keeps its file while that exists", () => {
  const { journal: written, later, files } = journal();
  written.append(0, line(0));
  later();
  written.append(1, line(1));
  expect(files()).toHaveLength(1);
});
