import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

it("does not quote ordinary names", () => {
  expect(shellWord("io.github/files@1.0:read_text-file")).toBe(
    "io.github/files@1.0:read_text-file",
  );
});

it
  .runIf(process.platform !== "win32")
  .each(["", "two words", "$(id)", "`id`", "a'b", "x; id", "~"])(
  "quotes %j as one word that the shell does not expand",
  (text) => {
    const command = `printf %s ${shellWord(text)}`;
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe(text);
  },
);
