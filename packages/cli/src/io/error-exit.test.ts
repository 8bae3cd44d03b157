import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { TOUCHSTONE, tempDir } from "../testing/touchstone.ts";
import { errorExit } from "./error-exit.ts";

it.each(["EMFILE", "ENFILE"])("reports %s with advice, not as an internal error", (code) => {
  const error = Object.assign(new Error(`${code}: too many open files, open 'x.js'`), { code });
  expect(errorExit(error)).toEqual({
    code: 3,
    text: "too many files are open; raise the limit (ulimit -n)",
  });
});

it("asks the user to report any other error", () => {
  const { code, text } = errorExit(new TypeError("x is not a function"));
  expect([code, text]).toEqual([3, expect.stringMatching(/^internal error, please report it: /)]);
});

it.each([
  ["wrap", "--data-dir", "x", "--", "true"],
  ["activity", "list", "--data-dir", "x"],
  ["install", "--file", "x.json", "--dry-run"],
])("reports that the working directory no longer exists: %s", (...args) => {
  const script = 'cd "$0" && rmdir "$0" && "$@" 2>&1; echo $?';
  const said = execFileSync(
    "sh",
    ["-c", script, tempDir(), process.execPath, TOUCHSTONE, ...args],
    {
      encoding: "utf8",
    },
  );
  expect(said).toBe(
    "touchstone: the working directory has been removed; change to another one\n3\n",
  );
});
