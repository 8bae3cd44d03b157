import { execFileSync, spawnSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ActivityEntry } from "@touchstone/gateway/activity";
import { describe, expect, it } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { TOUCHSTONE } from "../testing/touchstone.ts";
import { recorded, run, tempDir } from "./testing/run.ts";

const ENTRIES: readonly ActivityEntry[] = [{ type: "tool_call", source: "gateway", tool: "a" }];
const FULL = "/dev/full";
const posix = process.platform !== "win32";

async function exportTo(out: string) {
  const { dataDir } = await recorded(ENTRIES);
  return run(["export", "--data-dir", dataDir, "--out", out]);
}

describe.runIf(posix)("the output file of an export", () => {
  it("writes through a symbolic link and keeps the link", async () => {
    const dir = tempDir();
    const [target, link] = [join(dir, "target"), join(dir, "link")];
    writeFileSync(target, "before");
    symlinkSync("target", link);
    expect((await exportTo(link)).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, "utf8"))).toMatchObject({ tool: "a" });
    expect(readdirSync(dir).sort()).toEqual(["link", "target"]);
  });

  it.each(["/", tmpdir()])("refuses to write to the directory %s", async (directory) => {
    const { code, message } = await exportTo(directory);
    expect([code, message]).toEqual([
      3,
      `${directory} cannot be written: it is a directory; name a file`,
    ]);
  });

  it("writes to a named pipe and leaves it a pipe", async () => {
    const pipe = join(tempDir(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const read = text(createReadStream(pipe));
    expect((await exportTo(pipe)).code).toBe(0);
    expect(JSON.parse(await read)).toMatchObject({ tool: "a" });
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  it.runIf(existsSync(FULL))(
    "reports that the disk is full if the file is a full device",
    async () => {
      // Uses a link next to the file, so that an error in the code cannot replace the device by a file.
      const link = join(tempDir(), "full");
      symlinkSync(FULL, link);
      const { code, message } = await exportTo(link);
      expect([code, message]).toEqual([3, expect.stringContaining("the disk is full")]);
      expect(statSync(FULL).isCharacterDevice()).toBe(true);
    },
  );
});

describe.runIf(existsSync(FULL))("an export to standard output that fails", () => {
  const toFull = (args: readonly string[]) =>
    spawnSync(process.execPath, [TOUCHSTONE, ...args], {
      stdio: ["ignore", openSync(FULL, "w"), "pipe"],
      encoding: "utf8",
    });

  eachOf(["export", "list", "summary"], 1)(
    "exits with 3 and names the reason: %s",
    async (command) => {
      const { dataDir } = await recorded(ENTRIES);
      const { status, stderr } = toFull(["activity", command, "--data-dir", dataDir]);
      expect([status, stderr]).toEqual([
        3,
        "touchstone: standard output cannot be written: the disk is full; make room, or name a file elsewhere\n",
      ]);
    },
  );

  it("exits with 0 if the reader closes the pipe early", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const script = `"${process.execPath}" "${TOUCHSTONE}" activity list --data-dir "${dataDir}" | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["0\n", ""]);
  });
});
