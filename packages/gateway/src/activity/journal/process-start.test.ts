import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processStart } from "./process-start.ts";

/** No process has the largest id that there may be. */
const NOBODY = 4_194_304;

describe.runIf(existsSync("/proc/self/stat"))("processStart", () => {
  it("is the same for as long as a process lives, and undefined when it is gone", async () => {
    expect(processStart(process.pid)).toMatch(/^\d+$/);
    expect(processStart(process.pid)).toBe(processStart(process.pid));
    expect(processStart(NOBODY)).toBeUndefined();
  });

  it("is told of a command whose name has brackets and spaces", async () => {
    const odd = join(mkdtempSync(join(tmpdir(), "touchstone-start-")), "a) S 1 (");
    symlinkSync(process.execPath, odd);
    const child = spawn(odd, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    await once(child, "spawn");
    const started = Number(processStart(child.pid ?? NOBODY));
    expect(started).toBeGreaterThanOrEqual(Number(processStart(process.pid)));
    child.stdin?.end();
    await once(child, "exit");
  });
});
