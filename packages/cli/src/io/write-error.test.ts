import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT_FAILED } from "./exit.ts";
import { writeError } from "./write-error.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "touchstone-write-error-"));
  writeFileSync(join(folder, "there"), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the text for an error of the operating system. */
function refusal(...path: readonly string[]): unknown {
  const file = join(folder, ...path);
  try {
    writeFileSync(file, "", { flag: path.length === 0 ? "w" : "wx" });
  } catch (error) {
    const { code, message } = writeError(file, error);
    return [code, message.replace(folder, "")];
  }
  return "written";
}

describe("writeError", () => {
  it.each([
    [["there"], "/there cannot be written: there is a file of this name already; name another"],
    [["gone", "x"], "/gone/x cannot be written: its directory does not exist; create it"],
    [["there", "x"], "/there/x cannot be written: a part of its path is not a directory; name"],
    [[], " cannot be written: it is a directory; name a file"],
  ])("explains why %j cannot be written", (path, text) => {
    expect(refusal(...path)).toEqual([EXIT_FAILED, expect.stringMatching(`^${text}`)]);
  });

  it("escapes hidden characters in a name, and passes on other reasons", () => {
    const { message } = writeError("a\u202eb", new Error("cable cut"));
    expect(message).toBe("a\\u{202e}b cannot be written: cable cut");
    const odd = new Error("EIO: i/o error, rename '/a' -> '/b'");
    expect(writeError("b", odd).message).toBe("b cannot be written: i/o error");
  });
});
