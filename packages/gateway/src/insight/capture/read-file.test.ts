import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCaptureFile } from "./read-file.ts";

const START = '{"touchstone":"capture","version":1,"time":"2026-01-02T03:04:05.000Z"}';
const frame = (text: string) =>
  JSON.stringify({
    time: "2026-01-02T03:04:05.000Z",
    server: "s",
    connection: "c",
    from: "client",
    to: "server",
    text,
  });

describe("readCaptureFile", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "capture-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const read = async (content: string, maxLineBytes?: number) => {
    const file = join(dir, "capture.jsonl");
    writeFileSync(file, content);
    const lines: [number, string][] = [];
    for await (const { number, line } of readCaptureFile(file, maxLineBytes)) {
      lines.push([number, "fault" in line ? line.fault : line.kind]);
    }
    return lines;
  };

  it("numbers lines from 1, skips blank ones, and reads a last line without a line feed", async () => {
    expect(await read(`${START}\n\n \r\n${frame("{}")}\n${frame("[]")}`)).toEqual([
      [1, "start"],
      [4, "frame"],
      [5, "frame"],
    ]);
    expect(await read("")).toEqual([]);
  });

  it("skips a byte order mark, but only at the start", async () => {
    expect(await read(`\uFEFF${START}\n${frame("{}")}\n`)).toEqual([
      [1, "start"],
      [2, "frame"],
    ]);
    expect(await read("\uFEFF\n")).toEqual([]);
    expect(await read(`${START}\n\uFEFF${frame("{}")}\n`)).toEqual([
      [1, "start"],
      [2, expect.stringMatching(/byte order mark/)],
    ]);
  });

  it("joins a line that comes in many pieces", async () => {
    const long = "x".repeat(300_000);
    const file = join(dir, "long.jsonl");
    writeFileSync(file, `${frame(long)}\n${frame("é".repeat(100_000))}\n`);
    const sizes: number[] = [];
    for await (const { line } of readCaptureFile(file)) {
      if ("kind" in line && line.kind === "frame") sizes.push(line.bytes.length);
    }
    expect(sizes).toEqual([300_000, 200_000]);
  });

  it("discards a line that is too long, and continues with the next", async () => {
    const long = frame("x".repeat(200_000));
    expect(await read(`${START}\n${long}\n${frame("{}")}\n${long}`, 1_000)).toEqual([
      [1, "start"],
      [2, "longer than 1000 bytes"],
      [3, "frame"],
      [4, "longer than 1000 bytes"],
    ]);
  });
});
