import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh directory that is removed when the running test ends. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
