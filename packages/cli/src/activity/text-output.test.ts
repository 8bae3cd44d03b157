import { EventEmitter } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "./testing/run.ts";
import { withTextOutput } from "./text-output.ts";

const stdout = { write: () => true };

it("removes a partial file when a signal interrupts the write", async () => {
  const dir = tempDir();
  const file = join(dir, "out");
  writeFileSync(file, "before");
  const signals = new EventEmitter();
  const writing = withTextOutput({ stdout, signals }, file, async (write) => {
    await write("a");
    expect(readdirSync(dir)).toHaveLength(2);
    signals.emit("SIGTERM");
    await write("b");
  });
  await expect(writing).rejects.toMatchObject({ code: 143, message: "stopped by SIGTERM" });
  expect(readdirSync(dir)).toEqual(["out"]);
  expect(readFileSync(file, "utf8")).toBe("before");
  expect(signals.eventNames()).toEqual([]);
});

it("ignores the partial file of a killed process that had the same id", async () => {
  const dir = tempDir();
  const file = join(dir, "out");
  writeFileSync(`${file}.${process.pid}.part`, "half");
  await withTextOutput({ stdout }, file, (write) => write("whole"));
  expect(readFileSync(file, "utf8")).toBe("whole");
});
