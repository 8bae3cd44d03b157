import { describe, expect, it } from "vitest";
import { serverWords } from "./words.ts";

describe("the words that name a server", () => {
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
  ])("are those of %s", (_, words, args, server, rest) => {
    expect(serverWords(words, args)).toEqual({ server, rest });
  });

  it.each([
    [[], ["check"]],
    [["t"], ["call", "t", "--"]],
  ])("are missing in %j", (words, args) => {
    expect(() => serverWords(words, args)).toThrow(/name a server/);
  });
});
