import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../records/src/testing/temp-dir.ts";
import { isOnPath } from "./command-on-path.ts";

it("looks for a command in every directory of a PATH", () => {
  const [first, second] = [tempDir(), tempDir()];
  writeFileSync(join(second, "server"), "");
  mkdirSync(join(first, "folder"));
  const path = ["/nowhere", first, second].join(delimiter);
  expect(isOnPath("server", path)).toBe(true);
  expect(isOnPath("folder", path)).toBe(false);
  expect(isOnPath("other", path)).toBe(false);
  expect(isOnPath("server", undefined)).toBe(false);
  expect(isOnPath("./server", undefined)).toBe(true);
});
