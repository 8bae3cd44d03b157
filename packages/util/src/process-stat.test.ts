import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processStat } from "./process-stat.ts";

/** Linux assigns only lower ids (`PID_MAX_LIMIT`). */
const NOBODY = 4_194_304;

const startOf = (pid: number): string | undefined => processStat(pid)?.start;

describe.runIf(existsSync("/proc/self/stat"))("processStat", () => {
  it("returns a constant start time while a process lives, and undefined afterward", async () => {
    expect(startOf(process.pid)).toMatch(/^\d+$/);
    expect(startOf(process.pid)).toBe(startOf(process.pid));
    expect(startOf(NOBODY)).toBeUndefined();
  });

  it("treats a zombie process as ended", async () => {
    const waits = `const { spawn } = require("node:child_process");
      const child = spawn("true"); console.log(child.pid); for (;;);`;
    const parent = spawn(process.execPath, ["-e", waits], { stdio: ["ignore", "pipe", "inherit"] });
    const [told] = await once(parent.stdout, "data");
    await expect.poll(() => processStat(Number(told))).toBeUndefined();
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  it("reads the state of a command whose name has brackets and spaces", async () => {
    const odd = join(mkdtempSync(join(tmpdir(), "touchstone-start-")), "a) S 1 (");
    symlinkSync(process.execPath, odd);
    const child = spawn(odd, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    await once(child, "spawn");
    const started = Number(startOf(child.pid ?? NOBODY));
    expect(processStat(child.pid ?? NOBODY)?.parent).toBe(process.pid);
    expect(started).toBeGreaterThanOrEqual(Number(startOf(process.pid)));
    child.stdin?.end();
    await once(child, "exit");
  });
});
