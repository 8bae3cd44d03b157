import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/** A new directory that is removed when the running test ends, or for concurrent tests, the test of `context`. */
export function tempDir(context?: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-"));
  (context?.onTestFinished ?? onTestFinished)(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
