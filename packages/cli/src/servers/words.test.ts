import { describe, expect, it } from "vitest";
import { splitServerWords } from "./words.ts";

describe("splitServerWords", () => {
  it.each([
    ["a name", ["files", "read", "{}"], ["call", "files", "read", "{}"], ["files"], ["read", "{}"]],
    [
      "a command",
      ["read", "{}", "npx", "-y", "x"],
      ["call", "read", "{}", "--", "npx", "-y", "x"],
      ["--", "npx", "-y", "x"],
      ["read", "{}"],
    ],
    ["only a command", ["npx", "x"], ["check", "--", "npx", "x"], ["--", "npx", "x"], []],
    [
      "a command with -- of its own",
      ["t", "npx", "--", "x"],
      ["call", "t", "--", "npx", "--", "x"],
      ["--", "npx", "--", "x"],
      ["t"],
    ],
  ])("splits the arguments into server and rest: %s", (_, words, args, server, rest) => {
    expect(splitServerWords(words, args)).toEqual({ server, rest });
  });

  it.each([
    [[], ["check"]],
    [["t"], ["call", "t", "--"]],
  ])("refuses arguments without a server: %j", (words, args) => {
    expect(() => splitServerWords(words, args)).toThrow(/name a server/);
  });
});
