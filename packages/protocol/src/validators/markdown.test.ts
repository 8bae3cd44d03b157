import { describe, expect, it } from "vitest";
import { codeBlocks } from "./markdown.ts";

describe("codeBlocks", () => {
  it.each<[string, readonly [string, string, number][]]>([
    ["```json\na\n```", [["json", "a", 1]]],
    ["- x\n\n  ~~~ JSON title\n  a\n  ~~~", [["json", "  a", 3]]],
    ["````md\n```json\n````\n", [["md", "```json", 1]]],
    ["```json\na", [["json", "a", 1]]],
    ["``` a`b\nx", []],
    ["> ```json\n> {}\n> ```", [["json", "  {}", 1]]],
    [">```json\n>{}\n>\n> []\n>```\nx", [["json", " {}\n \n  []", 1]]],
    [
      "> ```json\n> {}\n\nx\n> ```\n> y",
      [
        ["json", "  {}", 1],
        ["", "  y", 5],
      ],
    ],
    ["> > ```json\n> > {}\n>> ```", [["json", "    {}", 1]]],
    ["- > ```json\n  > {}\n  > ```\n", [["json", "    {}", 1]]],
    ["> 10. - ```json\n>       {}\n>       ```\n", [["json", "        {}", 1]]],
    ["\t```json\n\t{}\n\t```\nx", [["json", "\t{}", 1]]],
    ["```json\n> {}\n> ```\n```", [["json", "> {}\n> ```", 1]]],
    ["a > ```json\n-```json", []],
  ])("finds the blocks in %j", (text, expected) => {
    expect(codeBlocks(text).map(({ language, text, line }) => [language, text, line])).toEqual(
      expected,
    );
  });

  it("is fast on long lines", () => {
    for (const line of [">", " ", "> ", "- ", "`", "1. ", "\t> "]) {
      expect(codeBlocks(line.repeat(100_000)).length).toBeLessThanOrEqual(1);
    }
  });
});
