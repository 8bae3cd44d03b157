import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT_FAILED } from "./exit.ts";
import { readFile, readText } from "./read-file.ts";
import { tempDir } from "./testing/touchstone.ts";

it("reads files up to a limit, larger ones not at all", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "0123456789");
  expect(readText(file, 10)).toBe("0123456789");
  const refusal = {
    code: EXIT_FAILED,
    message: `${file} cannot be read: it has more than 9 bytes, which is the limit`,
  };
  for (const read of [readFile, readText]) {
    expect(() => read(file, 9)).toThrow(expect.objectContaining(refusal));
  }
});
